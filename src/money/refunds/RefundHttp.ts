/** Handlers of the `refunds` group (spec: Endpoints, Refunds). */
import { Api } from "@coffer/contract/Api"
import { Caller } from "@coffer/contract/Caller"
import { RefundResource } from "@coffer/contract/Refunds"
import type { RefundRefused } from "@coffer/rules/order/Order"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { answerCodes, answeredWith, codeOf } from "../../shared/idempotency/Answering.ts"
import { span } from "../../platform/runtime/span.ts"
import { replyCsv } from "../../shared/http/csv.ts"
import { commonRefusals, unavailable } from "../../shared/http/refusals.ts"
import { channelRefusals } from "../../shared/channel/channelRefusals.ts"
import { orderRefusals, withState } from "../orders/orderRefusals.ts"
import { Orders } from "../orders/Orders.ts"
import { walletRefusals } from "../wallets/walletRefusals.ts"
import { reply, replyList } from "../../shared/http/replies.ts"
import { ListWaits } from "../../shared/http/ListWaits.ts"
import { waitRefusals } from "../../shared/http/waitRefusals.ts"
import { refundRefusals } from "./refundRefusals.ts"
import { Refunds } from "./Refunds.ts"
import { refundView } from "./RefundView.ts"

/** 202 when the channel settles it later: the merchant asks again, or waits for the event. */
const newRefund = answerCodes(201, { pending: 202 })

export const layer = HttpApiBuilder.group(
  Api,
  "refunds",
  Effect.fnUntraced(function* (handlers) {
    const refunds = yield* Refunds
    const pageOf = yield* (yield* ListWaits).on("refunds", refunds.page)
    const orders = yield* Orders
    const { InvalidField } = commonRefusals
    const { OrderNotFound } = orderRefusals
    const { RefundConflict, RefundNotFound } = refundRefusals

    return handlers.handleAll({
      create: span("refunds.create")(
        function* ({ payload }) {
          const { created, refund } = yield* answeredWith(newRefund, refunds.create(yield* Caller, payload))
          const view = refundView(refund)
          return yield* reply(view, created ? codeOf(newRefund, view) : 200)
        },
        Effect.catchTags({
          InvalidField,
          OrderNotFound,
          ...channelRefusals,
          ...walletRefusals,
          ChannelRefused: refundRefusals.ChannelRefused,
          RefundNumberTaken: refundRefusals.RefundNumberTaken,
          RefundRefused: (refused: RefundRefused) =>
            withState(orders, refused, (state) => refundRefusals.RefundRefused(refused, state)),
          RefundRunning: refundRefusals.RefundRunning,
          ...unavailable
        })
      ),

      list: span("refunds.list")(function* ({ query }) {
        const account = yield* Caller
        if (query.format === "csv")
          return yield* replyCsv("refunds", RefundResource, yield* refunds.exported(account, query), refundView)
        const page = yield* pageOf(account, query)
        return yield* replyList("refund", "/v1/refunds", page, refundView)
      }, Effect.catchTags(waitRefusals)),

      get: span("refunds.get")(function* ({ params }) {
        return yield* reply(refundView(yield* refunds.find(yield* Caller, params.ref)))
      }, Effect.catchTags({ RefundNotFound })),

      update: span("refunds.update")(
        function* ({ params, payload }) {
          return yield* reply(refundView(yield* refunds.annotate(yield* Caller, params.ref, payload)))
        },
        Effect.catchTags({ InvalidField, RefundConflict, RefundNotFound, ...unavailable })
      )
    })
  })
)
