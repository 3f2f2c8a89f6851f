/** Front door to an order's timeline: collects the rows, and the requests that made them. It writes nothing. */
import type { TimelineResource } from "@coffer/contract/Timeline"
import type { Account } from "@coffer/model/Account"
import type { Order } from "@coffer/rules/order/Order"
import { Context, Effect, Layer, Predicate } from "effect"
import { Channel } from "../../shared/channel/Channel.ts"
import { type LogRow, Logs } from "../../shared/logs/Logs.ts"
import type { Moment } from "../../shared/logs/callsAtWork.ts"
import type { OrderNotFound } from "../../money/orders/OrderCommands.ts"
import { Orders } from "../../money/orders/Orders.ts"
import { span } from "../../platform/runtime/span.ts"
import type { OwnedPayment } from "../../shared/channel/fees.ts"
import type { RequestRow, StoryRows } from "./storyRows.ts"
import { TimelineStore } from "./TimelineStore.ts"
import { timelineView } from "./TimelineView.ts"

export class Timelines extends Context.Service<
  Timelines,
  {
    /**
     * `isForOperators`: the channel's fees and the notes of operators are in it, which no merchant sees. `scopes`: the
     * reader's, if not all.
     */
    readonly find: (
      account: Account,
      ref: string,
      options?: { readonly isForOperators?: boolean; readonly scopes?: ReadonlyArray<string> | undefined }
    ) => Effect.Effect<TimelineResource, OrderNotFound>
  }
>()("@coffer/timeline/Timelines") {}

/** The request that created an object is found by its answer. It is looked for this many refunds at most. */
const tracedMax = 20
interface Made extends Moment {
  readonly field: string
  readonly no: string
}

export const layer = Layer.effect(
  Timelines,
  Effect.gen(function* () {
    const orders = yield* Orders
    const logs = yield* Logs
    const store = yield* TimelineStore
    const channel = yield* Channel

    return Timelines.of({
      find: span("Timelines.find")(function* (account, ref, { isForOperators = false, scopes } = {}) {
        const order = yield* orders.find(account, ref)
        const rows = yield* store.rowsOf(account, order.tradeNo)
        const made: ReadonlyArray<Made> = [
          { path: "/v1/orders", field: "trade_no", no: order.tradeNo, at: order.createdAt },
          ...rows.refunds.slice(0, tracedMax).map(({ created_at, refund_no }) => ({
            path: "/v1/refunds",
            field: "refund_no",
            no: refund_no,
            at: created_at
          }))
        ]
        const calls = yield* logs.atWork(account, made)
        const creations = made.flatMap(
          ({ field, no, path }) => calls.find((call) => call.path === path && answerHas(call, field, no)) ?? []
        )
        const writes = yield* store.writesTo(account, pathsOf(order, rows), order.createdAt)
        const requests = new Map<string, RequestRow>()
        for (const call of [...creations, ...writes]) requests.set(call.request_id, call)
        const feeOf = yield* channel.feesOf(isForOperators ? paymentsOf(order) : [])
        return timelineView(order, rows, [...requests.values()], { feeOf, isForOperators, scopes })
      })
    })
  })
)

const paymentsOf = (order: Order): ReadonlyArray<OwnedPayment> => {
  const own = "paymentId" in order ? [order.paymentId] : []
  return [...own, ...order.unappliedPayments.map(({ paymentId }) => paymentId)].map((paymentId) => ({
    merchantId: order.merchantId,
    mode: order.mode,
    paymentId
  }))
}

const answerHas = ({ response_body }: LogRow, field: string, no: string): boolean =>
  Predicate.hasProperty(response_body, "data") &&
  Predicate.hasProperty(response_body.data, field) &&
  response_body.data[field] === no

/** The paths of all writes to the order, its refunds and its disputes, by either of their numbers. */
const pathsOf = ({ outTradeNo, tradeNo }: Order, { disputes, refunds }: StoryRows): ReadonlyArray<string> => {
  const under = (folder: string, numbers: ReadonlyArray<string>, steps: ReadonlyArray<string>) =>
    numbers.flatMap((no) => steps.map((step) => `/v1/${folder}/${encodeURIComponent(no)}${step}`))
  const orderNumbers = [tradeNo, outTradeNo]
  const refundNumbers = refunds.flatMap(({ out_refund_no, refund_no }) => [refund_no, out_refund_no])
  const disputeNumbers = disputes.flatMap(({ dispute_no, processor_dispute_id }) => [dispute_no, processor_dispute_id])
  return [
    ...under("orders", orderNumbers, ["", "/expire", "/send_receipt"]),
    ...under("refunds", refundNumbers, [""]),
    ...under("disputes", disputeNumbers, ["/evidence", "/accept"]),
    ...under("test_helpers/orders", orderNumbers, ["/pay", "/dispute"]),
    ...under("test_helpers/refunds", refundNumbers, ["/settle"]),
    ...under("test_helpers/disputes", disputeNumbers, ["/resolve"])
  ]
}
