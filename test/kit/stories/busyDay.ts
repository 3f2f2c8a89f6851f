/**
 * A day on which everything happens that can happen to money: orders of every end, refunds, disputes and payouts in
 * every state, two currencies, and a wallet that a dispute forced below zero. Its purpose is the rows that it leaves
 * behind.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { merchantOf, said } from "../Merchant.ts"
import type { Running } from "../Service.ts"

const dead = "http://127.0.0.1:9/hook"

/** Takes a `clock: "test"` service, since some of it takes a day. */
export const busyDay = Effect.fnUntraced(function* (running: Running) {
  const { api, merchant, pass } = running
  const at = merchantOf(running)
  yield* api.operator("POST", `/merchants/${merchant.merchantId}`, { payout_fee: { USD: 25 }, dispute_fee: { HKD: 9 } })

  const payout = (merchantId: string, body: object) =>
    said(api.operator("POST", `/merchants/${merchantId}/payouts`, { mode: "sandbox", currency: "USD", ...body }))
  const step = (no: string, name: string) => said(api.operator("POST", `/payouts/${no}/${name}`))

  // Orders that end without money, and one whose money comes too late.
  const ended = yield* Effect.forEach(["expire", "fail", "late", "leave"], (name) =>
    said(at.post("/v1/orders", { amount: 700, out_trade_no: name, notify_url: dead }))
  )
  yield* said(at.post("/v1/orders/expire/expire"))
  yield* said(at.post("/v1/test_helpers/orders/fail/pay", { outcome: "fail" }))
  yield* said(at.post("/v1/orders/late/expire"))
  yield* said(at.post("/v1/test_helpers/orders/late/pay"))
  assert.strictEqual(ended.length, 4)

  // Refunds: at once, in parts, later, refused later, and taken back after it had succeeded.
  const wallet = yield* at.paid(100_000, { notify_url: dead })
  const parts = yield* at.paid(1_000)
  yield* said(at.refund({ trade_no: parts["trade_no"], amount: 300 }))
  yield* said(at.refund({ trade_no: parts["trade_no"] }))
  const slow = yield* at.paid(5_000, { notify_url: dead }, "alipay")
  const asked = yield* Effect.forEach([100, 200, 300, 400], (amount) =>
    said(at.refund({ trade_no: slow["trade_no"], amount }))
  )
  yield* said(at.settle(asked[0]!["refund_no"], "succeeded"))
  yield* said(at.settle(asked[1]!["refund_no"], "failed"))
  yield* said(at.settle(asked[2]!["refund_no"], "succeeded"))
  yield* said(at.settle(asked[2]!["refund_no"], "failed"))
  yield* at.reachable(false)
  assert.strictEqual((yield* at.refund({ trade_no: wallet["trade_no"], amount: 5 })).status, 502)
  yield* at.reachable(true)

  // Disputes: open, won, withdrawn, lost, and won by appeal after that.
  for (const outcomes of [[], ["won"], ["closed"], ["lost"], ["lost", "won"]]) {
    const order = yield* at.paid(2_000, { currency: "HKD" })
    const opened = yield* said(at.dispute(order["trade_no"]))
    for (const outcome of outcomes) yield* said(at.resolve(opened["dispute_no"], outcome))
  }

  // Payouts in every state.
  for (const steps of [[], ["approve"], ["reject"], ["approve", "fail"], ["approve", "complete"]]) {
    const { payout_no } = yield* payout(merchant.merchantId, { amount: 1_000 })
    for (const name of steps) yield* step(payout_no, name)
  }

  // A wallet forced below zero by a dispute, and lowered further by a fee that was promised before.
  const poor = yield* api.newMerchant()
  yield* api.operator("POST", `/merchants/${poor.merchantId}`, { payout_fee: { USD: 40 } })
  const theirs = merchantOf(running, poor.sandboxKey)
  const only = yield* theirs.paid(1_000)
  const promised = yield* payout(poor.merchantId, { amount: 900 })
  yield* pass("1 second")
  yield* said(theirs.dispute(only["trade_no"]))
  yield* step(promised["payout_no"], "approve")
  yield* pass("1 second")
  yield* step(promised["payout_no"], "complete")
  // It raises what is below zero, and its own fee lowers it again.
  yield* theirs.paid(100)

  yield* pass("25 hours")
  // Opened last, so that it does not settle by itself.
  const { refund_no } = yield* said(at.refund({ trade_no: slow["trade_no"], amount: 50 }))
  yield* said(at.post("/v1/orders", { amount: 700, out_trade_no: "open" }))
  return { rich: merchant.merchantId, poor: poor.merchantId, pendingRefund: refund_no as string }
})
