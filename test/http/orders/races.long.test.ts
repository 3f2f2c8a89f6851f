/** Things that happen at once: payments, reports and closures of the same orders and wallets. */
import { assert, describe, it } from "@effect/vitest"
import { TradeNo } from "@coffer/model/Ids"
import { Context, Deferred, Effect, Fiber } from "effect"
import { Channel } from "../../../src/shared/channel/Channel.ts"
import { Wakeups } from "../../../src/platform/commit/Wakeups.ts"
import { SandboxBank } from "../../../src/channels/bank/SandboxBank.ts"
import { Orders } from "../../../src/money/orders/Orders.ts"
import { blocking } from "../../kit/faults/Faults.ts"
import { assertLedgerWhole } from "../../kit/ledger.ts"
import { type Running, start } from "../../kit/Service.ts"
import { rounds } from "../../kit/run/soak.ts"
import { declined } from "../../kit/rules/fixtures.ts"

const newOrder = ({ api, merchant }: Running, fields: object = {}) =>
  Effect.map(api.post("/v1/orders", merchant.sandboxKey, { amount: 1000, ...fields }), ({ body }) =>
    TradeNo.make(body.data.trade_no)
  )

const pay = ({ api, merchant }: Running, tradeNo: string, body: object = {}) =>
  api.post(`/v1/test_helpers/orders/${tradeNo}/pay`, merchant.sandboxKey, body)

const expire = ({ api, merchant }: Running, tradeNo: string) =>
  api.post(`/v1/orders/${tradeNo}/expire`, merchant.sandboxKey)

/** As a client does: after 503 it checks whether it happened, and if not retries. */
const payUntilPaid = (service: Running, tradeNo: string): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { status } = yield* pay(service, tradeNo)
    if (status === 200) return
    assert.strictEqual(status, 503)
    const { body } = yield* service.api.get(`/v1/orders/${tradeNo}`, service.merchant.sandboxKey)
    if (body.data?.status !== "paid") yield* payUntilPaid(service, tradeNo)
  })

const countOf = (replies: ReadonlyArray<{ readonly status: number }>, status: number) =>
  replies.filter((reply) => reply.status === status).length

const payments = rounds(300, 1_000)

describe("one wallet under load", () => {
  it.live(
    `${payments} concurrent payments on one wallet: the balance equals the ledger, every row chains, no payment twice`,
    () =>
      Effect.gen(function* () {
        const service = yield* start()
        const all = Array.from({ length: payments })
        const orders = yield* Effect.forEach(all, () => newOrder(service), { concurrency: 64 })
        yield* Effect.forEach(orders, (tradeNo) => payUntilPaid(service, tradeNo), { concurrency: "unbounded" })

        yield* assertLedgerWhole(service.sql)
        const { body } = yield* service.api.get("/v1/balance", service.merchant.sandboxKey)
        assert.strictEqual(body.data.total_revenue, payments * 1_000)
        assert.strictEqual(body.data.total_fee, payments * 59)
        assert.strictEqual(body.data.available_balance, payments * 941)
      })
  )
})

