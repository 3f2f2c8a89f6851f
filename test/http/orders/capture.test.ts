/** Orders whose amount is authorised first and captured later: what a merchant sees (silences: O75). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { assertLedgerWhole } from "../../kit/ledger.ts"
import { assertRefused, feeOf, merchantOf, said } from "../../kit/Merchant.ts"
import { start } from "../../kit/Service.ts"

const opened = Effect.gen(function* () {
  const service = yield* start({ clock: "test" })
  const shop = merchantOf(service)
  const events = (ref: string) => Effect.andThen(service.atRest, shop.events(ref))
  return { service, shop, events }
})

const created = { capture: "manual", capture_by: null, captured_amount: null, capturing_amount: null }

describe("an order with capture: manual", () => {
  it.live("is authorized by its buyer, and paid once it is captured; nothing is in the ledger before", () =>
    Effect.gen(function* () {
      const { events, service, shop } = yield* opened
      const made = yield* said(shop.post("/v1/orders", { amount: 2_000, capture: "manual" }))
      assert.deepInclude(made, { status: "pending", ...created })
      const held = yield* said(shop.post(`/v1/test_helpers/orders/${made["trade_no"]}/authorize`, {}))
      assert.deepInclude(held, { status: "authorized", paid_at: null, fee: null, net_amount: null, payment_id: null })
      assert.strictEqual(Date.parse(held["capture_by"]) - Date.parse(held["created_at"]), 7 * 86_400_000)
      assert.deepStrictEqual(yield* shop.ledger(), [])
      assert.strictEqual((yield* shop.refund({ trade_no: held["trade_no"] })).status, 409)
      const paid = yield* said(shop.capture(held["trade_no"]))
      assert.deepInclude(paid, { status: "paid", captured_amount: 2_000, fee: feeOf(2_000), capturing_amount: null })
      const ledger = yield* shop.ledger()
      assert.deepStrictEqual(
        ledger.map(([type, amount]) => [type, amount]),
        [
          ["payment_credit", 2_000],
          ["fee_debit", -feeOf(2_000)]
        ]
      )
      assert.deepStrictEqual(yield* events(held["trade_no"]), [
        "payment.authorized",
        "payment.succeeded",
        "payment.captured"
      ])
      yield* assertLedgerWhole(service.sql)
    })
  )

  it.live("is captured in part once: fee, refunds, disputes and the receipt count what was captured", () =>
    Effect.gen(function* () {
      const { service, shop } = yield* opened
      yield* shop.paid(100_000)
      const { trade_no } = yield* shop.authorized(2_000)
      assertRefused(yield* shop.capture(trade_no, { amount: 2_001 }), 400, "invalid_request", "amount")
      const paid = yield* said(shop.capture(trade_no, { amount: 1_500 }))
      assert.deepInclude(paid, { amount: 2_000, captured_amount: 1_500, net_amount: 1_500 - feeOf(1_500) })
      assert.deepStrictEqual(yield* said(shop.capture(trade_no, { amount: 1_500 })), yield* shop.order(trade_no))
      const other = yield* shop.capture(trade_no, { amount: 500 })
      assertRefused(other, 409, "conflict")
      assert.strictEqual(other.headers.get("coffer-reason"), "captured")
      assertRefused(yield* shop.refund({ trade_no, amount: 1_501 }), 400, "invalid_request", "amount")
      assertRefused(yield* shop.dispute(trade_no, { amount: 1_501 }), 400, "invalid_request", "amount")
      const receipt = yield* service.api.get(new URL(paid["receipt_url"]).pathname)
      assert.include(receipt.text, "15.00")
      assert.notInclude(receipt.text, "20.00")
      yield* said(shop.refund({ trade_no }))
      assert.deepInclude(yield* shop.order(trade_no), { status: "refunded", refunded_amount: 1_500 })
      yield* assertLedgerWhole(service.sql)
    })
  )

  it.live("is canceled by expire, which releases the hold; nothing is captured after that", () =>
    Effect.gen(function* () {
      const { events, service, shop } = yield* opened
      const { trade_no } = yield* shop.authorized(2_000)
      const canceled = yield* said(shop.expire(trade_no))
      assert.deepInclude(canceled, { status: "canceled", captured_amount: null })
      assert.deepStrictEqual(yield* said(shop.expire(trade_no)), canceled)
      const late = yield* shop.capture(trade_no)
      assertRefused(late, 409, "conflict")
      assert.strictEqual(late.headers.get("coffer-reason"), "not_authorized")
      assert.deepStrictEqual(yield* events(trade_no), ["payment.authorized", "payment.canceled"])
      const states = yield* service.sql`select state from sandbox_payments where trade_no = ${trade_no}`
      assert.deepStrictEqual(states, [{ state: "released" }])
      yield* assertLedgerWhole(service.sql)
    })
  )

  it.live("expires when the sandbox's time comes to the end of its hold", () =>
    Effect.gen(function* () {
      const { events, service, shop } = yield* opened
      const { capture_by, trade_no } = yield* shop.authorized(2_000)
      yield* said(shop.post("/v1/test_helpers/clock/advance", { by: "167h" }))
      assert.strictEqual((yield* shop.order(trade_no))["status"], "authorized", "though its checkout has ended")
      yield* said(shop.post("/v1/test_helpers/clock/advance", { to: capture_by }))
      assert.strictEqual((yield* shop.order(trade_no))["status"], "expired")
      assert.deepStrictEqual(yield* events(trade_no), ["payment.authorized", "payment.authorization_expired"])
      const late = yield* shop.capture(trade_no)
      assert.deepStrictEqual([late.status, late.headers.get("coffer-reason")], [409, "authorization_expired"])
      yield* assertLedgerWhole(service.sql)
    })
  )
})
