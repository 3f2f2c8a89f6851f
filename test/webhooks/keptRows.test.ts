/** Events, deliveries and mails past their retention (docs/operating.md, How long rows stay). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { merchantOf } from "../kit/Merchant.ts"
import { receiver } from "../kit/Receiver.ts"
import { start } from "../kit/Service.ts"

const paidOnce = Effect.fnUntraced(function* (env: Readonly<Record<string, string>>) {
  const hook = yield* receiver
  const running = yield* start({ clock: "test", env: { ALLOW_PRIVATE_WEBHOOKS: "true", ...env } })
  const shop = merchantOf(running)
  yield* shop.paid(1_000, { notify_url: hook.url, receipt_email: "buyer@example.com" })
  yield* running.settle
  const rows = Effect.map(
    running.sql<{ rows: string }>`select (select count(*) from deliveries) || ' ' ||
      (select count(*) from delivery_attempts) || ' ' || (select count(*) from mails) as rows`,
    ([row]) => row!.rows
  )
  return { running, shop, rows }
})

it.effect("a delivery with its attempts, and a mail, go when they have been kept as long as the settings say", () =>
  Effect.gen(function* () {
    const { rows, running, shop } = yield* paidOnce({ KEEP_DELIVERIES: "40 days", KEEP_MAILS: "60 days" })
    assert.strictEqual(yield* rows, "1 1 1")
    yield* running.leap("39 days")
    yield* running.settle
    assert.strictEqual(yield* rows, "1 1 1")
    yield* running.leap("2 days")
    yield* running.settle
    assert.strictEqual(yield* rows, "0 0 1")
    yield* assertLedgerWhole(running.sql)
    yield* running.leap("20 days")
    yield* running.settle
    assert.strictEqual(yield* rows, "0 0 0")
    assert.deepStrictEqual(yield* shop.events(), ["payment.succeeded"])
  }).pipe(Effect.scoped)
)

it.effect("they stay for ever where nothing is set", () =>
  Effect.gen(function* () {
    const { rows, running } = yield* paidOnce({})
    yield* running.leap("70 days")
    yield* running.settle
    assert.strictEqual(yield* rows, "1 1 1")
  }).pipe(Effect.scoped)
)

const shownEvents = Effect.fnUntraced(function* (shop: ReturnType<typeof merchantOf>, query = "") {
  const reply = yield* shop.get(`/v1/events?limit=100${query}`)
  assert.strictEqual(reply.status, 200, reply.text)
  return (reply.body.data.data as ReadonlyArray<{ readonly id: string }>).map(({ id }) => id)
})

it.effect("an event goes when it has been kept as long, and after its deliveries; no law and no anchor misses it", () =>
  Effect.gen(function* () {
    const { running, shop } = yield* paidOnce({ KEEP_DELIVERIES: "40 days", KEEP_EVENTS: "60 days" })
    const [old] = yield* shownEvents(shop)
    const order = yield* Effect.map(shop.get("/v1/orders"), ({ body }) => body.data.data[0].trade_no as string)
    yield* running.leap("59 days")
    yield* running.settle
    assert.deepStrictEqual(yield* shownEvents(shop), [old!])
    yield* running.leap("2 days")
    yield* running.settle
    assert.deepStrictEqual(yield* shownEvents(shop), [])
    assert.strictEqual((yield* shop.get(`/v1/events/${old}`)).status, 404)
    yield* assertLedgerWhole(running.sql)
    // The order continues as before, and a later event of it is counted.
    assert.strictEqual((yield* shop.refund({ trade_no: order, amount: 400 })).status, 201)
    yield* running.settle
    assert.strictEqual((yield* shownEvents(shop)).length, 1)
    yield* assertLedgerWhole(running.sql)
  }).pipe(Effect.scoped)
)

it.effect("a reader that follows a quiet list continues after an event and a delivery that were deleted", () =>
  Effect.gen(function* () {
    const { running, shop } = yield* paidOnce({ KEEP_DELIVERIES: "40 days", KEEP_EVENTS: "40 days" })
    const [old] = yield* shownEvents(shop)
    const deliveries = shop.get("/v1/webhook_deliveries")
    const sent = (yield* deliveries).body.data.data[0].id as string
    yield* running.leap("42 days")
    yield* running.settle
    assert.deepStrictEqual((yield* deliveries).body.data.data, [])
    const [order] = yield* Effect.map(shop.get("/v1/orders"), ({ body }) => body.data.data)
    yield* shop.refund({ trade_no: order.trade_no, amount: 400 })
    yield* running.settle
    const all = yield* shownEvents(shop)
    assert.lengthOf(all, 1)
    assert.deepStrictEqual(yield* shownEvents(shop, `&ending_before=${old}`), all)
    assert.deepStrictEqual(yield* shownEvents(shop, `&starting_after=${old}`), [])
    assert.strictEqual((yield* shop.get(`/v1/webhook_deliveries?ending_before=${sent}`)).body.data.data.length, 1)
    // Any number of that time is only a position; one of today has to be a row.
    for (const id of ["evt_nonsense", `${all[0]!.slice(0, -1)}${all[0]!.endsWith("0") ? "1" : "0"}`, sent]) {
      const { body, status } = yield* shop.get(`/v1/events?ending_before=${id}`)
      assert.deepStrictEqual([status, body.param], [400, "ending_before"], id)
    }
  }).pipe(Effect.scoped)
)

it.effect("a delivery that goes within the hour is sent again no more, so that none is left without its event", () =>
  Effect.gen(function* () {
    const { rows, running, shop } = yield* paidOnce({ KEEP_DELIVERIES: "40 days", KEEP_EVENTS: "40 days" })
    const sent = (yield* shop.get("/v1/webhook_deliveries")).body.data.data[0].id as string
    yield* running.leap("40 days")
    yield* running.settle
    assert.strictEqual(yield* rows, "1 1 1")
    const { body, status } = yield* shop.post(`/v1/webhook_deliveries/${sent}/resend`)
    assert.deepStrictEqual([status, body.error], [404, "delivery_not_found"])
  }).pipe(Effect.scoped)
)
