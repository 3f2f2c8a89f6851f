/** The reads of an operator about a merchant: its lists, all of them on one page, and any number. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { flushed } from "../../kit/rows/logs.ts"
import { assertRefused, type Json, merchantOf, said } from "../../kit/Merchant.ts"
import { callAs, entriesOf, newOperator } from "../../kit/callers/operators.ts"
import { receiver } from "../../kit/Receiver.ts"
import { type Running, start } from "../../kit/Service.ts"

interface World extends Running {
  readonly numbers: Json
}

class Service extends Context.Service<Service, World>()("test/lookup") {}

/** A merchant with one of each object, and another with the same numbers of its own. */
const place = Effect.gen(function* () {
  const running = yield* start({ clock: "test" })
  const shop = merchantOf(running)
  const hook = yield* receiver
  hook.answer(500)
  const endpoint = yield* said(shop.post("/v1/webhook_endpoints", { url: hook.url }))
  yield* shop.paid(9_000)
  const order = yield* shop.paid(5_000, { out_trade_no: "cart-1" })
  const { refund_no } = yield* said(shop.refund({ trade_no: order["trade_no"], amount: 300, out_refund_no: "back-1" }))
  const dispute = yield* said(shop.dispute(order["trade_no"]))
  const { link_id } = yield* said(shop.post("/v1/payment_links", { amount: 100 }))
  const payouts = `/merchants/${running.merchant.merchantId}/payouts`
  const { payout_no } = yield* said(
    running.api.operator("POST", payouts, { mode: "sandbox", currency: "USD", amount: 100, reference: "pay-1" })
  )
  yield* running.pass("1 minute")
  yield* flushed(running)
  const other = merchantOf({ ...running, merchant: yield* running.api.newMerchant() })
  const others = yield* said(other.post("/v1/orders", { amount: 100, out_trade_no: "cart-1" }))
  const numbers = {
    endpoint: endpoint["id"],
    order: order["trade_no"],
    payment: (yield* said(shop.get(`/v1/orders/${order["trade_no"]}`)))["payment_id"],
    refund: refund_no,
    dispute: dispute["dispute_no"],
    processor: dispute["processor_dispute_id"],
    link: link_id,
    payout: payout_no,
    others: others["trade_no"],
    request: others["request_id"]
  }
  return { ...running, numbers }
})

