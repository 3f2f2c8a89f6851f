/** Money that Stripe names in another currency than the payment's (silences: S24). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { type Json, said } from "../kit/Merchant.ts"
import { connected } from "./kit.ts"

const amount = 2_000
const inEuro = { currency: "eur", amount: 1_850 }

const sold = Effect.fnUntraced(function* () {
  const world = yield* connected()
  const order = yield* world.paid({ amount })
  const before = yield* world.merchant.balance()
  const charge = world.simulator.all("charge")[0]!
  const heldAs = (kind: string) =>
    Effect.map(said(world.api.operator("GET", `/held_up?kind=${kind}`)), ({ data }) => (data as ReadonlyArray<Json>)[0])
  return { ...world, sold: order, before, charge, heldAs }
})

describe("another currency than the payment's", () => {
  it.live("is not offered to buyers: each session says so, whatever the account's settings are", () =>
    Effect.gen(function* () {
      const { choose, control, order, sessions } = yield* connected()
      const made = yield* order()
      yield* choose(made)
      const [session] = sessions(made)
      assert.deepStrictEqual(session!.adaptive_pricing, { enabled: false })
      const refused = yield* Effect.flip(control.pay({ session: session!.id, presented: inEuro }))
      assert.include(refused.message, "currency_not_offered")
    })
  )

  for (const [outcome, taken] of [
    ["won", 0],
    ["lost", amount]
  ] as const) {
    it.live(`in a dispute freezes the payment's own amount, is held up with both, and is ${outcome}`, () =>
      Effect.gen(function* () {
        const { before, charge, control, heldAs, merchant, settled, sold: order, sql } = yield* sold()
        const { id } = yield* control.open_dispute({ charge: charge.id, ...inEuro })
        yield* settled
        const dispute = (yield* merchant.get(`/v1/disputes/${id}`)).body.data
        assert.deepStrictEqual(
          [dispute.status, dispute.amount, dispute.currency, dispute.trade_no],
          ["needs_response", amount, "USD", order["trade_no"]]
        )
        const books = yield* merchant.balance()
        assert.deepStrictEqual([books.available, books.frozen], [before.available - amount, amount])
        const held = (yield* heldAs("dispute"))!
        assert.deepInclude(held, { id: dispute.dispute_no, amount, currency: "USD", due_by: dispute.evidence_due_by })
        assert.include(held["text"], "1850 EUR")
        yield* control.decide_dispute({ dispute: id, outcome })
        yield* settled
        const after = (yield* merchant.get(`/v1/disputes/${id}`)).body.data
        assert.strictEqual(after.status, outcome)
        const end = yield* merchant.balance()
        assert.deepStrictEqual([end.available, end.frozen], [before.available - taken - (after.fee ?? 0), 0])
        assert.isUndefined(yield* heldAs("dispute"))
        yield* assertLedgerWhole(sql)
      })
    )
  }

  it.live("in a dispute after a refund freezes what is left of the payment", () =>
    Effect.gen(function* () {
      const { before, charge, control, merchant, settled, sold: order } = yield* sold()
      yield* merchant.post("/v1/refunds", { trade_no: order["trade_no"], out_refund_no: "R1", amount: 500 })
      yield* settled
      yield* control.open_dispute({ charge: charge.id, ...inEuro })
      yield* settled
      const books = yield* merchant.balance()
      assert.deepStrictEqual([books.available, books.frozen], [before.available - amount, amount - 500])
    })
  )

  for (const whoSees of ["an event", "the merchant's own answer"] as const) {
    it.live(`in an inquiry freezes nothing, and its chargeback the payment's own amount, as ${whoSees} shows it`, () =>
      Effect.gen(function* () {
        const { before, charge, control, heldAs, merchant, settled, sql } = yield* sold()
        const { id } = yield* control.open_dispute({ charge: charge.id, ...inEuro, is_inquiry: true })
        yield* settled
        const read = Effect.map(merchant.get(`/v1/disputes/${id}`), ({ body }) => body.data)
        assert.deepInclude(yield* read, { status: "needs_response", funds_frozen: false, amount, currency: "USD" })
        assert.deepStrictEqual(yield* merchant.balance(), before)
        assert.include((yield* heldAs("dispute"))!["text"], "1850 EUR")
        if (whoSees !== "an event") {
          yield* control.hold_webhooks({})
          yield* control.decide_dispute({ dispute: id, outcome: "escalated" })
          const tea = { evidence: { product_description: "Tea" }, submit: true }
          assert.strictEqual((yield* merchant.respond((yield* read).dispute_no, tea)).status, 409)
          yield* control.release_webhooks({})
        } else yield* control.decide_dispute({ dispute: id, outcome: "escalated" })
        yield* settled
        assert.deepInclude(yield* read, { status: "needs_response", funds_frozen: true, amount, currency: "USD" })
        const books = yield* merchant.balance()
        assert.deepStrictEqual([books.available, books.frozen], [before.available - amount, amount])
        assert.include((yield* heldAs("dispute"))!["text"], "1850 EUR")
        yield* control.decide_dispute({ dispute: id, outcome: "won" })
        yield* settled
        assert.deepStrictEqual(yield* merchant.balance(), before)
        yield* assertLedgerWhole(sql)
      })
    )
  }

  it.live("in an inquiry whose payment was refunded in part freezes the whole once it is a chargeback", () =>
    Effect.gen(function* () {
      const { before, charge, control, merchant, pass, settled, sold: order, sql } = yield* sold()
      const { id } = yield* control.open_dispute({ charge: charge.id, ...inEuro, is_inquiry: true })
      yield* settled
      const refund = { trade_no: order["trade_no"], out_refund_no: "R1", amount: 500 }
      assert.strictEqual((yield* merchant.post("/v1/refunds", refund)).status, 201)
      yield* pass("10 minutes")
      yield* control.fault({ on: "webhook charge.dispute.*", kind: "lose", times: 2 })
      yield* control.decide_dispute({ dispute: id, outcome: "escalated" })
      yield* control.decide_dispute({ dispute: id, outcome: "lost" })
      yield* settled
      const { fee } = (yield* merchant.get(`/v1/disputes/${id}`)).body.data
      const books = yield* merchant.balance()
      assert.deepStrictEqual([books.available, books.frozen], [before.available - 500 - amount - fee, 0])
      yield* assertLedgerWhole(sql)
    })
  )

  it.live("in a dispute about an unmatched payment takes that payment's amount", () =>
    Effect.gen(function* () {
      const { api, choose, control, merchant, order, pass, sessions, settled, simulator, sql } = yield* connected()
      const made = yield* order()
      yield* choose(made)
      yield* merchant.post(`/v1/test_helpers/orders/${made.trade_no}/pay`)
      yield* control.hold_webhooks({})
      yield* control.pay({ session: sessions(made)[0]!.id })
      yield* control.open_dispute({ charge: simulator.all("charge")[0]!.id, ...inEuro })
      yield* Effect.andThen(control.release_webhooks({}), settled)
      // The dispute may be read before its payment is recorded, and is read again.
      yield* pass("1 minute")
      const [row] = yield* sql<{ taken: number }>`
        select (unapplied_payments -> 0 -> 'dispute' -> 'taken')::int as taken from orders`
      assert.strictEqual(row!.taken, amount)
      const { data } = yield* said(api.operator("GET", "/held_up?kind=unapplied_payment"))
      const held = (data as ReadonlyArray<Json>)[0]!
      assert.deepInclude(held, { amount, currency: "USD", status: "parked" })
      assert.include(held["text"], "needs_response")
    })
  )

  it.live("in a manual refund of an unmatched payment counts by the payment's own amount", () =>
    Effect.gen(function* () {
      const { api, choose, control, merchant, order, pass, sessions, settled, simulator, stripe } = yield* connected()
      const made = yield* order()
      yield* choose(made)
      yield* control.hold_webhooks({})
      yield* merchant.post(`/v1/test_helpers/orders/${made.trade_no}/pay`)
      yield* control.pay({ session: sessions(made)[0]!.id })
      const charge = simulator.all("charge")[0]!
      yield* Effect.promise(() => stripe.refunds.create({ charge: charge.id, amount: 500 }))
      yield* Effect.andThen(control.release_webhooks({}), settled)
      yield* pass("3 minutes")
      const held = Effect.map(
        said(api.operator("GET", "/held_up?kind=unapplied_payment")),
        ({ data }) => (data as ReadonlyArray<Json>)[0]
      )
      assert.strictEqual((yield* held)!["status"], "parked")
      // Its number is larger than the rest, and its money is not.
      const presented = { currency: "jpy", amount: 9_000 }
      yield* control.refund_in_dashboard({ charge: charge.id, amount: 500, presented })
      yield* settled
      yield* pass("3 minutes")
      const left = yield* held
      assert.strictEqual(left?.["status"], "parked", "1,000 are left of it")
      yield* control.refund_in_dashboard({ charge: charge.id, amount: 1_000, presented })
      yield* settled
      yield* pass("3 minutes")
      assert.isUndefined(yield* held)
    })
  )
})
