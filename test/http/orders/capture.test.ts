/** Orders whose amount is authorised first and captured later: what a merchant sees (silences: O75). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { assertLedgerWhole } from "../../kit/ledger.ts"
import { assertRefused, feeOf, merchantOf, said } from "../../kit/Merchant.ts"
import { type Running, start } from "../../kit/Service.ts"

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

  it.live("is closed by expire although the bank holds another amount for it, which is released", () =>
    Effect.gen(function* () {
      const { events, service, shop } = yield* opened
      const { trade_no } = yield* said(shop.post("/v1/orders", { amount: 2_000, capture: "manual" }))
      yield* said(shop.post(`/v1/test_helpers/orders/${trade_no}/pay`, { amount: 300, outcome: "succeed_unreported" }))
      assert.strictEqual((yield* said(shop.expire(trade_no)))["status"], "expired")
      assert.deepStrictEqual(yield* events(trade_no), ["payment.expired"])
      const states = yield* service.sql`select state from sandbox_payments where trade_no = ${trade_no}`
      assert.deepStrictEqual(states, [{ state: "released" }])
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

/** The methods that a merchant offers in its sandbox. */
const offer = (service: Running, payment_methods: ReadonlyArray<string> | null, mode = "sandbox") =>
  service.api.operator("POST", `/merchants/${service.merchant.merchantId}`, { [mode]: { payment_methods } })

describe("capture: manual", () => {
  it.live("is refused by its name where no offered method, or no channel, can hold an amount", () =>
    Effect.gen(function* () {
      const { service, shop } = yield* opened
      yield* said(offer(service, ["alipay", "wechat_pay"]))
      for (const path of ["/v1/orders", "/v1/payment_links"]) {
        const refused = yield* shop.post(path, { amount: 100, capture: "manual" })
        assertRefused(refused, 400, "invalid_request", "capture")
        assert.match(refused.body.message, /no payment method that you offer here can hold an amount/)
        yield* said(shop.post(path, { amount: 100, capture: "automatic" }))
      }
      const approved = { approved: true, live_currencies: ["USD"] }
      yield* said(service.api.operator("POST", `/merchants/${service.merchant.merchantId}`, approved))
      const terms = { amount: 100, capture: "manual", notify_url: "https://shop.example/" }
      assertRefused(
        yield* service.api.post("/v1/orders", service.merchant.liveKey, terms),
        400,
        "invalid_request",
        "capture"
      )
    })
  )

  it.live("offers only methods that can hold an amount, and tells the buyer that nothing is charged yet", () =>
    Effect.gen(function* () {
      const { service, shop } = yield* opened
      const made = yield* said(shop.post("/v1/orders", { amount: 2_000, capture: "manual", locale: "en" }))
      const page = new URL(made["checkout_url"]).pathname
      const pay = yield* service.api.get(page)
      assert.include(pay.text, 'value="card"')
      assert.notInclude(pay.text, 'value="alipay"')
      const byWallet = yield* shop.post(`/v1/test_helpers/orders/${made["trade_no"]}/pay`, { payment_method: "alipay" })
      assertRefused(byWallet, 400, "invalid_request", "payment_method")
      yield* said(shop.post(`/v1/test_helpers/orders/${made["trade_no"]}/pay`))
      const held = yield* service.api.get(page)
      assert.match(held.text, /Amount on hold/)
      assert.match(held.text, /Your bank holds .*20\.00.* You have not been charged yet/)
      yield* said(shop.capture(made["trade_no"], { amount: 1_500 }))
      assert.match((yield* service.api.get(page)).text, /You paid .*15\.00/)
    })
  )

  it.live("of a payment link is that of the orders of its visits", () =>
    Effect.gen(function* () {
      const { service, shop } = yield* opened
      const link = yield* said(shop.post("/v1/payment_links", { amount: 500, capture: "manual" }))
      assert.strictEqual(link["capture"], "manual")
      assert.notProperty(yield* said(shop.post("/v1/payment_links", { amount: 500 })), "capture")
      yield* service.api.call("POST", new URL(link["url"]).pathname, {
        raw: `visit_no=${"0".repeat(26)}`,
        headers: { "Content-Type": "application/x-www-form-urlencoded" }
      })
      const [made] = (yield* said(shop.get("/v1/orders")))["data"]
      assert.deepInclude(made, { ...created, amount: 500 })
    })
  )

  it.live("is what the helper authorize needs: it says so of an order that is charged at once", () =>
    Effect.gen(function* () {
      const { shop } = yield* opened
      const { trade_no } = yield* said(shop.post("/v1/orders", { amount: 500 }))
      const refused = yield* shop.post(`/v1/test_helpers/orders/${trade_no}/authorize`, {})
      assertRefused(refused, 409, "conflict")
      assert.match(refused.body.message, /not created with capture: "manual"/)
      assert.strictEqual(refused.headers.get("coffer-reason"), "not_authorized")
    })
  )

  it.live("is a term of the order: a repeat of its number with another is 409", () =>
    Effect.gen(function* () {
      const { shop } = yield* opened
      const terms = { amount: 500, out_trade_no: "a" }
      yield* said(shop.post("/v1/orders", { ...terms, capture: "manual" }))
      assert.strictEqual((yield* shop.post("/v1/orders", { ...terms, capture: "manual" })).status, 200)
      assertRefused(yield* shop.post("/v1/orders", terms), 409, "conflict", "capture")
    })
  )

  it.live("makes orders that a list finds by each status, and no other by theirs", () =>
    Effect.gen(function* () {
      const { service, shop } = yield* opened
      const numbers: Record<string, string> = {}
      for (const status of ["canceled", "authorized", "expired"]) {
        numbers[status] = (yield* shop.authorized(500))["trade_no"]
      }
      yield* said(shop.expire(numbers["canceled"]!))
      yield* said(shop.bankCaptures(numbers["expired"]!, { outcome: "release" }))
      numbers["pending"] = (yield* said(shop.post("/v1/orders", { amount: 500 })))["trade_no"]
      const plain = (yield* said(shop.post("/v1/orders", { amount: 500 })))["trade_no"]
      yield* said(shop.expire(plain))
      yield* service.atRest
      for (const [status, wanted] of [
        ["canceled", [numbers["canceled"]]],
        ["authorized", [numbers["authorized"]]],
        ["pending", [numbers["pending"]]],
        ["expired", [plain, numbers["expired"]]]
      ] as const) {
        const { data } = yield* said(shop.get(`/v1/orders?status=${status}`))
        assert.deepStrictEqual(
          data.map((order: { readonly trade_no: string }) => order.trade_no),
          wanted,
          status
        )
      }
    })
  )

  it.live("leaves every other order as it was: no word of it in answers and events, and nothing in its rows", () =>
    Effect.gen(function* () {
      const { service, shop } = yield* opened
      const { trade_no } = yield* shop.paid(1_000)
      const expired = yield* said(shop.post("/v1/orders", { amount: 100 }))
      yield* said(shop.expire(expired["trade_no"]))
      yield* service.atRest
      assert.notMatch(JSON.stringify(yield* said(shop.get("/v1/orders"))), /capture|authorized/)
      assert.notMatch(JSON.stringify(yield* said(shop.get("/v1/events"))), /capture|authorized|canceled/)
      const rows = yield* service.sql`select 1 from orders
        where num_nonnulls(hold, hold_due_at, hold_attempts, hold_error) > 0`
      assert.strictEqual(rows.length, 0, trade_no)
    })
  )
})
