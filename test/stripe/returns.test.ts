/** An unmatched payment that Stripe does not return, permanently or for now (silences: O37, O38). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Json, said } from "../kit/Merchant.ts"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { connected } from "./kit.ts"

const amount = 2_000

/** A second payment, still unknown to the service. */
const paidTwice = Effect.gen(function* () {
  const asked: Array<string> = []
  const world = yield* connected({ simulator: { watch: (call) => void asked.push(call) } })
  const calls = (call: string) => asked.filter((each) => each === call)
  const { api, choose, control, merchant, order, sessions, simulator } = world
  const made = yield* order()
  yield* choose(made)
  yield* control.hold_webhooks({})
  yield* merchant.post(`/v1/test_helpers/orders/${made.trade_no}/pay`)
  yield* control.pay({ session: sessions(made)[0]!.id })
  const [charge] = simulator.all("charge")
  const told = Effect.andThen(control.release_webhooks({}), world.settled)
  const held = Effect.map(
    said(api.operator("GET", "/held_up?kind=unapplied_payment")),
    ({ data }) => (data as ReadonlyArray<Json>)[0]
  )
  const story = Effect.map(said(merchant.get(`/v1/orders/${made.trade_no}/timeline`)), ({ entries }) =>
    (entries as ReadonlyArray<Json>).find(({ kind }) => kind === "unapplied_payment")!
  )
  const metric = (name: string) =>
    Effect.map(api.get("/metrics"), ({ text }) => {
      const lines = text.split("\n").filter((line) => line.startsWith(name))
      return lines.reduce((sum, line) => sum + Number(line.split(" ")[1]), 0)
    })
  /** All tests of a file share the counters. */
  const since = Effect.fnUntraced(function* (name: string) {
    const before = yield* metric(name)
    return Effect.map(metric(name), (now) => now - before)
  })
  return { ...world, calls, made, intent: String(charge!.payment_intent), told, held, story, since }
})

describe("a payment that Stripe will never take back", () => {
  it.live("is requested once, is parked with Stripe's words, and is shown to the operator and in the timeline", () =>
    Effect.gen(function* () {
      const { held, intent, merchant, pass, simulator, since, sql, story, stripe, told } = yield* paidTwice
      const parked = yield* since("coffer_payments_parked_total")
      const refusals = yield* since('coffer_stripe_calls_total{mode="sandbox",outcome="refused"')
      // A part was given back in Stripe's dashboard: the whole cannot go back any more.
      yield* Effect.promise(() => stripe.refunds.create({ payment_intent: intent, amount: 500 }))
      const books = yield* merchant.balance()
      yield* told
      yield* pass("3 hours")
      assert.strictEqual(yield* refusals, 1, "it is not asked for again")
      const shown = yield* held
      assert.deepInclude(shown, { status: "parked", waits_for: "operator", next_attempt_at: null, attempts: 1 })
      assert.include(shown!["text"], intent)
      assert.include(shown!["text"], "greater than unrefunded amount")
      const entry = yield* story
      assert.include(entry["text"], "greater than unrefunded amount")
      assert.strictEqual(entry["details"].status, "parked")
      assert.strictEqual(yield* parked, 1)
      assert.notInclude(yield* merchant.events(), "payment.duplicate_refunded")
      assert.deepStrictEqual(yield* merchant.balance(), books)
      assert.lengthOf(simulator.all("refund"), 1)
      yield* assertLedgerWhole(sql)
    })
  )

  it.live("because it is disputed is asked for once, and parked", () =>
    Effect.gen(function* () {
      const { control, held, intent, pass, simulator, since, told } = yield* paidTwice
      const parked = yield* since("coffer_payments_parked_total")
      const refusals = yield* since('coffer_stripe_calls_total{mode="sandbox",outcome="refused"')
      const charge = simulator.all("charge").find(({ payment_intent }) => payment_intent === intent)!
      yield* control.open_dispute({ charge: charge.id })
      yield* told
      yield* pass("3 hours")
      assert.isAtMost(yield* refusals, 1)
      assert.strictEqual((yield* held)!["status"], "parked")
      assert.strictEqual(yield* parked, 1)
    })
  )

  it.live("since it went back already, as a whole, has gone back", () =>
    Effect.gen(function* () {
      const { held, intent, merchant, pass, simulator, stripe, told } = yield* paidTwice
      yield* Effect.promise(() => stripe.refunds.create({ payment_intent: intent }))
      yield* told
      yield* pass("3 hours")
      assert.isUndefined(yield* held)
      assert.include(yield* merchant.events(), "payment.duplicate_refunded")
      assert.lengthOf(simulator.all("refund"), 1)
    })
  )
})

