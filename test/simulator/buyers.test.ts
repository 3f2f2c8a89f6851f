/** Acts of buyers: cards that need them, wallets that they are sent to, and sessions that end meanwhile. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { testCards } from "../../packages/simulator/src/cards/cards.ts"
import { ask, began, begin, paid, refusal, sessionOf } from "./kit.ts"

const open = Effect.fnUntraced(function* () {
  const world = yield* begin()
  const session = yield* ask(() => world.stripe.checkout.sessions.create(sessionOf()))
  const again = () => ask(() => world.stripe.checkout.sessions.retrieve(session.id))
  const expire = () => world.stripe.checkout.sessions.expire(session.id)
  return { ...world, session, again, expire }
})

describe("buyers", () => {
  for (const wallet of ["alipay", "wechat_pay"]) {
    it.live(`a buyer with ${wallet} is asked there, and pays or does not`, () =>
      Effect.gen(function* () {
        const { again, control, session, stripe } = yield* open()
        const { payment_intent: intent } = yield* control.pay({ session: session.id, with: wallet })
        assert.strictEqual(intent.status, "requires_action")
        yield* control.authorise({ payment_intent: intent.id, succeeds: false })
        const failed = yield* ask(() => stripe.paymentIntents.retrieve(intent.id))
        assert.deepInclude(failed, { status: "requires_payment_method", next_action: null })
        yield* control.pay({ session: session.id, with: wallet, authorises: true })
        const after = yield* again()
        assert.deepInclude(after, { status: "complete", payment_status: "paid", payment_intent: intent.id })
        const charges = yield* ask(() => stripe.charges.list({ payment_intent: intent.id }))
        assert.deepStrictEqual(
          charges.data.map(({ payment_method_details }) => payment_method_details?.type),
          [wallet]
        )
      }).pipe(Effect.scoped)
    )
  }

  it.live("a payment by WeChat Pay says where its buyer is", () =>
    Effect.gen(function* () {
      const { stripe } = yield* begin()
      const method = yield* ask(() => stripe.paymentMethods.create({ type: "wechat_pay" }))
      const create = (options: object) =>
        stripe.paymentIntents.create({
          amount: 2_000,
          currency: "usd",
          confirm: true,
          payment_method: method.id,
          allowed_payment_method_types: ["wechat_pay"],
          ...options
        })
      const error = yield* refusal(() => create({}))
      assert.strictEqual(error.param, "payment_method_options[wechat_pay][client]")
      const intent = yield* ask(() => create({ payment_method_options: { wechat_pay: { client: "web" } } }))
      assert.deepStrictEqual(
        [intent.status, intent.next_action?.type, intent.payment_method_options?.wechat_pay?.client],
        ["requires_action", "wechat_pay_display_qr_code", "web"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("a card that needs 3D Secure is paid when the buyer authorises, and may be declined after it", () =>
    Effect.gen(function* () {
      const { again, control, session } = yield* open()
      const declined = yield* control.pay({ session: session.id, with: "4000008260003178", authorises: true })
      assert.strictEqual(declined.payment_intent.last_payment_error?.decline_code, "insufficient_funds")
      yield* control.pay({ session: session.id, with: "4000002760003184", authorises: true })
      assert.strictEqual((yield* again()).status, "complete")
    }).pipe(Effect.scoped)
  )

  it.live("a session expires automatically, and a payment that was begun in it is canceled", () =>
    Effect.gen(function* () {
      const { again, control, session, stripe } = yield* open()
      const { payment_intent: intent } = yield* control.pay({ session: session.id, with: "alipay" })
      yield* control.move_to({ time: began + 86_399 })
      assert.strictEqual((yield* again()).status, "open")
      yield* control.advance({ seconds: 1 })
      assert.deepInclude(yield* again(), { status: "expired", url: null })
      const canceled = yield* ask(() => stripe.paymentIntents.retrieve(intent.id))
      assert.deepInclude(canceled, { status: "canceled", cancellation_reason: "expired" })
      const late = yield* Effect.flip(control.authorise({ payment_intent: intent.id, succeeds: true }))
      assert.strictEqual(late._tag, "ControlRefused")
    }).pipe(Effect.scoped)
  )

  it.live("a session cannot be expired when it is paid, expired, or its payment is being processed", () =>
    Effect.gen(function* () {
      const busy = yield* open()
      yield* busy.control.pay({ session: busy.session.id, processing: 60 })
      assert.strictEqual((yield* refusal(busy.expire)).statusCode, 400)
      assert.strictEqual((yield* busy.again()).payment_status, "unpaid")
      yield* busy.control.advance({ seconds: 60 })
      assert.strictEqual((yield* busy.again()).payment_status, "paid")
      assert.include((yield* refusal(busy.expire)).message, "complete")
      const other = yield* open()
      assert.strictEqual((yield* ask(other.expire)).status, "expired")
      assert.include((yield* refusal(other.expire)).message, "expired")
      assert.include((yield* Effect.flip(other.control.pay({ session: other.session.id }))).message, "expired")
    }).pipe(Effect.scoped)
  )

  it.live("every test card has an outcome whose answers have Stripe's form", () =>
    Effect.gen(function* () {
      const { again: _, control, stripe } = yield* open()
      for (const { behaviour, names, number } of testCards) {
        const session = yield* ask(() => stripe.checkout.sessions.create(sessionOf()))
        const { payment_intent: intent } = yield* control.pay({ session: session.id, with: number, authorises: true })
        const isRefused = behaviour.includes("declined") || behaviour === "blocked"
        assert.strictEqual(intent.status, isRefused ? "requires_payment_method" : "succeeded", `${number} ${behaviour}`)
        yield* ask(() => stripe.paymentIntents.retrieve(intent.id, { expand: ["latest_charge", "payment_method"] }))
        for (const name of names) yield* ask(() => stripe.paymentMethods.retrieve(name))
      }
      yield* ask(() => stripe.disputes.list({ expand: ["data.charge"] }))
      yield* ask(() => stripe.events.list({ limit: 100 }).autoPagingToArray({ limit: 1_000 }))
    }).pipe(Effect.scoped)
  )
})

describe("refunds", () => {
  it.live("a refund that pends succeeds later, and one that succeeded may fail later", () =>
    Effect.gen(function* () {
      const world = yield* begin()
      const slow = yield* paid(world, { with: "pm_card_pendingRefund" })
      const bad = yield* paid(world, { with: "pm_card_refundFail" })
      const refund = (charge: string) => ask(() => world.stripe.refunds.create({ charge, amount: 700 }))
      const [first, second] = [yield* refund(slow.id), yield* refund(bad.id)]
      assert.deepStrictEqual([first.status, second.status], ["pending", "succeeded"])
      yield* world.control.advance({ seconds: 60 })
      const again = (id: string) => ask(() => world.stripe.refunds.retrieve(id))
      assert.strictEqual((yield* again(first.id)).status, "succeeded")
      const failed = yield* again(second.id)
      assert.deepInclude(failed, { status: "failed", failure_reason: "expired_or_canceled_card" })
      const charge = yield* ask(() => world.stripe.charges.retrieve(bad.id))
      assert.strictEqual(charge.amount_refunded, 0)
      const entries = yield* ask(() => world.stripe.balanceTransactions.list({ source: second.id }))
      assert.strictEqual(
        entries.data.reduce((sum, { net }) => sum + net, 0),
        0
      )
    }).pipe(Effect.scoped)
  )

  it.live("a test says what becomes of the next refund", () =>
    Effect.gen(function* () {
      const world = yield* begin()
      const charge = yield* paid(world)
      yield* world.control.refund_fates({ fates: ["pends", "requires_action"] })
      const one = yield* ask(() => world.stripe.refunds.create({ charge: charge.id, amount: 100 }))
      yield* world.control.advance({ seconds: 86_400 })
      assert.strictEqual((yield* ask(() => world.stripe.refunds.retrieve(one.id))).status, "pending")
      assert.strictEqual((yield* world.control.complete_refund({ refund: one.id })).status, "succeeded")
      assert.strictEqual((yield* world.control.fail_refund({ refund: one.id })).status, "failed")
      const two = yield* ask(() => world.stripe.refunds.create({ charge: charge.id, amount: 100 }))
      assert.strictEqual(two.status, "requires_action")
      assert.strictEqual((yield* ask(() => world.stripe.refunds.cancel(two.id))).status, "canceled")
      assert.strictEqual((yield* refusal(() => world.stripe.refunds.cancel(two.id))).statusCode, 400)
    }).pipe(Effect.scoped)
  )

  it.live("a charge has no balance transaction until it is settled", () =>
    Effect.gen(function* () {
      const world = yield* begin({ chargeBookedAfter: 2 })
      const charge = yield* paid(world)
      assert.isNull(charge.balance_transaction)
      yield* world.control.advance({ seconds: 2 })
      const [updated] = (yield* ask(() => world.stripe.events.list({ type: "charge.updated" }))).data
      assert.isString((updated!.data.object as typeof charge).balance_transaction)
    }).pipe(Effect.scoped)
  )
})
