/** Money that reaches the channel and is not what the order asked for (silences: O15, O17). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, References } from "effect"
import { unappliedPaymentsMax } from "@coffer/model/Limits"
import * as Faults from "../../../src/platform/runtime/Faults.ts"
import { assertLedgerWhole } from "../../kit/ledger.ts"
import { merchantOf } from "../../kit/Merchant.ts"
import { entriesOf } from "../../kit/callers/operators.ts"
import { type Running, start } from "../../kit/Service.ts"

const opened = Effect.gen(function* () {
  const service = yield* start({ clock: "test" })
  const shop = merchantOf(service)
  const { trade_no } = (yield* shop.post("/v1/orders", { amount: 1_000 })).body.data
  const pay = (body: object) => shop.post(`/v1/test_helpers/orders/${trade_no}/pay`, body)
  const unapplied = Effect.map(
    service.sql<{ unapplied_payments: ReadonlyArray<{ amount: number; reason: string; state: string }> }>`
      select unapplied_payments from orders where trade_no = ${trade_no}`,
    ([row]) => row!.unapplied_payments.map(({ amount, reason, state }) => ({ amount, reason, state }))
  )
  return { service, shop, trade_no: trade_no as string, pay, unapplied }
})

describe("an amount that is not the order's", () => {
  it.live("is not credited: it is parked, an alarm is raised, and the order may still be paid", () =>
    Effect.gen(function* () {
      const { pay, service, shop, unapplied, trade_no } = yield* opened
      const counted = (metric: string) =>
        Effect.map(
          service.api.call("GET", "/metrics"),
          ({ text }) => new RegExp(`^${metric}\\{mode="sandbox"\\} (\\d+)`, "m").exec(text)?.[1]
        )
      assert.strictEqual((yield* pay({ amount: 999 })).body.data.status, "pending")
      assert.deepStrictEqual(yield* unapplied, [{ amount: 999, reason: "mismatch", state: "parked" }])
      assert.strictEqual((yield* shop.balance()).available, 0)
      assert.deepStrictEqual(yield* shop.events(trade_no), [])
      assert.strictEqual(yield* counted("coffer_payments_parked_total"), "1")
      const paidBefore = Number(yield* counted("coffer_payments_total"))
      assert.strictEqual((yield* pay({})).body.data.status, "paid")
      assert.strictEqual(Number(yield* counted("coffer_payments_total")), paidBefore + 1)
      yield* service.pass("1 hour")
      assert.deepStrictEqual(
        yield* unapplied,
        [{ amount: 999, reason: "mismatch", state: "parked" }],
        "nobody moves it"
      )
      yield* assertLedgerWhole(service.sql)
    })
  )
})

const held = ({ api }: Running) =>
  Effect.map(api.operator("GET", "/held_up"), ({ body }) => body.data.counts.unapplied_payment)

it.live("an operator closes a parked payment with a note, once, and the timeline and the audit log have it", () =>
  Effect.gen(function* () {
    const { pay, service, trade_no } = yield* opened
    const { api, merchant } = service
    yield* pay({ amount: 999 })
    assert.strictEqual(yield* held(service), 1)
    const path = `/merchants/${merchant.merchantId}/orders/${trade_no}/timeline?mode=sandbox`
    const shown = Effect.map(api.operator("GET", path), ({ body }) =>
      body.data.entries.find((entry: { kind: string }) => entry.kind === "unapplied_payment")
    )
    const { id } = yield* shown
    const close = (payment: string, note: string, order = trade_no) =>
      api.operator("POST", `/orders/${order}/payments/${payment}/close`, { note })
    assert.deepStrictEqual((yield* close(id, "")).body.param, "note")
    assert.strictEqual((yield* close("pay_none", "x")).status, 409)
    assert.strictEqual((yield* close(id, "x", "TRD_SB_none")).status, 404)
    const closed = yield* close(id, "given back in the dashboard")
    assert.strictEqual(closed.status, 200, closed.text)
    assert.deepInclude(closed.body.data, { trade_no, payment_id: id, amount: 999, status: "closed" })
    // The answer was lost, and another note comes with the retry.
    assert.strictEqual((yield* close(id, "another")).body.data.note, "given back in the dashboard")
    assert.strictEqual(yield* held(service), 0)
    assert.include((yield* shown).text, "it was closed by an operator (given back in the dashboard)")
    const seen = yield* api.get(`/v1/orders/${trade_no}/timeline`, merchant.sandboxKey)
    assert.include(seen.text, "it was closed by an operator")
    assert.notInclude(seen.text, "given back in the dashboard", "operators' words are theirs")
    const [done] = yield* entriesOf(api, "&act=orders.closePayment")
    assert.deepInclude(done!, { phase: "done", status: 200 })
    yield* assertLedgerWhole(service.sql)
  })
)

it.live("a sandbox's parked payment closes itself a day after its order was made", () =>
  Effect.gen(function* () {
    const { pay, service } = yield* opened
    yield* pay({ amount: 999 })
    yield* service.pass("23 hours")
    assert.strictEqual(yield* held(service), 1)
    yield* service.pass("2 hours")
    assert.strictEqual(yield* held(service), 0)
  })
)

it.live("the alarm of a parked payment names the order, the payment and why", () =>
  Effect.gen(function* () {
    const alarms: Array<unknown> = []
    const logger = Logger.make(({ fiber, logLevel, message }) => {
      if (logLevel === "Error") alarms.push([String(message), fiber.getRef(References.CurrentLogAnnotations)])
    })
    const { merchant, api } = yield* start({ faults: Layer.merge(Faults.layer, Logger.layer([logger])) })
    const shop = merchantOf({ merchant, api })
    const { trade_no } = (yield* shop.post("/v1/orders", { amount: 1_000 })).body.data
    yield* shop.post(`/v1/test_helpers/orders/${trade_no}/pay`, { amount: 999 })
    assert.lengthOf(alarms, 1)
    const [message, about] = alarms[0] as [string, Record<string, unknown>]
    assert.strictEqual(message, "a payment was parked")
    assert.include(about, { trade_no, amount: 999, currency: "USD", reason: "mismatch" })
    assert.match(String(about["payment_id"]), /^pay_/)
  })
)

describe("an order that met a payment of another amount", () => {
  it.live("is pending, and a close is refused with that reason: message and status agree", () =>
    Effect.gen(function* () {
      const { pay, service, shop, unapplied, trade_no } = yield* opened
      yield* pay({ amount: 999, outcome: "succeed_unreported" })
      for (const _ of ["found", "known"]) {
        const reply = yield* shop.post(`/v1/orders/${trade_no}/expire`)
        assert.deepStrictEqual([reply.status, reply.body.error], [409, "conflict"])
        assert.match(reply.body.message, /different amount .* still pending/)
        assert.strictEqual((yield* shop.order(trade_no))["status"], "pending")
        assert.deepStrictEqual(yield* unapplied, [{ amount: 999, reason: "mismatch", state: "parked" }])
      }
      assert.strictEqual((yield* pay({})).body.data.status, "paid")
      const late = yield* shop.post(`/v1/orders/${trade_no}/expire`)
      assert.match(late.body.message, /^The order is paid since \S+Z: it is no longer pending\./)
      yield* assertLedgerWhole(service.sql)
    })
  )
})

describe("two payments that the channel had not reported", () => {
  it.live("are both found when the order is closed: one is credited, the other goes back", () =>
    Effect.gen(function* () {
      const { pay, service, shop, unapplied, trade_no } = yield* opened
      yield* pay({ outcome: "succeed_unreported" })
      yield* pay({ outcome: "succeed_unreported" })
      assert.strictEqual((yield* shop.post(`/v1/orders/${trade_no}/expire`)).status, 409)
      yield* service.pass("1 minute")
      assert.strictEqual((yield* shop.order(trade_no))["status"], "paid")
      assert.deepStrictEqual(yield* unapplied, [{ amount: 1_000, reason: "second", state: "returned" }])
      assert.deepStrictEqual(yield* shop.events(trade_no), ["payment.succeeded", "payment.duplicate_refunded"])
      assert.strictEqual((yield* shop.balance()).available, 941)
      yield* assertLedgerWhole(service.sql)
    })
  )
})

describe("payments that an order of the sandbox does not take", () => {
  const many = (pay: Effect.Effect<{ readonly status: number; readonly body: { readonly error?: string } }>) =>
    Effect.map(Effect.replicateEffect(pay, 60, { concurrency: "unbounded" }), (replies) =>
      Object.entries(Object.groupBy(replies, ({ body, status }) => `${status} ${body.error ?? ""}`)).map(
        ([told, all]) => [told, all!.length]
      )
    )

  it.live("are twenty, also of sixty at one moment; the bank refuses the others and books none of them", () =>
    Effect.gen(function* () {
      const { pay, service, trade_no, unapplied } = yield* opened
      const told = yield* many(pay({ amount: 777 }))
      assert.deepStrictEqual(
        told.toSorted(([one], [other]) => String(one).localeCompare(String(other))),
        [
          ["200 ", unappliedPaymentsMax],
          ["409 conflict", 60 - unappliedPaymentsMax]
        ]
      )
      assert.lengthOf(yield* unapplied, unappliedPaymentsMax)
      const [booked] = yield* service.sql<{ count: number }>`select count(*)::int as count from sandbox_payments
        where trade_no = ${trade_no}`
      assert.strictEqual(booked!.count, unappliedPaymentsMax)
      assert.match((yield* pay({ amount: 777 })).body.message, /has 20 unmatched payments/)
      assert.strictEqual((yield* pay({})).body.data.status, "paid", "its own payment is still taken")
    })
  )

  it.live("are twenty also when the bank reports them later, and the order still ends", () =>
    Effect.gen(function* () {
      const { pay, service, shop, trade_no, unapplied } = yield* opened
      yield* many(pay({ amount: 777, outcome: "succeed_unreported" }))
      assert.strictEqual((yield* pay({ amount: 777, outcome: "succeed_unreported" })).status, 409, "by the bank itself")
      assert.strictEqual((yield* shop.post(`/v1/orders/${trade_no}/expire`)).status, 409)
      yield* service.pass("1 minute")
      assert.lengthOf(yield* unapplied, unappliedPaymentsMax)
      const [due] = yield* service.sql<{ count: number }>`select count(*)::int as count from sandbox_payments
        where trade_no = ${trade_no} and report_due_at is not null`
      assert.strictEqual(due!.count, 0, "the bank reports none of them again")
      yield* service.pass("25 hours")
      assert.strictEqual((yield* shop.order(trade_no))["status"], "expired")
      assert.lengthOf(yield* unapplied, unappliedPaymentsMax)
    })
  )
})
