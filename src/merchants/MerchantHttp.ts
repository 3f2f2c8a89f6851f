/** Handlers of the operator's `merchants` group (docs/architecture.md, section 7). */
import { OperatorApi } from "@coffer/contract/Operator"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { span } from "../platform/runtime/span.ts"
import { commonRefusals, unavailable } from "../http/refusals.ts"
import { reply } from "../http/replies.ts"
import { Logos } from "./Logos.ts"
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
    const logos = yield* Logos
    const { InvalidField } = commonRefusals
    const { MerchantNotFound } = merchantRefusals
    const { NotCommitted } = unavailable

    return handlers.handleAll({
      create: span("merchants.create")(function* ({ payload }) {
        const { liveKey, merchant, sandboxKey } = yield* merchants.create(payload.name)
        const { approved, merchant_id, name } = merchant
        if (payload.seed !== false) yield* sandbox.seed(merchant_id)
        return yield* reply({ merchant_id, name, approved, sandbox_key: sandboxKey, live_key: liveKey }, 201)
      }),

      retrieve: span("merchants.retrieve")(function* ({ params }) {
        return yield* reply(merchantView(yield* merchants.find(params.merchant_id), logos.urlOf))
      }, Effect.catchTags({ MerchantNotFound })),

      update: span("merchants.update")(function* ({ params: { merchant_id }, payload: { logo_url, ...patch } }) {
        const logo = logo_url ? yield* logos.nameOf(merchant_id, logo_url) : logo_url
        const change = logo === undefined ? patch : { ...patch, logo }
        return yield* reply(merchantView(yield* merchants.update(merchant_id, change), logos.urlOf))
      }, Effect.catchTags({ InvalidField, MerchantNotFound, NotCommitted })),

      resetKey: span("merchants.resetKey")(function* ({ params }) {
        return yield* reply({ key: yield* merchants.resetKey(params.merchant_id, params.mode) })
      }, Effect.catchTags({ MerchantNotFound })),

      signingSecret: span("merchants.signingSecret")(function* ({ params }) {
        return yield* reply({ secret: yield* merchants.signingSecret(params.merchant_id, params.mode) })
      }, Effect.catchTags({ MerchantNotFound }))
    })
  })
)
