/** A merchant whom an operator has closed (docs/decisions/0115): each caller before, during and after. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { keysOf } from "../../kit/callers/apiKeys.ts"
import { assertLedgerWhole } from "../../kit/ledger.ts"
import { merchantOf, said } from "../../kit/Merchant.ts"
import { asRunner, freshDatabase, start } from "../../kit/Service.ts"

it.effect("takes nothing new, gives back what it owes for 90 days, and is then refused", () =>
  Effect.gen(function* () {
    const running = yield* start({ clock: "test" })
    const { api, merchant } = running
    const shop = merchantOf(running)
    const scoped = merchantOf(running, yield* keysOf(running).of(["orders:write", "refunds:write"]))
    const { trade_no } = yield* shop.paid(5_000, { out_trade_no: "paid" })
    yield* shop.paid(7_000, { out_trade_no: "disputed" })
    const { dispute_no } = yield* said(shop.dispute("disputed"))
    const open = yield* said(shop.post("/v1/orders", { amount: 3_000, out_trade_no: "open" }))
    const link = yield* said(shop.post("/v1/payment_links", { amount: 500 }))
    const path = `/merchants/${merchant.merchantId}`
    const { closed_at } = yield* said(api.operator("POST", `${path}/close`))
    assert.isString(closed_at)

    const isClosed = (call: Effect.Effect<{ readonly status: number; readonly text: string }>) =>
      Effect.map(call, ({ status, text }) => {
        assert.strictEqual(status, 403, text)
        assert.include(text, "is closed")
      })
    yield* isClosed(shop.post("/v1/orders", { amount: 1_000 }))
    yield* isClosed(scoped.post("/v1/orders", { amount: 1_000 }))
    yield* isClosed(shop.post("/v1/payment_links", { amount: 1_000 }))
    yield* isClosed(shop.post("/v1/webhook_endpoints", { url: "https://shop.example/hook" }))
    const orders = yield* said(shop.get("/v1/orders"))
    const visited = yield* api.call("GET", new URL(link["url"]).pathname)
    assert.strictEqual(visited.status, 200, "no order, so nowhere to be sent to")
    assert.deepStrictEqual((yield* said(shop.get("/v1/orders")))["data"].length, orders["data"].length)

    // A buyer at the checkout pays, and the merchant refunds.
    const page = yield* api.call("GET", new URL(open["checkout_url"]).pathname)
    assert.strictEqual(page.status, 200)
    yield* said(scoped.refund({ trade_no, amount: 100 }))
    yield* said(shop.respond(dispute_no, { evidence: { customer_name: "Jane" } }))
    yield* running.pass("1 hour")
    assert.strictEqual((yield* shop.order("paid"))["refunded_amount"], 100)

    yield* running.leap("89 days")
    yield* said(shop.get("/v1/balance?currency=USD"))
    yield* running.leap("1 day")
    const late = yield* shop.get("/v1/balance?currency=USD")
    assert.strictEqual(late.status, 403)
    assert.include(late.text, "closed more than 90 days ago")
    assert.strictEqual((yield* api.operator("GET", `${path}/orders?mode=sandbox`)).status, 200)
    yield* assertLedgerWhole(running.sql)
  }).pipe(Effect.scoped)
)

it.live("is closed once, however often it is requested, and on all runners", () =>
  Effect.gen(function* () {
    const database = yield* freshDatabase
    const { api, merchant } = yield* start({ database, env: yield* asRunner })
    const other = yield* start({ database, env: yield* asRunner })
    const close = (at: typeof api) => said(at.operator("POST", `/merchants/${merchant.merchantId}/close`))
    const both = yield* Effect.all([close(api), close(other.api)], { concurrency: 2 })
    assert.strictEqual(both[0]!["closed_at"], both[1]!["closed_at"])
    assert.strictEqual((yield* close(api))["closed_at"], both[0]!["closed_at"])
    const create = other.api.post("/v1/orders", merchant.sandboxKey, { amount: 1_000 })
    yield* Effect.repeat(create, { until: ({ status }) => status === 403 })
    const listed = yield* said(api.operator("GET", "/merchants?status=closed"))
    assert.deepStrictEqual(
      listed["data"].map((each: { readonly merchant_id: string }) => each.merchant_id),
      [merchant.merchantId]
    )
    // Resuming concerns a suspension only.
    yield* said(api.operator("POST", `/merchants/${merchant.merchantId}/resume`))
    assert.strictEqual((yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 1_000 })).status, 403)
  })
)
