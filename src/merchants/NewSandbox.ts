/**
 * What a new merchant's sandbox is given to begin with. The operator's API asks for it when it creates a merchant;
 * `src/sandbox/Seeds.ts` does it.
 */
import type { MerchantId } from "@coffer/model/Ids"
import { Context, type Effect } from "effect"

export class NewSandbox extends Context.Service<
  NewSandbox,
  {
    /** Seeds now if it can. A worker does later what could not be done in time, and the caller need not know. */
    readonly seed: (merchantId: MerchantId) => Effect.Effect<void>
  }
>()("@coffer/merchants/NewSandbox") {}
