/** Handlers of the `timelines` group, for the merchant and for the operator. */
import { Api } from "@coffer/contract/Api"
import { Caller } from "@coffer/contract/Caller"
import { OperatorApi } from "@coffer/contract/Operator"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentRecord } from "../../shared/http/CurrentRequest.ts"
import { reply } from "../../shared/http/replies.ts"
import { merchantRefusals } from "../../access/merchants/merchantRefusals.ts"
import { Merchants } from "../../access/merchants/Merchants.ts"
import { orderRefusals } from "../../money/orders/orderRefusals.ts"
import { span } from "../../platform/runtime/span.ts"
import { Timelines } from "./Timelines.ts"

const { OrderNotFound } = orderRefusals
const { MerchantNotFound } = merchantRefusals

export const layer = HttpApiBuilder.group(
  Api,
  "timelines",
  Effect.fnUntraced(function* (handlers) {
    const timelines = yield* Timelines
    return handlers.handleAll({
      get: span("timelines.get")(function* ({ params }) {
        const { scopes } = yield* CurrentRecord
        return yield* reply(yield* timelines.find(yield* Caller, params.ref, { scopes }))
      }, Effect.catchTags({ OrderNotFound }))
    })
  })
)

/** For any merchant, in the environment that the query names. */
export const layerOperator = HttpApiBuilder.group(
  OperatorApi,
  "timelines",
  Effect.fnUntraced(function* (handlers) {
    const timelines = yield* Timelines
    const merchants = yield* Merchants
    return handlers.handleAll({
      get: span("operator.timelines.get")(function* ({ params, query: { mode } }) {
        const { merchant_id: merchantId } = yield* merchants.find(params.merchant_id)
        return yield* reply(yield* timelines.find({ merchantId, mode }, params.ref, { isForOperators: true }))
      }, Effect.catchTags({ MerchantNotFound, OrderNotFound }))
    })
  })
)