layer(Layer.effect(Service, place), { excludeTestServices: true })("an operator", (it) => {
  for (const [list, resource] of [
    ["refunds", "refund"],
    ["disputes", "dispute"],
    ["payment_links", "payment_link"],
    ["balance_transactions", "balance_transaction"],
    ["events", "event"],
    ["webhook_endpoints", "webhook_endpoint"],
    ["logs", "api_log"]
  ] as const) {
    it.effect(`reads a merchant's ${list} as the merchant reads them, in the environment that it names`, () =>
      Effect.gen(function* () {
        const { api, merchant } = yield* Service
        const path = `/merchants/${merchant.merchantId}/${list}`
        const own = yield* said(api.get(`/v1/${list}?limit=100`, merchant.sandboxKey))
        const found = yield* said(api.operator("GET", `${path}?mode=sandbox&limit=100`))
        assert.isAbove(found["data"].length, 0)
        assert.strictEqual(found["resource"], resource)
        const idsOf = (page: Json) =>
          page["data"].map((one: Json) => one["request_id"] ?? one["id"] ?? one[`${resource}_no`] ?? one["link_id"])
        // Reading the logs is a call that is logged in turn.
        if (list !== "logs") assert.deepStrictEqual(idsOf(found), idsOf(own))
        assert.deepStrictEqual((yield* said(api.operator("GET", `${path}?mode=live`)))["data"], [])
        assertRefused(yield* api.operator("GET", path), 400, "invalid_request", "mode")
        assertRefused(yield* api.operator("GET", `${path}?mode=sandbox&format=csv`), 400, "invalid_request", "format")
      })
    )
  }

  it.effect("pages through a merchant's list by the cursors that the merchant has", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const path = `/merchants/${merchant.merchantId}/balance_transactions?mode=sandbox&limit=1`
      const first = yield* said(api.operator("GET", path))
      assert.isTrue(first["has_more"])
      const second = yield* said(api.operator("GET", `${path}&starting_after=${first["data"][0]["id"]}`))
      assert.isTrue(second["data"][0]["id"] < first["data"][0]["id"])
    })
  )

  it.effect("sees no token of a page in a merchant's events", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const path = `/merchants/${merchant.merchantId}/events?mode=sandbox&type=payment.succeeded`
      const { checkout_url, receipt_url } = (yield* said(api.operator("GET", path)))["data"][0]["data"]["object"]
      for (const url of [checkout_url, receipt_url]) assert.match(url, /\[redacted\]$/)
    })
  )

  it.effect("has a merchant on one page, with disputes by their deadline and deliveries that failed", () =>
    Effect.gen(function* () {
      const { api, merchant, numbers } = yield* Service
      const page = yield* said(api.operator("GET", `/merchants/${merchant.merchantId}/overview?mode=sandbox`))
      assert.deepStrictEqual(
        page["balances"].map((one: Json) => one["currency"]),
        ["USD", "HKD", "CNY"]
      )
      assert.deepStrictEqual(
        page["disputes"].map((one: Json) => one["dispute_no"]),
        [numbers["dispute"]]
      )
      assert.deepStrictEqual(
        page["refunds"].map((one: Json) => one["refund_no"]),
        [numbers["refund"]]
      )
      assert.deepStrictEqual(
        page["webhook_endpoints"].map((one: Json) => one["id"]),
        [numbers["endpoint"]]
      )
      for (const list of ["balance_transactions", "events", "api_logs"]) assert.isNotEmpty(page[list], list)
      assertRefused(yield* api.operator("GET", "/merchants/nobody/overview?mode=live"), 404, "merchant_not_found")
    })
  )

  const found = Effect.fnUntraced(function* (number: string, query = "") {
    const { api } = yield* Service
    const { data } = yield* said(api.operator("GET", `/search?number=${encodeURIComponent(number)}${query}`))
    return (data as ReadonlyArray<Json>).map((one) => [one["kind"], one["id"], one["field"]])
  })

  for (const [name, kind, field] of [
    ["order", "order", "trade_no"],
    ["payment", "order", "payment_id"],
    ["refund", "refund", "refund_no"],
    ["dispute", "dispute", "dispute_no"],
    ["processor", "dispute", "processor_dispute_id"],
    ["link", "payment_link", "link_id"],
    ["payout", "payout", "payout_no"],
    ["endpoint", "webhook_endpoint", "id"]
  ] as const) {
    it.effect(`finds the ${kind} by its ${field}`, () =>
      Effect.gen(function* () {
        const { numbers } = yield* Service
        const id = name === "payment" ? numbers["order"] : name === "processor" ? numbers["dispute"] : numbers[name]
        assert.deepStrictEqual(yield* found(numbers[name]), [[kind, id, field]])
      })
    )
  }

  it.effect("finds a merchant's own number at each merchant that has it, or at the one that is named", () =>
    Effect.gen(function* () {
      const { merchant, numbers } = yield* Service
      const all = yield* found("cart-1")
      assert.sameDeepMembers(all, [
        ["order", numbers["order"], "out_trade_no"],
        ["order", numbers["others"], "out_trade_no"]
      ])
      const own = `&merchant_id=${merchant.merchantId}`
      assert.deepStrictEqual(yield* found("cart-1", own), [["order", numbers["order"], "out_trade_no"]])
      assert.deepStrictEqual(yield* found("back-1"), [["refund", numbers["refund"], "out_refund_no"]])
      assert.deepStrictEqual(yield* found("pay-1"), [["payout", numbers["payout"], "reference"]])
    })
  )

  it.effect("finds a merchant, a row of the ledger, an event, a delivery and an API call by their numbers", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const path = `/merchants/${merchant.merchantId}`
      assert.deepStrictEqual(yield* found(merchant.merchantId), [["merchant", merchant.merchantId, "merchant_id"]])
      for (const [list, kind, field] of [
        ["balance_transactions", "balance_transaction", "id"],
        ["events", "event", "id"],
        ["webhook_deliveries", "webhook_delivery", "id"],
        ["logs", "api_log", "request_id"]
      ] as const) {
        const { data } = yield* said(api.operator("GET", `${path}/${list}?mode=sandbox`))
        assert.deepStrictEqual(yield* found(data[0][field]), [[kind, data[0][field], field]])
      }
    })
  )

  it.effect("finds nothing by an unknown number, and says what a number may be", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      for (const number of ["nothing", "pi_nothing", "TRD_nothing", "\u0000", "'"]) {
        assert.deepStrictEqual(yield* found(number), [], number)
      }
      assertRefused(yield* api.operator("GET", "/search"), 400, "invalid_request", "number")
      assertRefused(yield* api.operator("GET", "/search?number="), 400, "invalid_request", "number")
      assertRefused(yield* api.operator("GET", `/search?number=${"x".repeat(256)}`), 400, "invalid_request", "number")
    })
  )
})

describe("the audit log", () => {
  it.live("has once an hour that an operator has read a merchant's data, and nothing of what shows none", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* start()
      const ada = yield* newOperator(api, "Ada", "viewer")
      const own = `/merchants/${merchant.merchantId}`
      for (const path of [`${own}/refunds?mode=live`, `${own}/refunds?mode=sandbox`, `${own}/overview?mode=live`]) {
        yield* said(callAs(api, ada.token, "GET", path))
      }
      yield* said(callAs(api, ada.token, "GET", "/search?number=cart-1"))
      for (const path of [own, "/held_up", "/cluster"]) yield* said(callAs(api, ada.token, "GET", path))
      const entries = yield* entriesOf(api, `&actor_id=${ada.operator_id}`)
      assert.sameDeepMembers(
        entries.map(({ act, phase, target }) => [act, phase, target]),
        [
          ["lookup.refunds", "seen", merchant.merchantId],
          ["lookup.overview", "seen", merchant.merchantId],
          ["lookup.search", "seen", "operator/v1/search"]
        ]
      )
    })
  )
})

describe("what is held up", () => {
  it.effect("has its amount, its currency and its deadline as fields", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const shop = merchantOf(running)
      const { trade_no } = yield* shop.paid(2_000)
      const { amount, dispute_no, evidence_due_by } = yield* said(shop.dispute(trade_no))
      const parked = yield* said(shop.post("/v1/orders", { amount: 700 }))
      yield* said(shop.post(`/v1/test_helpers/orders/${parked["trade_no"]}/pay`, { amount: 699 }))
      const { data } = yield* said(running.api.operator("GET", "/held_up"))
      const fieldsOf = (id: string) => {
        const row = (data as ReadonlyArray<Json>).find((one) => one["id"] === id)!
        return [row["amount"], row["currency"], row["due_by"]]
      }
      assert.deepStrictEqual(fieldsOf(dispute_no), [amount, "USD", evidence_due_by])
      assert.deepStrictEqual(fieldsOf(parked["trade_no"]), [699, "USD", null])
    })
  )
})
