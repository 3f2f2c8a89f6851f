/** The simulator's payments, asked by the official client. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import type { Stripe } from "stripe"
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

describe("a payment that is captured later", () => {
  const held = Effect.fnUntraced(function* (
    { stripe }: Effect.Success<ReturnType<typeof begin>>,
    more: Partial<Stripe.PaymentIntentCreateParams> = {}
  ) {
    const asked = { amount: 2_000, currency: "usd", confirm: true, payment_method: "pm_card_visa" }
    return yield* ask(() => stripe.paymentIntents.create({ ...asked, capture_method: "manual", ...more }))
  })
  const told = ({ all }: Effect.Success<ReturnType<typeof begin>>) => all("event").map(({ type }) => type)

  it.live("moves no money until it is, and takes all of it then", () =>
    Effect.gen(function* () {
      const world = yield* begin()
      const { all, stripe } = world
      const intent = yield* held(world)
      assert.deepInclude(intent, { status: "requires_capture", amount_capturable: 2_000, amount_received: 0 })
      assert.deepStrictEqual(intent.payment_method_types, ["card"])
      assert.deepInclude(all("charge")[0]!, { paid: true, captured: false, amount_captured: 0 })
      assert.deepStrictEqual(all("balance_transaction"), [])
      const captured = yield* ask(() => stripe.paymentIntents.capture(intent.id))
      assert.deepInclude(captured, { status: "succeeded", amount_capturable: 0, amount_received: 2_000 })
      assert.deepInclude(all("charge")[0]!, { captured: true, amount_captured: 2_000 })
      assert.lengthOf(all("balance_transaction"), 1)
      assert.deepStrictEqual(told(world), [
        "payment_intent.created",
        "charge.succeeded",
        "payment_intent.amount_capturable_updated",
        "charge.captured",
        "payment_intent.succeeded"
      ])
      const again = yield* refusal(() => stripe.paymentIntents.capture(intent.id))
      assert.strictEqual(again.code, "payment_intent_unexpected_state")
    }).pipe(Effect.scoped)
  )

  it.live("is captured in part once: the balance, refunds and disputes count that, and the rest is released", () =>
    Effect.gen(function* () {
      const world = yield* begin()
      const { all, control, stripe } = world
      const { id } = yield* held(world)
      const capture = (amount: number) => () => stripe.paymentIntents.capture(id, { amount_to_capture: amount })
      assert.deepInclude(yield* refusal(capture(2_001)), { code: "amount_too_large", param: "amount_to_capture" })
      assert.deepInclude(yield* ask(capture(1_500)), { amount: 2_000, amount_capturable: 0, amount_received: 1_500 })
      assert.strictEqual((yield* refusal(capture(500))).code, "payment_intent_unexpected_state")
      assert.deepInclude(all("charge")[0]!, { amount: 2_000, amount_captured: 1_500, refunded: false })
      assert.deepInclude(all("balance_transaction")[0]!, { amount: 1_500, fee: 74 })
      const dispute = yield* control.open_dispute({ charge: all("charge")[0]!.id, is_inquiry: true })
      assert.strictEqual(dispute.amount, 1_500)
      assert.strictEqual(
        (yield* refusal(() => stripe.refunds.create({ payment_intent: id, amount: 1_501 }))).param,
        "amount"
      )
      assert.strictEqual((yield* ask(() => stripe.refunds.create({ payment_intent: id }))).amount, 1_500)
      assert.isTrue(all("charge")[0]!.refunded)
    }).pipe(Effect.scoped)
  )

  it.live("in a session ends the session unpaid until then, says how long it is held, and is no wallet's", () =>
    Effect.gen(function* () {
      const { all, control, stripe } = yield* begin()
      const terms = sessionOf(2_000, { payment_intent_data: { capture_method: "manual" } })
      const { id, payment_method_types: methods } = yield* ask(() => stripe.checkout.sessions.create(terms))
      assert.deepStrictEqual(methods, ["card"])
      const { payment_intent: intent, session } = yield* control.pay({ session: id })
      assert.deepInclude(session, { status: "complete", payment_status: "unpaid" })
      assert.deepInclude(intent, { status: "requires_capture", capture_method: "manual" })
      assert.strictEqual(all("charge")[0]!.payment_method_details?.card?.capture_before, began + 7 * 86_400)
      yield* ask(() => stripe.paymentIntents.capture(intent.id))
      assert.strictEqual((yield* ask(() => stripe.checkout.sessions.retrieve(id))).payment_status, "paid")
      assert.lengthOf(
        all("event").filter(({ type }) => type === "checkout.session.completed"),
        1
      )
    }).pipe(Effect.scoped)
  )

  it.live("is released when it is canceled, or was not captured for a week", () =>
    Effect.gen(function* () {
      const world = yield* begin()
      const { all, control, stripe } = world
      const [first, second, third] = [yield* held(world), yield* held(world), yield* held(world)]
      yield* ask(() => stripe.paymentIntents.cancel(first.id))
      yield* ask(() => stripe.paymentIntents.capture(second.id))
      yield* control.advance({ seconds: 7 * 86_400 })
      const ends = yield* ask(() => stripe.paymentIntents.list())
      assert.deepStrictEqual(
        ends.data.map(({ cancellation_reason, id, status }) => [id, status, cancellation_reason]),
        [
          [third.id, "canceled", "automatic"],
          [second.id, "succeeded", null],
          [first.id, "canceled", null]
        ]
      )
      assert.lengthOf(all("balance_transaction"), 1)
      for (const { captured, refunded } of all("charge")) assert.strictEqual(refunded, !captured)
      assert.includeMembers(told(world), ["charge.refunded", "charge.expired"])
    }).pipe(Effect.scoped)
  )

  it.live("is neither refunded nor disputed before, and asks no buyer twice", () =>
    Effect.gen(function* () {
      const world = yield* begin()
      const { control, stripe } = world
      const charge = String((yield* held(world)).latest_charge)
      const refund = yield* refusal(() => stripe.refunds.create({ charge }))
      assert.deepInclude(refund, { code: "simulator_unsupported", param: "charge" })
      assert.isTrue(Exit.isFailure(yield* Effect.exit(control.open_dispute({ charge }))))
      const asked = yield* Effect.exit(
        held(world, { confirmation_method: "manual", payment_method: "pm_card_authenticationRequired" })
      )
      assert.include(String(asked), "a second confirmation")
    }).pipe(Effect.scoped)
  )
})

describe("money that is available immediately", () => {
  it.live("is in the balance, and an event shows the balance", () =>
    Effect.gen(function* () {
      const world = yield* begin({ chargeBookedAfter: 2 })
      yield* paid(world, { amount: 2_000, with: "pm_card_bypassPending" })
      yield* paid(world, { amount: 1_000 })
      yield* world.control.advance({ seconds: 2 })
      const { available, pending } = yield* ask(() => world.stripe.balance.retrieve())
      assert.deepStrictEqual([available[0]!.amount, pending[0]!.amount], [1_912, 941])
      const [event, ...others] = world.all("event").filter(({ type }) => type === "balance.available")
      assert.deepStrictEqual(others, [])
      assert.deepNestedInclude(event!.data.object, { object: "balance", "available[0].amount": 1_912 })
    }).pipe(Effect.scoped)
  )
})
