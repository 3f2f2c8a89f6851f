/** Handlers of the operator's `merchants` group (docs/architecture.md, section 7). */
import { OperatorApi } from "@coffer/contract/Operator"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { span } from "../platform/runtime/span.ts"
import { commonRefusals } from "../http/refusals.ts"
import { reply } from "../http/replies.ts"
import { merchantRefusals } from "./merchantRefusals.ts"
import { Merchants } from "./Merchants.ts"
import { merchantView } from "./MerchantView.ts"
import { NewSandbox } from "./NewSandbox.ts"

export const layer = HttpApiBuilder.group(
  OperatorApi,
  "merchants",
  Effect.fnUntraced(function* (handlers) {
    const merchants = yield* Merchants
    const sandbox = yield* NewSandbox
    const { InvalidField } = commonRefusals
    const { MerchantNotFound } = merchantRefusals

    return handlers.handleAll({
      create: span("merchants.create")(function* ({ payload }) {
        const { liveKey, merchant, sandboxKey } = yield* merchants.create(payload.name)
        const { approved, merchant_id, name } = merchant
        if (payload.seed !== false) yield* sandbox.seed(merchant_id)
        return yield* reply({ merchant_id, name, approved, sandbox_key: sandboxKey, live_key: liveKey }, 201)
      }),

      retrieve: span("merchants.retrieve")(function* ({ params }) {
        return yield* reply(merchantView(yield* merchants.find(params.merchant_id)))
      }, Effect.catchTags({ MerchantNotFound })),

      update: span("merchants.update")(function* ({ params, payload }) {
        return yield* reply(merchantView(yield* merchants.update(params.merchant_id, payload)))
      }, Effect.catchTags({ InvalidField, MerchantNotFound })),

      resetKey: span("merchants.resetKey")(function* ({ params }) {
        return yield* reply({ key: yield* merchants.resetKey(params.merchant_id, params.mode) })
      }, Effect.catchTags({ MerchantNotFound })),

      signingSecret: span("merchants.signingSecret")(function* ({ params }) {
        return yield* reply({ secret: yield* merchants.signingSecret(params.merchant_id, params.mode) })
      }, Effect.catchTags({ MerchantNotFound }))
    })
  })
)
