/**
 * POST /v1/orders/{ref}/expire: every outcome, and what becomes of money that arrives where no order waits for it any
 * more (spec: States and transitions, Order; silences: O13, O15).
 */
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Wakeups } from "../../../src/platform/commit/Wakeups.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/expire") {}

/** A merchant with one order, and what a test asks about it. */
const orderOf = Effect.fnUntraced(function* ({ api, atRest, context, sql }: Running, amount = 1000) {
  const { sandboxKey: key } = yield* api.newMerchant()
  const created = yield* api.post("/v1/orders", key, { amount, out_trade_no: "1" })
  const tradeNo: string = created.body.data.trade_no
  return {
    pay: (body: object = {}) => api.post("/v1/test_helpers/orders/1/pay", key, body),
    expire: api.post("/v1/orders/1/expire", key),
    read: Effect.map(api.get("/v1/orders/1", key), ({ body }) => body.data),
    reachable: (reachable: boolean) => api.post("/v1/test_helpers/channel", key, { reachable }),
    balance: Effect.map(api.get("/v1/balance", key), ({ body }) => body.data),
    ledger: Effect.map(api.get("/v1/balance_transactions", key), ({ body }) => body.data.data),
    /** Types of the events so far, once the workers have nothing to do. */
    events: Effect.andThen(
      atRest,
      Effect.map(sql`select type from events where trade_no = ${tradeNo} order by id`, (rows) =>
        rows.map(({ type }) => type)
      )
    ),
    /** As if the bank did not know that its reports were taken. */
    repeatReports: Effect.andThen(
      sql`update sandbox_payments set report_due_at = created_at
        where trade_no = ${tradeNo} and state = 'succeeded'`,
      Effect.sync(() => Context.get(context, Wakeups).raise("sandbox_reports"))
    ),
    /** The payments that the bank has sent back to buyers. */
    returned: Effect.andThen(
      atRest,
      sql`select r.payment_id, r.amount::int as amount from sandbox_refunds r join sandbox_payments p
        on p.payment_id = r.payment_id where p.trade_no = ${tradeNo} order by r.payment_id`
    )
  }
})

const closed = [
  { status: "paid", outcome: "succeed", events: ["payment.succeeded"] },
  { status: "failed", outcome: "fail", events: ["payment.failed"] }
]

