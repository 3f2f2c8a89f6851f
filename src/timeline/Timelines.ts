/** Front door to an order's whole story: gathers the rows, and the requests that made them. It writes nothing. */
import type { TimelineResource } from "@coffer/contract/Timeline"
import type { Owner } from "@coffer/model/Owner"
import type { Order } from "@coffer/rules/order/Order"
import { Context, DateTime, Effect, Layer, Predicate } from "effect"
import { type LogRow, Logs } from "../logs/Logs.ts"
import type { OrderNotFound } from "../orders/OrderCommands.ts"
import { Orders } from "../orders/Orders.ts"
import { isoText } from "../platform/runtime/codecs.ts"
import { span } from "../platform/runtime/span.ts"
import type { OwnedPayment } from "./channelFees.ts"
import type { RequestRow, StoryRows } from "./storyRows.ts"
import { TimelineStore } from "./TimelineStore.ts"
import { timelineView } from "./TimelineView.ts"

export class Timelines extends Context.Service<
  Timelines,
  {
    /** `withFees`: what the channel keeps of payments is in it, which is no merchant's to see. */
    readonly find: (
      owner: Owner,
      ref: string,
      options?: { readonly withFees: boolean }
    ) => Effect.Effect<TimelineResource, OrderNotFound>
  }
>()("@coffer/timeline/Timelines") {}

/** The request that created an object is found by its answer. It is looked for this many refunds at most. */
const tracedMax = 20
/** A request arrives at most this long before the object that it creates. */
const beforeSeconds = 60
/** Pages of calls to the path that are read, newest first, back from the creation of the object. */
const pagesMax = 5
const pageSize = 100

/** The day of the cursor has been dropped meanwhile. */
const noPage = { data: [], hasMore: false }

interface Made {
  readonly path: string
  readonly field: string
  readonly no: string
  readonly at: DateTime.Utc
}

export const layer = Layer.effect(
  Timelines,
  Effect.gen(function* () {
    const orders = yield* Orders
    const logs = yield* Logs
    const store = yield* TimelineStore

    /** The call whose answer has this number. */
    const creationOf = Effect.fnUntraced(function* (owner: Owner, { at, field, no, path }: Made) {
      const created = {
        "created[gte]": isoText(DateTime.subtract(at, { seconds: beforeSeconds })),
        "created[lte]": isoText(at)
      }
      let after = {}
      for (let pages = 0; pages < pagesMax; pages++) {
        const { data, hasMore } = yield* logs
          .page(owner, { path, limit: pageSize, ...created, ...after })
          .pipe(Effect.catchTags({ InvalidField: () => Effect.succeed(noPage) }))
        const found = data.find((call) => call.method === "POST" && answerHas(call, field, no))
        if (found !== undefined) return [found]
        if (!hasMore) break
        after = { starting_after: data.at(-1)!.request_id }
      }
      return []
    })

    return Timelines.of({
      find: span("Timelines.find")(function* (owner, ref, { withFees } = { withFees: false }) {
        const order = yield* orders.find(owner, ref)
        const rows = yield* store.rowsOf(owner, order.tradeNo)
        const made: ReadonlyArray<Made> = [
          { path: "/v1/orders", field: "trade_no", no: order.tradeNo, at: order.createdAt },
          ...rows.refunds.slice(0, tracedMax).map(({ created_at, refund_no }) => ({
            path: "/v1/refunds",
            field: "refund_no",
            no: refund_no,
            at: created_at
          }))
        ]
        const creations = yield* Effect.forEach(made, (one) => creationOf(owner, one))
        const writes = yield* store.writesTo(owner, pathsOf(order, rows), order.createdAt)
        const requests = new Map<string, RequestRow>()
        for (const call of [...creations.flat(), ...writes]) requests.set(call.request_id, call)
        const feeOf = yield* store.channelFees(withFees ? paymentsOf(order) : [])
        return timelineView(order, rows, [...requests.values()], feeOf)
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
