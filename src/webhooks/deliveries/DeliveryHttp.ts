/**
 * Handlers of the `webhook_deliveries` groups, the merchants' and the operator's, and the errors of deliveries as
 * errors on the wire (silences: W15).
 */
import * as Wire from "@coffer/contract/Errors"
import { Api } from "@coffer/contract/Api"
import { Caller } from "@coffer/contract/Caller"
import { OperatorApi } from "@coffer/contract/Operator"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { answerCodes, answeredWith } from "../../shared/idempotency/Answering.ts"
import { commonRefusals, refuseAs, unavailable } from "../../shared/http/refusals.ts"
import { reply, replyList } from "../../shared/http/replies.ts"
import { merchantRefusals } from "../../access/merchants/merchantRefusals.ts"
import { span } from "../../platform/runtime/span.ts"
import { ListWaits } from "../../shared/http/ListWaits.ts"
import { waitRefusals } from "../../shared/http/waitRefusals.ts"
import { Deliveries, type DeliveryConflict as Conflict, type DeliveryNotFound as NotFound } from "./Deliveries.ts"
import { deliveryView } from "./DeliveryView.ts"

const conflictMessage = {
  endpoint_deleted: "The endpoint of this delivery was deleted.",
  endpoint_disabled: "The endpoint of this delivery is disabled. Enable it first.",
  under_way: "An attempt of this delivery is under way, so nothing was sent. Look at its result in a few seconds."
} satisfies Record<Conflict["reason"], string>

const deliveryRefusals = {
  DeliveryNotFound: refuseAs(Wire.DeliveryNotFound, ({ id }: NotFound) => ({ message: `No delivery ${id}.` })),
  DeliveryConflict: refuseAs(Wire.Conflict, ({ reason }: Conflict) => ({ message: conflictMessage[reason] }))
}

const accepted = answerCodes(202)
const { InvalidField } = commonRefusals
const { NotCommitted } = unavailable
const { DeliveryConflict, DeliveryNotFound } = deliveryRefusals
const { MerchantNotFound } = merchantRefusals

export const layer = HttpApiBuilder.group(
  Api,
  "webhook_deliveries",
  Effect.fnUntraced(function* (handlers) {
    const deliveries = yield* Deliveries
    const pageOf = yield* (yield* ListWaits).on("deliveries", deliveries.page)

    return handlers.handleAll({
      list: span("webhook_deliveries.list")(function* ({ query }) {
        const page = yield* pageOf(yield* Caller, query)
        return yield* replyList("webhook_delivery", "/v1/webhook_deliveries", page, deliveryView)
      }, Effect.catchTags(waitRefusals)),

      get: span("webhook_deliveries.get")(function* ({ params }) {
        return yield* reply(deliveryView(yield* deliveries.find(params.delivery_id, yield* Caller)))
      }, Effect.catchTags({ DeliveryNotFound })),

      resend: span("webhook_deliveries.resend")(function* ({ params }) {
        const again = yield* answeredWith(accepted, deliveries.resend(params.delivery_id, yield* Caller))
        return yield* reply(deliveryView(again), accepted.usual)
      }, Effect.catchTags({ DeliveryConflict, DeliveryNotFound, NotCommitted }))
    })
  })
)

export const layerOperator = HttpApiBuilder.group(
  OperatorApi,
  "webhook_deliveries",
  Effect.fnUntraced(function* (handlers) {
    const deliveries = yield* Deliveries

    return handlers.handleAll({
      list: span("operator.webhook_deliveries.list")(function* ({ params, query }) {
        const page = yield* deliveries.pageOf(params.merchant_id, query)
        const url = `/operator/v1/merchants/${params.merchant_id}/webhook_deliveries`
        return yield* replyList("webhook_delivery", url, page, deliveryView)
      }, Effect.catchTags({ InvalidField, MerchantNotFound })),

      get: span("operator.webhook_deliveries.get")(function* ({ params }) {
        return yield* reply(deliveryView(yield* deliveries.find(params.delivery_id)))
      }, Effect.catchTags({ DeliveryNotFound })),

      resend: span("operator.webhook_deliveries.resend")(function* ({ params }) {
        return yield* reply(deliveryView(yield* deliveries.resend(params.delivery_id)), accepted.usual)
      }, Effect.catchTags({ DeliveryConflict, DeliveryNotFound, NotCommitted }))
    })
  })
)
