/** Disputes about unmatched payments: the operator sees them, and both books agree (silences: O39). */
import { assert, describe, it } from "@effect/vitest"
import { type Duration, Effect } from "effect"
import { type Json, said } from "../kit/Merchant.ts"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { connected } from "./kit.ts"

/** An order that is paid at the sandbox's bank, and a second time at Stripe. */
const paidTwice = Effect.fnUntraced(function* (how: { readonly pays?: string } = {}) {
  const world = yield* connected()
  const { api, choose, control, merchant, order, sessions, settled, simulator } = world
  const made = yield* order()
  yield* choose(made)
  yield* merchant.post(`/v1/test_helpers/orders/${made.trade_no}/pay`)
  const books = yield* merchant.balance()
  yield* control.pay({ session: sessions(made)[0]!.id, ...(how.pays === undefined ? {} : { with: how.pays }) })
  yield* settled
  const charge = simulator.all("charge")[0]!
  const disputeOf = () => simulator.all("dispute").at(-1)!
  const held = Effect.map(
    said(api.operator("GET", "/held_up?kind=unapplied_payment")),
    ({ data }) => (data as ReadonlyArray<Json>)[0]
  )
  const open = Effect.andThen(control.open_dispute({ charge: charge.id }), settled)
  const decide = (outcome: "won" | "lost") =>
    Effect.andThen(
      Effect.suspend(() => control.decide_dispute({ dispute: disputeOf().id, outcome })),
      settled
    )
  const differences = Effect.map(
    said(api.operator("GET", "/reconciliation?status=open")),
    ({ data }) => data as ReadonlyArray<Json>
  )
  /** The books are compared once, so much later. */
  const compared = (time: Duration.Input = "27 hours") =>
    Effect.gen(function* () {
      yield* world.sql`update stripe_polls set due_at = '9999-12-31', movements_due_at = '9999-12-31'`
      yield* world.leap(time)
      yield* world.sql`update stripe_polls set movements_due_at = 'epoch'`
      yield* world.leap("61 minutes")
      return yield* differences
    })
  return { ...world, made, books, disputeOf, held, open, decide, compared }
})

describe("a dispute about an unmatched payment", () => {
  it.live("is shown to the operator with its number and deadline, and no merchant has a dispute", () =>
    Effect.gen(function* () {
      const { books, compared, disputeOf, held, merchant, pass, sql } = yield* paidTwice({
        pays: "pm_card_createDispute"
      })
      yield* pass("3 minutes")
      const shown = (yield* held)!
      assert.deepInclude(shown, { status: "parked", waits_for: "operator" })
      assert.include(shown["text"], `its dispute ${disputeOf().id} is needs_response, respond at the channel by`)
      assert.deepStrictEqual((yield* merchant.get("/v1/disputes")).body.data.data, [])
      assert.deepStrictEqual(yield* merchant.balance(), books)
      assert.deepStrictEqual(yield* compared(), [], "both books know what the bank has taken")
      yield* assertLedgerWhole(sql)
    })
  )

  it.live("that is lost has given the money back: the merchant gets the event, and nothing is left to decide", () =>
    Effect.gen(function* () {
      const { books, compared, decide, held, merchant, pass } = yield* paidTwice({ pays: "pm_card_createDispute" })
      yield* pass("3 minutes")
      yield* decide("lost")
      assert.isUndefined(yield* held)
      assert.include(yield* merchant.events(), "payment.duplicate_refunded")
      assert.deepStrictEqual(yield* merchant.balance(), books)
      assert.deepStrictEqual(yield* compared(), [])
    })
  )

  it.live("that is won stays with the operator, who has the money at Stripe", () =>
    Effect.gen(function* () {
      const { compared, decide, held, merchant, pass } = yield* paidTwice({ pays: "pm_card_createDispute" })
      yield* pass("3 minutes")
      yield* decide("won")
      const shown = (yield* held)!
      assert.strictEqual(shown["status"], "parked")
      assert.include(shown["text"], "is won")
      assert.notInclude(yield* merchant.events(), "payment.duplicate_refunded")
      assert.deepStrictEqual(yield* compared(), [])
    })
  )

  it.live("of a payment that had gone back already is shown, and its loss is in both books", () =>
    Effect.gen(function* () {
      const { compared, control, decide, held, merchant, made, simulator, sql, settled } = yield* paidTwice()
      assert.isUndefined(yield* held, "it went back")
      // Stripe takes such a dispute where the refund came too late for the bank.
      yield* control.open_dispute({ charge: simulator.all("charge")[0]!.id })
      yield* settled
      assert.include((yield* held)!["text"], "needs_response")
      yield* decide("lost")
      assert.isUndefined(yield* held)
      assert.deepStrictEqual(yield* compared(), [])
      const events = yield* merchant.events()
      assert.lengthOf(
        events.filter((type) => type === "payment.duplicate_refunded"),
        1,
        made.trade_no
      )
      yield* assertLedgerWhole(sql)
    })
  )

  it.live("that is reported before its payment waits for it", () =>
    Effect.gen(function* () {
      const { choose, control, merchant, order, pass, sessions, settled, api } = yield* connected()
      const made = yield* order()
      yield* choose(made)
      yield* merchant.post(`/v1/test_helpers/orders/${made.trade_no}/pay`)
      yield* control.hold_webhooks({})
      yield* control.pay({ session: sessions(made)[0]!.id, with: "pm_card_createDispute" })
      yield* control.release_webhooks({ order: "newest_first" })
      yield* settled
      yield* pass("1 minute")
      const { data } = yield* said(api.operator("GET", "/held_up?kind=unapplied_payment"))
      assert.include(data[0].text, "needs_response")
    })
  )
})
