/** The sandbox's bank, for the suite: its buyers are the test helpers, and its books are tables of ours. */
import { Effect } from "effect"
import type { Order } from "@coffer/rules/order/Order"
import { merchantOf, said } from "../../kit/Merchant.ts"
import { start } from "../../kit/Service.ts"
import type { Act, Harness, Own } from "./Harness.ts"

const inside = "its books are tables of ours: no call of it leaves the process, and what it reports is no notice"
const outcomes: Readonly<Record<Act, string>> = {
  pays: "succeed",
  declines: "decline",
  fails: "fail",
  "leaves for the wallet": "redirect",
  "pays later": "succeed_unreported"
}

interface Row {
  readonly amount: number
}

export const bank: Harness = {
  name: "sandbox",
  lacks: {
    page: "its buyers pay by our own forms",
    wire: inside,
    crowd: inside,
    key: inside,
    notices: inside,
    processes: "it has a payment or it has not; one that it reports later is found when it is asked",
    inquiries: "it does not ask before it takes the money",
    clock: "its clock is ours"
  },
  world: Effect.map(start({ clock: "test" }), (running) => ({
    running,
    account: (merchant) =>
      Effect.sync((): Own => {
        const shop = merchantOf({ api: running.api, merchant })
        const { sql } = running
        const helped = (order: Order, body: object) =>
          Effect.asVoid(said(shop.post(`/v1/test_helpers/orders/${order.tradeNo}/pay`, body)))
        const resolve = (order: Order, outcome: string) =>
          Effect.gen(function* () {
            const { data } = yield* said(shop.get("/v1/disputes"))
            const { dispute_no } = data.find((each: { trade_no: string }) => each.trade_no === order.tradeNo)
            yield* said(shop.resolve(dispute_no, outcome))
          })
        const amountsOf = (rows: Effect.Effect<ReadonlyArray<Row>, unknown>) =>
          Effect.map(rows, (all) => all.map(({ amount }) => amount))
        const heldOf = ({ tradeNo }: Order, outcome: string, more: object = {}) =>
          Effect.asVoid(said(shop.post(`/v1/test_helpers/orders/${tradeNo}/capture`, { outcome, ...more })))
        return {
          rest: running.settle,
          acts: (order, act, method) => helped(order, { outcome: outcomes[act], payment_method: method }),
          asked: true,
          away: true,
          sums: (order, amount) => helped(order, { amount }),
          fails: true,
          holds: {
            captures: (order, part) => heldOf(order, "succeed", part === undefined ? {} : { amount: part }),
            ends: (order) => heldOf(order, "release"),
            refuses: (order) => heldOf(order, "refuse")
          },
          books: Effect.fnUntraced(function* ({ tradeNo }) {
            const paid = sql<Row>`select amount::int4 from sandbox_payments
              where trade_no = ${tradeNo} and state = 'succeeded' order by payment_id`
            const held = sql<Row>`select amount::int4 from sandbox_payments
              where trade_no = ${tradeNo} and state = 'authorized'`
            const refunded = sql<Row>`select r.amount::int4 from sandbox_refunds r join sandbox_payments p
              using (payment_id) where p.trade_no = ${tradeNo} and r.state <> 'failed'`
            const disputes = yield* sql`select submitted_at, lost_at from sandbox_disputes where trade_no = ${tradeNo}`
            return {
              open: 0,
              paid: yield* amountsOf(paid),
              held: yield* amountsOf(held),
              refunded: yield* amountsOf(refunded),
              answers: disputes.filter(({ submitted_at }) => submitted_at !== null).length,
              isConceded: disputes.some(({ lost_at }) => lost_at !== null)
            }
          }),
          reachable: (is) => Effect.asVoid(shop.reachable(is)),
          disputes: ({ tradeNo }, part) =>
            Effect.asVoid(said(shop.dispute(tradeNo, part === undefined ? {} : { amount: part }))),
          decides: resolve,
          withdraws: (order) => resolve(order, "closed"),
          pends: Effect.succeed("alipay"),
          settles: (refundNo, outcome) => Effect.asVoid(said(shop.settle(refundNo, outcome))),
          sendsBack: (refundNo) => Effect.asVoid(said(shop.settle(refundNo, "failed")))
        }
      })
  }))
}