layer(Layer.effect(Service, start()), { excludeTestServices: true })("POST /v1/orders/{ref}/expire", (it) => {
  it.effect("closes a pending order: 200 with status expired, and payment.expired", () =>
    Effect.gen(function* () {
      const order = yield* orderOf(yield* Service)
      const before = yield* order.read
      const { body, status } = yield* order.expire
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body.data, { ...before, status: "expired" })
      assert.deepStrictEqual(yield* order.read, body.data)
      assert.deepStrictEqual(yield* order.events, ["payment.expired"])
    })
  )

  it.effect("finds a payment that nobody has reported beside one of another amount", () =>
    Effect.gen(function* () {
      const order = yield* orderOf(yield* Service)
      yield* order.pay({ payment_method: "alipay", amount: 300 })
      yield* order.pay({ outcome: "succeed_unreported" })
      const { headers, status } = yield* order.expire
      assert.deepStrictEqual([status, headers.get("coffer-reason")], [409, "just_paid"])
      assert.strictEqual((yield* order.read).status, "paid")
    })
  )

  it.effect("accepts the trade_no as well as the out_trade_no, and any body or none", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const { sandboxKey: key } = yield* api.newMerchant()
      for (const call of [{}, { raw: "{" }, { body: {} }, { raw: "x", headers: { "Content-Type": "text/plain" } }]) {
        const created = yield* api.post("/v1/orders", key, { amount: 100 })
        const path = `/v1/orders/${created.body.data.trade_no}/expire`
        const { body, status } = yield* api.call("POST", path, { key, ...call })
        assert.deepStrictEqual([status, body.data?.status], [200, "expired"], JSON.stringify(call))
      }
    })
  )

  it.effect("returns an expired order unchanged: 200, and no second event", () =>
    Effect.gen(function* () {
      const order = yield* orderOf(yield* Service)
      const first = yield* order.expire
      const second = yield* order.expire
      assert.strictEqual(second.status, 200)
      assert.deepStrictEqual(second.body.data, first.body.data)
      assert.deepStrictEqual(yield* order.events, ["payment.expired"])
    })
  )

  it.effect("closes once when asked ten times at once: all answer 200, and there is one event", () =>
    Effect.gen(function* () {
      const order = yield* orderOf(yield* Service)
      const replies = yield* Effect.all(
        Array.from({ length: 10 }, () => order.expire),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([...new Set(replies.map(({ status }) => status))], [200])
      assert.deepStrictEqual(yield* order.events, ["payment.expired"])
    })
  )

  for (const { events, outcome, status } of closed) {
    it.effect(`answers 409 conflict for an order that is ${status}, which stays so`, () =>
      Effect.gen(function* () {
        const order = yield* orderOf(yield* Service)
        yield* order.pay({ outcome })
        const before = yield* order.read
        const refused = yield* order.expire
        assert.deepStrictEqual([refused.status, refused.body.error], [409, "conflict"])
        assert.strictEqual(before.status, status)
        assert.deepStrictEqual(yield* order.read, before)
        assert.deepStrictEqual(yield* order.events, events)
      })
    )
  }

  it.effect("answers 409 and stays pending while the buyer is mid redirect, and later closes", () =>
    Effect.gen(function* () {
      const order = yield* orderOf(yield* Service)
      const before = yield* order.read
      yield* order.pay({ outcome: "redirect" })
      const refused = yield* order.expire
      assert.deepStrictEqual([refused.status, refused.body.error], [409, "conflict"])
      assert.deepStrictEqual(yield* order.read, before)
      assert.deepStrictEqual(yield* order.events, [])
      yield* order.pay({ outcome: "decline" })
      assert.strictEqual((yield* order.expire).body.data.status, "expired")
    })
  )

  it.effect("the buyer who comes back from the redirect and pays has paid the order", () =>
    Effect.gen(function* () {
      const order = yield* orderOf(yield* Service)
      yield* order.pay({ outcome: "redirect" })
      assert.strictEqual((yield* order.expire).status, 409)
      assert.strictEqual((yield* order.pay()).body.data.status, "paid")
      assert.deepStrictEqual(yield* order.events, ["payment.succeeded"])
    })
  )

  it.effect("credits the order once and answers 409 when the buyer has actually paid already", () =>
    Effect.gen(function* () {
      const order = yield* orderOf(yield* Service)
      const unreported = yield* order.pay({ outcome: "succeed_unreported", payment_method: "alipay" })
      assert.strictEqual(unreported.body.data.status, "pending")
      for (let times = 0; times < 3; times++) {
        const refused = yield* order.expire
        assert.deepStrictEqual([refused.status, refused.body.error], [409, "conflict"])
      }
      const { fee, net_amount, payment_method, status } = yield* order.read
      assert.deepStrictEqual(
        { fee, net_amount, payment_method, status },
        { fee: 59, net_amount: 941, payment_method: "alipay", status: "paid" }
      )
      assert.deepStrictEqual(yield* order.events, ["payment.succeeded"])
      assert.strictEqual((yield* order.ledger).length, 2)
      assert.strictEqual((yield* order.balance).available_balance, 941)
    })
  )

  it.effect("answers 502 processor_error and stays pending while the channel is unreachable, and then closes", () =>
    Effect.gen(function* () {
      const order = yield* orderOf(yield* Service)
      const before = yield* order.read
      yield* order.reachable(false)
      for (let times = 0; times < 2; times++) {
        const refused = yield* order.expire
        assert.deepStrictEqual([refused.status, refused.body.error], [502, "processor_error"])
      }
      assert.deepStrictEqual(yield* order.read, before)
      assert.deepStrictEqual(yield* order.events, [])
      yield* order.reachable(true)
      const { body, status } = yield* order.expire
      assert.deepStrictEqual([status, body.data.status], [200, "expired"])
    })
  )

  it.effect("an unreachable channel changes nothing for an order that is no longer pending", () =>
    Effect.gen(function* () {
      const running = yield* Service
      const [expired, paid] = [yield* orderOf(running), yield* orderOf(running)]
      yield* expired.expire
      yield* paid.pay()
      for (const [order, expected] of [
        [expired, 200],
        [paid, 409]
      ] as const) {
        yield* order.reachable(false)
        assert.strictEqual((yield* order.expire).status, expected)
      }
    })
  )

  it.effect(
    "ten declined attempts within ten minutes end no order: the next are 429 until the first is ten minutes old",
    () =>
      Effect.gen(function* () {
        const service = yield* start({ clock: "test" })
        const order = yield* orderOf(service)
        for (let attempt = 1; attempt <= 10; attempt++) {
          const { body, status } = yield* order.pay({ outcome: "decline" })
          assert.deepStrictEqual([status, body.data.status], [200, "pending"], `${attempt}`)
          yield* service.pass("1 second")
        }
        for (const outcome of ["decline", "succeed", "redirect"]) {
          const refused = yield* order.pay({ outcome })
          assert.deepStrictEqual([refused.status, refused.body.error], [429, "rate_limited"], outcome)
          assert.strictEqual(refused.headers.get("retry-after"), "590")
          assert.include(refused.body.message, "10 attempts")
        }
        yield* service.pass("590 seconds")
        assert.strictEqual((yield* order.pay({ outcome: "decline" })).body.data.status, "pending")
        assert.strictEqual((yield* order.pay()).status, 429)
        yield* service.pass("1 second")
        assert.strictEqual((yield* order.pay()).body.data.status, "paid")
        assert.deepStrictEqual(yield* order.events, ["payment.succeeded"])
      }).pipe(Effect.scoped)
  )

  it.effect("an order is paid after nine declined attempts", () =>
    Effect.gen(function* () {
      const order = yield* orderOf(yield* Service)
      for (let attempt = 1; attempt <= 9; attempt++) yield* order.pay({ outcome: "decline" })
      assert.strictEqual((yield* order.pay()).body.data.status, "paid")
      assert.deepStrictEqual(yield* order.events, ["payment.succeeded"])
    })
  )
})