describe("one order at once", () => {
  it.live("a payment that the channel reports 50 times at once is credited once", () =>
    Effect.gen(function* () {
      const service = yield* start()
      const tradeNo = yield* newOrder(service)
      yield* pay(service, tradeNo, { outcome: "succeed_unreported" })
      const orders = Context.get(service.context, Orders)
      const order = yield* orders.byTradeNo(tradeNo)
      const answer = yield* Context.get(service.context, Channel).cancel(order)
      if (answer._tag !== "AlreadyPaid") return assert.fail("the bank has the money")
      const { payment } = answer

      const said = { _tag: "Succeeded", payment } as const
      yield* Effect.forEach(Array.from({ length: 50 }), () => orders.report(order, said), {
        concurrency: "unbounded"
      })
      yield* assertLedgerWhole(service.sql)
      assert.strictEqual((yield* service.sql`select 1 from ledger where reference_id = ${tradeNo}`).length, 2)
    })
  )

  it.live("an order that was seen before it changed neither undoes the change nor decides what is refused", () =>
    Effect.gen(function* () {
      const service = yield* start()
      const orders = Context.get(service.context, Orders)
      const tradeNo = yield* newOrder(service)
      const seen = yield* orders.byTradeNo(tradeNo)
      // As another runner writes it.
      yield* service.sql`update orders set version = 2, declines = 3 where trade_no = ${tradeNo}`
      yield* orders.report(seen, { _tag: "Attempted", attempt: declined })
      const rows = yield* service.sql`select version, declines from orders where trade_no = ${tradeNo}`
      assert.deepStrictEqual(rows, [{ version: 3, declines: 4 }])

      const other = yield* newOrder(service)
      yield* service.sql`update orders set status = 'failed' where trade_no = ${other}`
      const ended = yield* orders.byTradeNo(other)
      yield* service.sql`update orders set status = 'pending' where trade_no = ${other}`
      yield* orders.report(ended, { _tag: "Attempted", attempt: declined })
      assert.strictEqual((yield* orders.byTradeNo(other)).declines, 1)
    })
  )

  it.live("a report while expire runs ends in paid or in expired with the money returned, never in between", () =>
    Effect.gen(function* () {
      const service = yield* start()
      for (let round = 0; round < 20; round++) {
        const tradeNo = yield* newOrder(service)
        const [paid, closed] = yield* Effect.all([pay(service, tradeNo), expire(service, tradeNo)], {
          concurrency: "unbounded"
        })
        assert.strictEqual(paid.status, 200)
        const order = (yield* service.api.get(`/v1/orders/${tradeNo}`, service.merchant.sandboxKey)).body.data
        if (order.status === "paid") assert.strictEqual(closed.status, 409)
        else {
          assert.strictEqual(order.status, "expired")
          assert.strictEqual(closed.status, 200)
        }
      }
      yield* service.atRest
      yield* assertLedgerWhole(service.sql)
      const unreturned = yield* service.sql`select o.trade_no from orders o join sandbox_payments p using (trade_no)
        where o.status = 'expired' and not exists (select 1 from events e
          where e.object_id = o.trade_no and e.type = 'payment.duplicate_refunded')`
      assert.deepStrictEqual(unreturned, [])
    })
  )

  it.live("ten expires at once close the order once: all answer 200, one event is recorded", () =>
    Effect.gen(function* () {
      const service = yield* start()
      const tradeNo = yield* newOrder(service)
      const replies = yield* Effect.forEach(Array.from({ length: 10 }), () => expire(service, tradeNo), {
        concurrency: "unbounded"
      })
      assert.strictEqual(countOf(replies, 200), 10)
      const events = yield* service.sql`select type from events where object_id = ${tradeNo}`
      assert.deepStrictEqual(events, [{ type: "payment.expired" }])
    })
  )

  it.live("updates of metadata at once all count", () =>
    Effect.gen(function* () {
      const { api, merchant, ...rest } = yield* start()
      const tradeNo = yield* newOrder({ api, merchant, ...rest })
      yield* Effect.forEach(
        Array.from({ length: 40 }, (_, index) => index),
        (index) => api.post(`/v1/orders/${tradeNo}`, merchant.sandboxKey, { metadata: { [`k${index}`]: "v" } }),
        { concurrency: "unbounded" }
      )
      const { body } = yield* api.get(`/v1/orders/${tradeNo}`, merchant.sandboxKey)
      assert.strictEqual(Object.keys(body.data.metadata).length, 40)
    })
  )
})

describe("the sandbox bank", () => {
  it.live("repeats a report that was not taken until the order is credited", () =>
    Effect.gen(function* () {
      const service = yield* start({ clock: "test" })
      const { api, merchant, sql } = service
      const tradeNo = yield* newOrder(service)
      yield* pay(service, tradeNo, { outcome: "succeed_unreported" })
      yield* sql`update sandbox_payments set report_due_at = created_at`
      Context.get(service.context, Wakeups).raise("sandbox_reports")
      yield* service.pass("1 minute")
      const { body } = yield* api.get(`/v1/orders/${tradeNo}`, merchant.sandboxKey)
      assert.strictEqual(body.data.status, "paid")
      assert.deepStrictEqual(yield* sql`select 1 from sandbox_payments where report_due_at is not null`, [])
      yield* assertLedgerWhole(sql)
    })
  )

  it.live("records an attempt once, also when its report is delivered twice: both times it is answered", () =>
    Effect.gen(function* () {
      const service = yield* start()
      const tradeNo = yield* newOrder(service)
      const orders = Context.get(service.context, Orders)
      const order = yield* orders.byTradeNo(tradeNo)
      for (const [attempt, status] of [
        ["decline", "pending"],
        ["succeed", "paid"]
      ] as const) {
        const bank = Context.get(service.context, SandboxBank)
        const { entry, report } = yield* bank.charge({ ...order, method: "card", attempt })
        for (const _ of ["once", "twice"]) {
          const after = yield* orders.report(order, report!, entry)
          assert.deepStrictEqual([after.status, after.declines, after.unappliedPayments], [status, 1, []])
        }
      }
      assert.strictEqual((yield* service.sql`select 1 from sandbox_payments`).length, 2)
      yield* assertLedgerWhole(service.sql)
    })
  )

  it.live("has a payment in its books when the order has it, in one transaction", () =>
    Effect.gen(function* () {
      const fault = yield* blocking("Transactor.write", "after", (tables) => tables.includes("sandbox_payments"))
      const service = yield* start({ faults: fault.layer })
      const tradeNo = yield* newOrder(service)
      const paying = yield* Effect.forkChild(pay(service, tradeNo))
      yield* Deferred.await(fault.reached)
      const rows = yield* service.sql`select status, p.amount::int as amount, p.report_due_at
        from orders o join sandbox_payments p on p.payment_id = o.payment_id where o.trade_no = ${tradeNo}`
      yield* fault.release
      assert.deepStrictEqual(rows, [{ status: "paid", amount: 1_000, report_due_at: null }])
      assert.strictEqual((yield* Fiber.join(paying)).status, 200)
    })
  )
})
