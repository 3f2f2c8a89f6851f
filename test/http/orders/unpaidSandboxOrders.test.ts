/** Orders of sandboxes that ended without a payment, where KEEP_SANDBOX_ORDERS is set. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { assertLedgerWhole } from "../../kit/ledger.ts"
import { merchantOf, said } from "../../kit/Merchant.ts"
import { receiver } from "../../kit/Receiver.ts"
import { type Running, start } from "../../kit/Service.ts"

const tables = [
  "orders",
  "order_tags",
  "events",
  "deliveries",
  "delivery_attempts",
  "sandbox_payments",
  "mails"
] as const

const counts = (running: Running) =>
  Effect.map(
    Effect.forEach(
      tables,
      (table) => running.sql<{ n: number }>`select count(*)::int4 as n from ${running.sql(table)}`
    ),
    (rows) => rows.map(([row]) => row!.n)
  )

const shopOf = Effect.fnUntraced(function* (env: Readonly<Record<string, string>>) {
  const hook = yield* receiver
  const running = yield* start({ clock: "test", env: { ALLOW_PRIVATE_WEBHOOKS: "true", ...env } })
  const shop = merchantOf(running)
  const order = (terms: object) =>
    said(shop.post("/v1/orders", { amount: 1_000, notify_url: hook.url, metadata: { basket: "7" }, ...terms }))
  return { order, running, shop }
})

it.effect("goes with all that belongs to it once it is as old; one that was paid stays, and the books are whole", () =>
  Effect.gen(function* () {
    const { order, running, shop } = yield* shopOf({ KEEP_SANDBOX_ORDERS: "40 days" })
    const paid = yield* shop.paid(1_000, { metadata: { basket: "8" } })
    const before = yield* counts(running)
    const expired = yield* order({ out_trade_no: "left" })
    yield* said(shop.post(`/v1/test_helpers/orders/left/pay`, { payment_method: "card", outcome: "decline" }))
    yield* running.leap("25 hours")
    yield* running.settle
    assert.strictEqual((yield* shop.order("left"))["status"], "expired")
    const pending = yield* order({ out_trade_no: "closed" })
    yield* said(shop.post("/v1/orders/closed/expire"))
    yield* running.settle
    yield* running.leap("39 days")
    yield* running.settle
    assert.strictEqual((yield* shop.order("left"))["status"], "expired")

    yield* running.leap("23 hours")
    yield* running.settle
    yield* running.leap("2 hours")
    yield* running.settle
    assert.strictEqual((yield* shop.get("/v1/orders/left")).status, 404)
    assert.strictEqual((yield* shop.get(`/v1/orders/${expired["trade_no"]}`)).status, 404)
    assert.strictEqual((yield* shop.get("/v1/orders/closed")).status, 404)
    assert.deepStrictEqual(yield* counts(running), before)
    assert.strictEqual((yield* shop.order(paid["trade_no"]))["status"], "paid")
    yield* assertLedgerWhole(running.sql)
    // The position of a dropped row, in a list that is followed.
    const later = yield* order({ out_trade_no: "left" })
    const followed = yield* said(shop.get(`/v1/orders?ending_before=${pending["trade_no"]}`))
    assert.deepStrictEqual(
      followed["data"].map(({ trade_no }: { readonly trade_no: string }) => trade_no),
      [later["trade_no"]]
    )
  }).pipe(Effect.scoped)
)

it.effect("stays where nothing is set", () =>
  Effect.gen(function* () {
    const { order, running, shop } = yield* shopOf({})
    yield* order({ out_trade_no: "left" })
    yield* running.leap("70 days")
    yield* running.settle
    assert.strictEqual((yield* shop.order("left"))["status"], "expired")
  }).pipe(Effect.scoped)
)

it.effect("stays while a delivery of it waits, or was sent again lately", () =>
  Effect.gen(function* () {
    const { order, running, shop } = yield* shopOf({ KEEP_SANDBOX_ORDERS: "40 days" })
    yield* order({ out_trade_no: "left" })
    yield* running.leap("26 hours")
    yield* running.settle
    yield* running.leap("30 days")
    const [sent] = (yield* said(shop.get("/v1/webhook_deliveries")))["data"]
    yield* said(shop.post(`/v1/webhook_deliveries/${sent.id}/resend`))
    yield* running.settle
    yield* running.leap("20 days")
    yield* running.settle
    assert.strictEqual((yield* shop.order("left"))["status"], "expired")
    yield* running.leap("22 days")
    yield* running.settle
    assert.strictEqual((yield* shop.get("/v1/orders/left")).status, 404)
    yield* assertLedgerWhole(running.sql)
  }).pipe(Effect.scoped)
)
