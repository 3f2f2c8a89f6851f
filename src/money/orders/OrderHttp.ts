/** Handlers of the `orders` group. A handler names the caller, calls the room and shapes the reply. */
import { Api } from "@coffer/contract/Api"
import { Caller } from "@coffer/contract/Caller"
import { OperatorApi } from "@coffer/contract/Operator"
import { type ClosedPayment, OrderResource } from "@coffer/contract/Orders"
import type { Order, UnappliedPayment } from "@coffer/rules/order/Order"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { answerCodes, answeredWith } from "../../shared/idempotency/Answering.ts"
import { CurrentRecord } from "../../shared/http/CurrentRequest.ts"
import { span } from "../../platform/runtime/span.ts"
import { OrderLinks } from "../../shared/signedUrls/OrderLinks.ts"
import { replyCsv } from "../../shared/http/csv.ts"
import { commonRefusals, unavailable } from "../../shared/http/refusals.ts"
import { channelRefusals } from "../../shared/channel/channelRefusals.ts"
import { addHeader, reply, replyList } from "../../shared/http/replies.ts"
import { merchantRefusals } from "../../access/merchants/merchantRefusals.ts"
import { Merchants } from "../../access/merchants/Merchants.ts"
import { ListWaits } from "../../shared/http/ListWaits.ts"
import { waitRefusals } from "../../shared/http/waitRefusals.ts"
import { OrderLists } from "./OrderLists.ts"
import { orderConflict, orderRefusals } from "./orderRefusals.ts"
import { Orders } from "./Orders.ts"
import { orderView } from "./OrderView.ts"

const newOrder = answerCodes(201)

export const layer = HttpApiBuilder.group(
  Api,
  "orders",
  Effect.fnUntraced(function* (handlers) {
    const orders = yield* Orders
    const lists = yield* OrderLists
    const pageOf = yield* (yield* ListWaits).on("orders", lists.page)
    const links = yield* OrderLinks
    const { InvalidField } = commonRefusals
    const { ChannelUnreachable } = channelRefusals
    const { CaptureRefused, OrderNotFound, OrderNumberTaken } = orderRefusals
    const OrderConflict = orderConflict(orders)
    const view = (order: Order) => orderView(order, links.signed)
    const row = (order: Order) => orderView(order, links.cut)

    return handlers.handleAll({
      create: span("orders.create")(
        function* ({ payload }) {
          const made = yield* answeredWith(newOrder, orders.create(yield* Caller, payload))
          const { created, notTaken = [], order } = made
          if (notTaken.length > 0) yield* addHeader("coffer-not-taken", notTaken.join(", "))
          return yield* reply(view(order), created ? newOrder.usual : 200)
        },
        Effect.catchTags({ InvalidField, OrderNumberTaken, ...unavailable })
      ),

      list: span("orders.list")(function* ({ query }) {
        const account = yield* Caller
        if (query.format === "csv")
          return yield* replyCsv("orders", OrderResource, yield* lists.exported(account, query), row)
        const page = yield* pageOf(account, query)
        return yield* replyList("order", "/v1/orders", page, view)
      }, Effect.catchTags(waitRefusals)),

      get: span("orders.get")(function* ({ params }) {
        const order = yield* orders.find(yield* Caller, params.ref)
        return yield* reply(view(order))
      }, Effect.catchTags({ OrderNotFound })),

      update: span("orders.update")(
        function* ({ params, payload }) {
          const order = yield* orders.annotate(yield* Caller, params.ref, payload)
          return yield* reply(view(order))
        },
        Effect.catchTags({ InvalidField, OrderConflict, OrderNotFound, ...unavailable })
      ),

      expire: span("orders.expire")(
        function* ({ params }) {
          const order = yield* orders.closeEarly(yield* Caller, params.ref)
          return yield* reply(view(order))
        },
        Effect.catchTags({ ChannelUnreachable, OrderConflict, OrderNotFound, ...unavailable })
      ),

      capture: span("orders.capture")(
        function* ({ params, payload: { amount } }) {
          const order = yield* orders.capture(yield* Caller, params.ref, amount)
          return yield* reply(view(order))
        },
        Effect.catchTags({
          CaptureRefused,
          ChannelUnreachable,
          InvalidField,
          OrderConflict,
          OrderNotFound,
          ...unavailable
        })
      )
    })
  })
)

/** For any merchant, in the environment that the query names. */
export const layerOperator = HttpApiBuilder.group(
  OperatorApi,
  "orders",
  Effect.fnUntraced(function* (handlers) {
    const lists = yield* OrderLists
    const links = yield* OrderLinks
    const merchants = yield* Merchants
    const orders = yield* Orders
    const { InvalidField } = commonRefusals
    const { MerchantNotFound } = merchantRefusals
    const { OrderConflict, OrderNotFound } = orderRefusals

    return handlers.handleAll({
      list: span("operator.orders.list")(function* ({ params, query: { format: _, mode, ...query } }) {
        const { merchant_id: merchantId } = yield* merchants.find(params.merchant_id)
        const page = yield* lists.page({ merchantId, mode }, query)
        const url = `/operator/v1/merchants/${merchantId}/orders`
        return yield* replyList("order", url, page, (order) => orderView(order, links.cut))
      }, Effect.catchTags({ InvalidField, MerchantNotFound })),

      closePayment: span("operator.orders.closePayment")(
        function* ({ params, payload }) {
          const { payment_id, trade_no } = params
          const order = yield* orders.closeParked(trade_no, payment_id, payload.note)
          ;(yield* CurrentRecord).moves = order.merchantId
          const closed = order.unappliedPayments.find(({ paymentId }) => paymentId === payment_id)!
          return yield* reply(closedView(order, closed))
        },
        Effect.catchTags({ OrderConflict, OrderNotFound, ...unavailable })
      )
    })
  })
)

const closedView = ({ tradeNo }: Order, { amount, currency, note, paymentId }: UnappliedPayment): ClosedPayment => ({
  object: "unapplied_payment",
  trade_no: tradeNo,
  payment_id: paymentId,
  amount,
  currency,
  status: "closed",
  note: note ?? ""
})
