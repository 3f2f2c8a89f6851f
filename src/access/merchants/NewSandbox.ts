/**
 * Seeds a new merchant's sandbox. The operator's API asks for it when it creates a merchant, and
 * `src/channels/sandbox/Seeds.ts` does it.
 */
import type { MerchantId } from "@coffer/model/Ids"
import { Context, type Effect } from "effect"

export class NewSandbox extends Context.Service<
  NewSandbox,
  {
    /** Seeds now. If that fails or takes too long, a worker finishes it later, unnoticed by the caller. */
    readonly seed: (merchantId: MerchantId) => Effect.Effect<void>
  }
>()("@coffer/merchants/NewSandbox") {}
