/** A new merchant's sandbox: wallets from which a first full refund can be paid (silences: R2). */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { assertLedgerWhole } from "../../kit/ledger.ts"
import { ownersConnection, type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/seeds") {}

const currencies = ["USD", "HKD", "CNY"]
const seed = 100_000_000
const credited = seed - (seed * 290) / 10_000 - 30

/** As the operator creates a merchant, without `seed` unless given. */
const created = Effect.fnUntraced(function* ({ api }: Running, body: object = {}) {
  const reply = yield* api.operator("POST", "/merchants", { name: "N", ...body })
  assert.strictEqual(reply.status, 201, reply.text)
  const { live_key: liveKey, merchant_id: merchantId, sandbox_key: key } = reply.body.data
  const data = (path: string, as = key) => Effect.map(api.get(path, as), ({ body }) => body.data)
  return {
    merchantId,
    key,
    liveKey,
    orders: Effect.map(data("/v1/orders"), (page) => page.data),
    available: (as = key) =>
      Effect.forEach(currencies, (currency) =>
        Effect.map(data(`/v1/balance?currency=${currency}`, as), ({ available_balance }) => available_balance)
      )
  }
})

const half = `create function half() returns trigger language plpgsql as $$ begin
  if new.currency = 'HKD' then raise 'no'; end if; return new; end $$`
const failing = `create trigger half before insert on orders for each row execute function half()`

/** Its workers poll for rows of which no runner was notified. */
const looking = start({ clock: "test", env: { WORKER_POLL: "1 hour" } })

layer(Layer.effect(Service, looking), { excludeTestServices: true })("a new sandbox", (it) => {
  it.effect("a first full refund succeeds for every merchant, in each currency", () =>
    Effect.gen(function* () {
      const running = yield* Service
      const { api } = running
      const { key } = yield* created(running)
      for (const currency of currencies) {
        for (const amount of [1, 1999, 1_000_000_000]) {
          const { body } = yield* api.post("/v1/orders", key, { amount, currency })
          yield* api.post(`/v1/test_helpers/orders/${body.data.trade_no}/pay`, key, {})
          const refund = yield* api.post("/v1/refunds", key, { trade_no: body.data.trade_no })
          assert.deepStrictEqual([refund.status, refund.body.data?.status], [201, "succeeded"], refund.text)
        }
      }
    })
  )

  it.effect("has one paid order in each currency, which says what it is for; live has none", () =>
    Effect.gen(function* () {
      const running = yield* Service
      const merchant = yield* created(running, { seed: null })
      const orders = yield* merchant.orders
      assert.sameMembers(
        orders.map((order: Record<string, unknown>) => `${order.status} ${order.amount} ${order.subject}`),
        currencies.map((currency) => `paid ${seed} Sample order: the first ${currency} in your sandbox wallet`)
      )
      assert.deepStrictEqual(yield* merchant.available(), [credited, credited, credited])
      yield* running.api.operator("POST", `/merchants/${merchant.merchantId}`, { approved: true })
      assert.deepStrictEqual(yield* merchant.available(merchant.liveKey), [0, 0, 0])
      yield* assertLedgerWhole(running.sql)
    })
  )

  it.effect("is empty where the operator says so", () =>
    Effect.gen(function* () {
      const running = yield* Service
      const merchant = yield* created(running, { seed: false })
      yield* running.pass("5 minutes")
      assert.deepStrictEqual(yield* merchant.orders, [])
      assert.deepStrictEqual(yield* merchant.available(), [0, 0, 0])
    })
  )

  it.effect("a create that is sent again makes another merchant, and each has a sandbox of its own", () =>
    Effect.gen(function* () {
      const running = yield* Service
      const [first, again] = [yield* created(running), yield* created(running)]
      assert.notStrictEqual(first.merchantId, again.merchantId)
      for (const { available } of [first, again]) {
        assert.deepStrictEqual(yield* available(), [credited, credited, credited])
      }
    })
  )

  it.effect("when seeding fails half-way the keys are shown all the same, and a worker does the rest", () =>
    Effect.gen(function* () {
      const running = yield* Service
      const { database, pass } = running
      const sql = yield* ownersConnection(database)
      yield* sql.unsafe(half)
      yield* sql.unsafe(failing)
      const merchant = yield* created(running)
      assert.deepStrictEqual(yield* merchant.available(), [credited, 0, credited])
      yield* pass("3 minutes")
      assert.deepStrictEqual(yield* merchant.available(), [credited, 0, credited])
      yield* sql.unsafe("drop trigger half on orders")
      yield* pass("2 minutes")
      assert.deepStrictEqual(yield* merchant.available(), [credited, credited, credited])
      assert.strictEqual((yield* merchant.orders).length, 3)
    })
  )

  it.effect("seeded again, it is as it was, also where the merchant has taken the number of a sample", () =>
    Effect.gen(function* () {
      const running = yield* Service
      const { api, pass, sql } = running
      const taken = yield* created(running, { seed: false })
      const own = { amount: 5, currency: "HKD", out_trade_no: "coffer-sample-hkd" }
      assert.strictEqual((yield* api.post("/v1/orders", taken.key, own)).status, 201)
      yield* sql`insert into sandbox_seeds (merchant_id) values (${taken.merchantId})`
      const seeded = yield* created(running)
      for (const _ of [1, 2]) {
        yield* sql`update sandbox_seeds set due_at = '1970-01-01'`
        // No runner was notified of these rows: polling finds them.
        yield* pass("2 hours")
        assert.deepStrictEqual(yield* taken.available(), [credited, 0, credited])
        assert.deepStrictEqual(yield* seeded.available(), [credited, credited, credited])
        assert.strictEqual((yield* seeded.orders).length, 3)
      }
      assert.deepStrictEqual(yield* sql`select * from sandbox_seeds where due_at is not null`, [])
      yield* assertLedgerWhole(sql)
    })
  )
})
