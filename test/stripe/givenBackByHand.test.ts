/**
 * A payment that no order took, that Stripe did not take back, and that somebody gives back in Stripe's dashboard
 * (silences: O40).
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Faults from "../../src/platform/runtime/Faults.ts"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { type Json, said } from "../kit/Merchant.ts"
import { connected } from "./kit.ts"

const given = { byHand: 500, left: 1_500 }

/** A second payment, which is parked: a part of it went back by hand, so that the whole cannot go back any more. */
const parkedIn = Effect.fnUntraced(function* (options: Parameters<typeof connected>[0] = {}) {
  const world = yield* connected(options)
  const { api, choose, control, leap, merchant, order, pass, sessions, settled, simulator, sql, stripe } = world
  const made = yield* order()
  yield* choose(made)
  yield* control.hold_webhooks({})
  yield* merchant.post(`/v1/test_helpers/orders/${made.trade_no}/pay`)
  yield* control.pay({ session: sessions(made)[0]!.id })
  const charge = simulator.all("charge")[0]!
  const intent = String(charge.payment_intent)
  const byHand = (amount: number) =>
    Effect.andThen(
      Effect.promise(() => stripe.refunds.create({ payment_intent: intent, amount })),
      settled
    )
  yield* byHand(given.byHand)
  yield* Effect.andThen(control.release_webhooks({}), settled)
  yield* pass("3 minutes")
  const held = Effect.map(
    said(api.operator("GET", "/held_up?kind=unapplied_payment")),
    ({ data }) => (data as ReadonlyArray<Json>)[0]
  )
  const where = Effect.map(said(merchant.get(`/v1/orders/${made.trade_no}/timeline`)), ({ entries }) => {
    const { details, text } = (entries as ReadonlyArray<Json>).find(({ kind }) => kind === "unapplied_payment")!
    return { status: details.status as string, text: text as string }
  })
  /** How often the merchant was notified of the return. */
  const told = Effect.map(
    merchant.events(),
    (types) => types.filter((type) => type === "payment.duplicate_refunded").length
  )
  /** The findings of the next night. */
  const night = Effect.gen(function* () {
    yield* sql`update stripe_polls set due_at = '9999-12-31', movements_due_at = '9999-12-31'`
    yield* leap("27 hours")
    yield* sql`update stripe_polls set movements_due_at = 'epoch'`
    yield* leap("61 minutes")
    return (yield* said(api.operator("GET", "/reconciliation?status=open")))["data"] as ReadonlyArray<Json>
  })
  assert.strictEqual((yield* held)!["status"], "parked")
  return { ...world, byHand, charge, held, night, told, where }
})
const parked = parkedIn()

describe("a parked payment that is refunded in Stripe's dashboard", () => {
  it.live("has gone back: no person has to decide, the merchant gets one event, and both books agree", () =>
    Effect.gen(function* () {
      const { byHand, held, merchant, night, pass, sql, told, where } = yield* parked
      const books = yield* merchant.balance()
      yield* byHand(given.left)
      yield* pass("3 minutes")
      assert.isUndefined(yield* held)
      assert.strictEqual((yield* where).status, "returned")
      assert.match((yield* where).text, /it was returned to the buyer$/)
      assert.strictEqual(yield* told, 1)
      assert.deepStrictEqual(yield* merchant.balance(), books)
      assert.deepStrictEqual(yield* night, [])
      yield* assertLedgerWhole(sql)
    })
  )

  it.live("has gone back too when the webhook is lost: the poll finds it", () =>
    Effect.gen(function* () {
      const { byHand, control, held, pass, told } = yield* parked
      yield* control.fault({ on: "webhook *", kind: "lose", times: 100 })
      yield* byHand(given.left)
      assert.isDefined(yield* held)
      yield* pass("10 minutes")
      assert.isUndefined(yield* held)
      assert.strictEqual(yield* told, 1)
    })
  )

  it.live("stays with the operator while a part of it is left", () =>
    Effect.gen(function* () {
      const { byHand, held, pass, told } = yield* parked
      yield* byHand(given.left - 1)
      yield* pass("3 minutes")
      assert.strictEqual((yield* held)!["status"], "parked")
      yield* byHand(1)
      assert.isUndefined(yield* held)
      assert.strictEqual(yield* told, 1)
    })
  )

  it.live("is parked again when the buyer's bank sends that refund back, and over when another one arrives", () =>
    Effect.gen(function* () {
      const { byHand, control, held, night, settled, simulator, told } = yield* parked
      yield* byHand(given.left)
      const refund = simulator.all("refund").find(({ amount }) => amount === given.left)!
      yield* Effect.andThen(control.fail_refund({ refund: refund.id }), settled)
      const again = yield* held
      assert.strictEqual(again!["status"], "parked")
      assert.include(again!["text"], "it could not be returned")
      yield* byHand(given.left)
      assert.isUndefined(yield* held)
      assert.strictEqual(yield* told, 1, "it is told once, whatever became of it between")
      assert.deepStrictEqual(yield* night, [])
    })
  )

  it.live("is parked again when that refund fails while it is being recorded, without a webhook", () =>
    Effect.gen(function* () {
      const after = { refundsAreListed: Effect.void }
      const around: Faults.Faults["Service"]["around"] = (point, effect, detailOf) =>
        point === "StripeClient.call" && detailOf?.() === "refunds.list"
          ? Effect.tap(effect, () => after.refundsAreListed)
          : effect
      const { byHand, control, held, simulator, told } = yield* parkedIn({
        faults: Layer.succeed(Faults.Faults, { around })
      })
      after.refundsAreListed = Effect.gen(function* () {
        after.refundsAreListed = Effect.void
        yield* control.hold_webhooks({})
        yield* control.fail_refund({ refund: simulator.all("refund").at(-1)!.id })
      }).pipe(Effect.catchTags({ ControlRefused: Effect.die }))
      yield* byHand(given.left)
      assert.strictEqual((yield* held)!["status"], "parked")
      assert.strictEqual(yield* told, 1)
    })
  )

  it.live("after a dispute that was won has gone back, and what a dispute takes later stays with the operator", () =>
    Effect.gen(function* () {
      const { byHand, charge, control, held, settled, simulator, stripe, told } = yield* parked
      const dispute = (outcome: "won" | "lost") =>
        Effect.suspend(() => {
          const { id } = simulator.all("dispute").at(-1)!
          return Effect.andThen(control.decide_dispute({ dispute: id, outcome }), settled)
        })
      yield* Effect.andThen(control.open_dispute({ charge: charge.id, amount: given.left }), settled)
      yield* dispute("won")
      yield* byHand(given.left)
      assert.isUndefined(yield* held)
      yield* Effect.andThen(control.open_dispute({ charge: charge.id, amount: 100 }), settled)
      // Stripe reports its refunds again, whatever was changed in them.
      const { id } = simulator.all("refund").at(-1)!
      yield* Effect.promise(() => stripe.refunds.update(id, { metadata: { seen: "yes" } }))
      yield* settled
      assert.include((yield* held)!["text"], "needs_response")
      assert.strictEqual(yield* told, 1)
    })
  )
})