const late = [
  { status: "expired", close: "expire", first: "payment.expired" },
  { status: "failed", close: "fail", first: "payment.failed" }
]

/** The bank repeats what was not acknowledged; time is in the test's hand here. */
describe("a payment that no order waits for", () => {
  for (const { close, first, status } of late) {
    it.live(`of an order that is ${status} goes back in full: the order stays ${status}, the balance unaffected`, () =>
      Effect.gen(function* () {
        const running = yield* start({ clock: "test" })
        const order = yield* orderOf(running)
        yield* close === "expire" ? order.expire : order.pay({ outcome: close })
        const before = yield* order.read
        const balance = yield* order.balance

        assert.strictEqual((yield* order.pay()).status, 200)
        assert.deepStrictEqual(yield* order.events, [first, "payment.duplicate_refunded"])
        assert.strictEqual((yield* order.pay({ payment_method: "alipay" })).status, 200)
        assert.deepStrictEqual(yield* order.events, [first, ...twice("payment.duplicate_refunded")], "one for each")
        const returned = yield* order.returned
        assert.deepStrictEqual(
          returned.map(({ amount }) => amount),
          [1000, 1000]
        )

        yield* order.repeatReports
        yield* running.pass("2 days")
        assert.deepStrictEqual(yield* order.events, [first, ...twice("payment.duplicate_refunded")], "repeated in vain")
        assert.deepStrictEqual(yield* order.returned, returned)
        assert.deepStrictEqual(yield* order.read, before)
        assert.deepStrictEqual(yield* order.balance, balance)
        assert.deepStrictEqual(yield* order.ledger, [])
      })
    )
  }

  it.live(
    "is offered to the channel again and again until it takes it, and only then is payment.duplicate_refunded sent",
    () =>
      Effect.gen(function* () {
        const running = yield* start({ clock: "test" })
        const order = yield* orderOf(running)
        yield* order.expire
        yield* order.pay({ outcome: "succeed_unreported" })
        yield* order.reachable(false)
        yield* order.repeatReports
        yield* running.pass("3 hours")
        assert.deepStrictEqual(yield* order.events, ["payment.expired"])
        assert.deepStrictEqual(yield* order.returned, [])
        yield* order.reachable(true)
        yield* running.pass("1 hour")
        assert.deepStrictEqual(yield* order.events, ["payment.expired", "payment.duplicate_refunded"])
        assert.strictEqual((yield* order.returned).length, 1)
      })
  )

  it.live("of an order that is paid goes back too: the order and the balance keep the first", () =>
    Effect.gen(function* () {
      const running = yield* start({ clock: "test" })
      const order = yield* orderOf(running)
      yield* order.pay()
      const before = yield* order.read
      const balance = yield* order.balance
      yield* order.pay({ payment_method: "wechat_pay" })
      yield* order.repeatReports
      yield* running.pass("2 days")
      assert.deepStrictEqual(yield* order.events, ["payment.succeeded", "payment.duplicate_refunded"])
      const returned = yield* order.returned
      assert.deepStrictEqual(
        returned.map(({ amount, payment_id }) => [amount, payment_id === before.payment_id]),
        [[1000, false]]
      )
      assert.deepStrictEqual(yield* order.read, before)
      assert.deepStrictEqual(yield* order.balance, balance)
      assert.strictEqual((yield* order.ledger).length, 2)
    })
  )
})

const twice = (type: string) => [type, type]