describe("a payment of whose return Stripe has lost the answer for a day", () => {
  it.live("has gone back as soon as Stripe tells of the refund", () =>
    Effect.gen(function* () {
      const { control, held, merchant, pass, simulator, told } = yield* paidTwice
      yield* control.fault({ on: "POST /v1/refunds", kind: "error_kept_after" })
      yield* told
      yield* pass("10 minutes")
      assert.isUndefined(yield* held)
      assert.include(yield* merchant.events(), "payment.duplicate_refunded")
      assert.lengthOf(simulator.all("refund"), 1)
    })
  )
})

describe("a payment that Stripe does not take back now", () => {
  it.live("is asked for again, each time after twice as long, up to an hour, and goes back once", () =>
    Effect.gen(function* () {
      const { control, held, pass, simulator, told } = yield* paidTwice
      yield* control.fault({ on: "POST /v1/refunds", kind: "error_before", times: 1_000 })
      yield* told
      yield* pass("1 day")
      const after = (yield* held)!
      assert.deepInclude(after, { status: "due", waits_for: "channel", last_error: "ChannelUnreachable" })
      assert.isAtLeast(after["attempts"], 24)
      assert.isAtMost(after["attempts"], 32)
      yield* control.clear_faults({})
      yield* pass("61 minutes")
      assert.isUndefined(yield* held)
      assert.deepStrictEqual(
        simulator.all("refund").map((each) => each.amount),
        [amount]
      )
    })
  )

  it.live("for want of money at Stripe goes back within the hour in which there is enough again", () =>
    Effect.gen(function* () {
      const { control, held, merchant, pass, simulator, told } = yield* paidTwice
      yield* control.fault({ on: "POST /v1/refunds", kind: "refused", times: 1_000 })
      yield* told
      yield* pass("20 minutes")
      assert.deepInclude(yield* held, { status: "due", waits_for: "channel" })
      yield* control.clear_faults({})
      yield* pass("61 minutes")
      assert.isUndefined(yield* held)
      assert.include(yield* merchant.events(), "payment.duplicate_refunded")
      assert.lengthOf(simulator.all("refund"), 1)
    })
  )

  it.live("because Stripe failed at it goes back within the hour, although its key is answered so for a day", () =>
    Effect.gen(function* () {
      const { control, held, pass, simulator, told } = yield* paidTwice
      yield* control.fault({ on: "POST /v1/refunds", kind: "error_kept_before" })
      yield* told
      yield* pass("61 minutes")
      assert.isUndefined(yield* held)
      assert.lengthOf(simulator.all("refund"), 1)
    })
  )

  it.live("and whose refund was made although the answer was lost is found, and is asked for once", () =>
    Effect.gen(function* () {
      const { calls, control, held, pass, simulator, told } = yield* paidTwice
      yield* control.fault({ on: "webhook refund.*", kind: "lose", times: 1_000 })
      yield* control.fault({ on: "POST /v1/refunds", kind: "error_after" })
      yield* told
      yield* pass("2 minutes")
      assert.isUndefined(yield* held)
      assert.lengthOf(simulator.all("refund"), 1)
      assert.lengthOf(calls("POST /v1/refunds"), 1)
    })
  )
})
