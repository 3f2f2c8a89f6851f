/**
 * Seeds a new merchant's sandbox. The operator's API asks for it when it creates a merchant, and
 * `src/channels/sandbox/Seeds.ts` does it.
 */
import type { MerchantId } from "@coffer/model/Ids"
import { Context, type Effect } from "effect"

export class NewSandbox extends Context.Service<
  NewSandbox,
  {
    /** Seeds now. A worker finishes later what failed or took too long; the caller does not notice. */
    readonly seed: (merchantId: MerchantId) => Effect.Effect<void>
  }
>()("@coffer/merchants/NewSandbox") {}
