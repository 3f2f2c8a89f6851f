/** The simulator's payments, asked by the official client. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ask, begin, began, paid, refusal, sessionOf } from "./kit.ts"

describe("a payment in a session", () => {
  it.live("a session is paid by a card, and its charge shows the fee", () =>
    Effect.gen(function* () {
      const { control, stripe } = yield* begin()
      const session = yield* ask(() => stripe.checkout.sessions.create(sessionOf(2_000, { client_reference_id: "T1" })))
      assert.deepInclude(session, {
        status: "open",
        payment_status: "unpaid",
        payment_intent: null,
        amount_total: 2_000
      })
      assert.strictEqual(session.expires_at, began + 86_400)
      yield* control.pay({ session: session.id })
      const after = yield* ask(() =>
        stripe.checkout.sessions.retrieve(session.id, {
          expand: ["payment_intent.latest_charge.balance_transaction", "line_items"]
        })
      )
      assert.deepInclude(after, { status: "complete", payment_status: "paid", client_reference_id: "T1" })
      assert.strictEqual(after.line_items?.data[0]?.amount_total, 2_000)
      const intent = after.payment_intent as Exclude<typeof after.payment_intent, string | null>
      const charge = intent.latest_charge as Exclude<typeof intent.latest_charge, string | null>
      assert.deepInclude(charge, { status: "succeeded", paid: true, amount: 2_000 })
      assert.deepInclude(charge.balance_transaction as object, {
        amount: 2_000,
        fee: 88,
        net: 1_912,
        status: "pending"
      })
    }).pipe(Effect.scoped)
  )

  it.live("a declined card leaves the session open, and tells why", () =>
    Effect.gen(function* () {
      const { control, stripe } = yield* begin()
      const session = yield* ask(() => stripe.checkout.sessions.create(sessionOf()))
      const { payment_intent: intent } = yield* control.pay({
        session: session.id,
        with: "pm_card_visa_chargeDeclinedInsufficientFunds"
      })
      assert.deepInclude(intent, { status: "requires_payment_method" })
      assert.deepInclude(intent.last_payment_error!, { code: "card_declined", decline_code: "insufficient_funds" })
      yield* control.pay({ session: session.id, with: "4242 4242 4242 4242" })
      const after = yield* ask(() => stripe.checkout.sessions.retrieve(session.id))
      assert.strictEqual(after.status, "complete")
      const charges = yield* ask(() => stripe.charges.list({ payment_intent: String(after.payment_intent) }))
      assert.deepStrictEqual(
        charges.data.map(({ status }) => status),
        ["succeeded", "failed"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("a refund, in part and then too much", () =>
    Effect.gen(function* () {
      const world = yield* begin()
      const charge = yield* paid(world)
      const refund = yield* ask(() =>
        world.stripe.refunds.create({ charge: charge.id, amount: 500, metadata: { refund_no: "R1" } })
      )
      assert.deepInclude(refund, { status: "succeeded", amount: 500, metadata: { refund_no: "R1" } })
      const error = yield* refusal(() => world.stripe.refunds.create({ charge: charge.id, amount: 1_501 }))
      assert.deepInclude(error, { type: "StripeInvalidRequestError", param: "amount", statusCode: 400 })
    }).pipe(Effect.scoped)
  )
})
