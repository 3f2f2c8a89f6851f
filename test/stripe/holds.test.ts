/**
 * Amounts that Stripe holds and the merchant captures later (silences: O75): the buyer's session, captures in part,
 * what is given up, what a hand in Stripe's dashboard does, and what is lost, late and twice on the way.
 */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import type { Stripe } from "stripe"
import type { Reply } from "../kit/Api.ts"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { assertRefused, feeOf, type Json, said } from "../kit/Merchant.ts"
import { erasedBy } from "../kit/stories/erasures.ts"
import { leadsTo, onOneWorld, sharedWorld } from "./kit.ts"

const amount = 2_000
const capturing = "POST /v1/payment_intents/*/capture"
const canceling = "POST /v1/payment_intents/*/cancel"
const told = ["payment.authorized", "payment.succeeded", "payment.captured"]

const shop = Effect.gen(function* () {
  const world = yield* sharedWorld
  const { all } = world.simulator
  const { choose, control, merchant, order, sessions, settled, stripe } = world
  const intent = () => all("payment_intent").at(-1)!
  /** The buyer has agreed on Stripe's page. */
  const agreed = Effect.fnUntraced(function* (terms: Json = {}) {
    const made = yield* order({ capture: "manual", ...terms })
    yield* choose(made)
    yield* control.pay({ session: sessions(made).at(-1)!.id })
    return made.trade_no
  })
  const held = (terms?: Json) => Effect.tap(agreed(terms), () => settled)
  const byHand = (act: (intents: Stripe["paymentIntents"], id: string) => Promise<unknown>) =>
    Effect.promise(() => act(stripe.paymentIntents, intent().id))
  const is = (ref: string, expected: Json) =>
    Effect.map(merchant.order(ref), (now) => assert.deepInclude(now, expected))
  /** Neither books have anything that the other lacks. */
  const ends = Effect.fnUntraced(function* (ref: string, captured: number, events: ReadonlyArray<string>) {
    yield* settled
    assert.deepStrictEqual(yield* merchant.events(ref), events)
    const entries = captured === 0 ? [] : [captured]
    assert.deepStrictEqual(
      all("balance_transaction").map(({ amount }) => amount),
      entries
    )
    const credits = (yield* merchant.ledger()).flatMap(([type, sum]) => (type === "payment_credit" ? [sum] : []))
    assert.deepStrictEqual(credits, entries)
    yield* assertLedgerWhole(world.sql)
  })
  return { ...world, all, intent, agreed, held, byHand, is, ends }
})

const whyOf = ({ body, headers, status }: Reply) => [status, headers.get("coffer-reason") ?? body.data?.status]

onOneWorld((it) => {
  describe("an order with capture: manual at Stripe", () => {
    it.effect(
      "is authorized on Stripe's page, until the time that Stripe says, and captured in part: the rest is free",
      () =>
        Effect.gen(function* () {
          const { all, ends, held, intent, is, merchant, sessions } = yield* shop
          const ref = yield* held()
          const until = new Date(all("charge")[0]!.payment_method_details!.card!.capture_before! * 1_000).toISOString()
          yield* is(ref, { status: "authorized", captured_amount: null, payment_id: null, paid_at: null })
          assert.strictEqual(Date.parse((yield* merchant.order(ref))["capture_by"]), Date.parse(until))
          assert.deepStrictEqual(yield* merchant.ledger(), [])
          assert.strictEqual(sessions({ trade_no: ref }).length, 1)
          const paid = yield* said(merchant.capture(ref, { amount: 1_500 }))
          const fee = feeOf(1_500)
          assert.deepInclude(paid, { status: "paid", captured_amount: 1_500, amount, fee, net_amount: 1_500 - fee })
          assert.deepInclude(paid, { payment_id: intent().id, paid_card: { brand: "visa", last4: "4242" } })
          assert.deepInclude(intent(), { status: "succeeded", amount_received: 1_500, amount_capturable: 0 })
          assert.deepStrictEqual(yield* said(merchant.capture(ref, { amount: 1_500 })), yield* merchant.order(ref))
          assert.deepStrictEqual(whyOf(yield* merchant.capture(ref, { amount: 500 })), [409, "captured"])
          yield* ends(ref, 1_500, told)
        })
    )

    it.effect("of a buyer who was erased meanwhile does not get the card with the capture", () =>
      Effect.gen(function* () {
        const world = yield* shop
        const ref = yield* world.held({ receipt_email: "ann@shop.example" })
        yield* erasedBy(world, world.merchant, { trade_no: ref })
        yield* said(world.merchant.capture(ref))
        yield* world.is(ref, { status: "paid", paid_card: null, receipt_email: null })
      })
    )

    it.effect("is paid by methods that can wait alone, and its buyer is told that nothing is charged yet", () =>
      Effect.gen(function* () {
        const { choose, control, order, page, sessions, settled } = yield* shop
        const made = yield* order({ capture: "manual", locale: "en" })
        yield* choose(made, "alipay")
        assert.deepStrictEqual(sessions(made), [], "a wallet charges when its buyer confirms")
        assert.strictEqual(leadsTo(yield* page(made)), sessions(made)[0]!.url, "there is only the card")
        yield* Effect.andThen(control.pay({ session: sessions(made)[0]!.id }), settled)
        assert.match((yield* page(made)).text, /Your bank holds .*20\.00.* You have not been charged yet/)
        yield* choose(made)
        assert.lengthOf(sessions(made), 1, "and no second session")
      })
    )

    it.effect("that is not manual is charged at once, and its session says nothing of captures", () =>
      Effect.gen(function* () {
        const { all, ends, intent, paid } = yield* shop
        const order = yield* paid()
        assert.notStrictEqual(intent().capture_method, "manual")
        assert.notProperty(order, "capture")
        assert.isFalse(all("event").some(({ type }) => type === "charge.captured"))
        yield* ends(order["trade_no"], amount, ["payment.succeeded"])
      })
    )

    it.effect("is canceled by expire, which cancels the payment; nothing is captured after that", () =>
      Effect.gen(function* () {
        const { ends, held, intent, merchant } = yield* shop
        const ref = yield* held()
        assert.deepStrictEqual(whyOf(yield* merchant.expire(ref)), [200, "canceled"])
        assert.strictEqual(intent().status, "canceled")
        assert.deepStrictEqual(whyOf(yield* merchant.capture(ref)), [409, "not_authorized"])
        yield* ends(ref, 0, ["payment.authorized", "payment.canceled"])
      })
    )

    it.effect("expires when its hold runs out at Stripe, whether or not Stripe tells", () =>
      Effect.gen(function* () {
        const { control, ends, held, is, leap, settled } = yield* shop
        const ref = yield* held()
        yield* control.fault({ on: "webhook *", kind: "lose", times: 100 })
        yield* leap("6 days")
        yield* is(ref, { status: "authorized" })
        yield* Effect.andThen(leap("25 hours"), settled)
        yield* is(ref, { status: "expired" })
        yield* ends(ref, 0, ["payment.authorized", "payment.authorization_expired"])
      })
    )

    it.effect("counts what was captured in refunds, and in disputes in a currency that is not its own", () =>
      Effect.gen(function* () {
        const { all, control, held, is, merchant, settled } = yield* shop
        const ref = yield* held()
        yield* said(merchant.capture(ref, { amount: 1_500 }))
        yield* control.open_dispute({ charge: all("charge")[0]!.id, is_inquiry: true, amount: 1_390, currency: "eur" })
        yield* settled
        const { data } = yield* said(merchant.get("/v1/disputes"))
        assert.deepStrictEqual(
          data.map((dispute: Json) => dispute["amount"]),
          [1_500]
        )
        assertRefused(yield* merchant.refund({ trade_no: ref, amount: 1_501 }), 400, "invalid_request", "amount")
        yield* said(merchant.refund({ trade_no: ref, amount: 400 }))
        yield* is(ref, { status: "partially_refunded", refunded_amount: 400 })
      })
    )
  })

  describe("a hand in Stripe's dashboard", () => {
    it.effect("that captures a part makes the order paid with that, also where no webhook tells", () =>
      Effect.gen(function* () {
        const { byHand, control, ends, held, is, pass, settled, sql } = yield* shop
        const ref = yield* held()
        yield* control.fault({ on: "webhook *", kind: "lose", times: 100 })
        yield* byHand((intents, id) => intents.capture(id, { amount_to_capture: 1_200 }))
        yield* sql`update stripe_polls set due_at = '2000-01-01'`
        yield* Effect.andThen(pass("5 minutes"), settled)
        yield* is(ref, { status: "paid", captured_amount: 1_200 })
        yield* ends(ref, 1_200, told)
      })
    )

    it.effect("that cancels the payment ends the order, and a capture after that is told so", () =>
      Effect.gen(function* () {
        const { byHand, control, ends, held, is, merchant, settled } = yield* shop
        const ref = yield* held()
        yield* control.hold_webhooks({})
        yield* byHand((intents, id) => intents.cancel(id))
        assert.deepStrictEqual(whyOf(yield* merchant.capture(ref)), [409, "authorization_expired"])
        yield* Effect.andThen(control.release_webhooks({ order: "newest_first" }), settled)
        yield* is(ref, { status: "expired" })
        yield* ends(ref, 0, ["payment.authorized", "payment.authorization_expired"])
      })
    )

    it.effect("that captures while the merchant gives the order up wins, and the merchant is told", () =>
      Effect.gen(function* () {
        const { byHand, control, ends, held, merchant } = yield* shop
        const ref = yield* held()
        yield* control.hold_webhooks({})
        yield* byHand((intents, id) => intents.capture(id))
        assert.deepStrictEqual(whyOf(yield* merchant.expire(ref)), [409, "just_paid"])
        yield* control.release_webhooks({})
        yield* ends(ref, amount, told)
      })
    )
  })

  describe("a capture at Stripe", () => {
    for (const kind of ["cut_after", "error_kept_after", "error_after"] as const) {
      it.effect(`whose answer is lost (${kind}) is made once, and found with the amount that was asked for`, () =>
        Effect.gen(function* () {
          const { control, ends, held, is, merchant, pass } = yield* shop
          const ref = yield* held()
          yield* control.hold_webhooks({})
          yield* control.fault({ on: capturing, kind, times: 2 })
          const answered = yield* said(merchant.capture(ref, { amount: 700 }))
          assert.deepInclude(answered, { status: "authorized", capturing_amount: 700 })
          assert.deepStrictEqual(whyOf(yield* merchant.expire(ref)), [409, "capturing"])
          yield* Effect.andThen(control.release_webhooks({}), pass("2 minutes"))
          yield* is(ref, { status: "paid", captured_amount: 700 })
          yield* ends(ref, 700, told)
        })
      )
    }

    it.effect("that Stripe keeps failing for its key is asked for with another", () =>
      Effect.gen(function* () {
        const { control, ends, held, merchant, pass } = yield* shop
        const ref = yield* held()
        yield* control.fault({ on: capturing, kind: "error_kept_before" })
        assert.deepInclude(yield* said(merchant.capture(ref)), { capturing_amount: amount })
        yield* pass("2 minutes")
        yield* ends(ref, amount, told)
      })
    )

    it.effect("that certainly did not reach Stripe leaves the order as it was", () =>
      Effect.gen(function* () {
        const { control, ends, held, is, merchant } = yield* shop
        const ref = yield* held()
        yield* control.fault({ on: "GET /v1/payment_intents/*", kind: "cut_before", times: 2 })
        assert.strictEqual((yield* merchant.capture(ref)).status, 502)
        yield* is(ref, { status: "authorized", capturing_amount: null })
        yield* said(merchant.capture(ref))
        yield* ends(ref, amount, told)
      })
    )

    it.effect("that Stripe refuses leaves the order authorized with Stripe's words, and another one is made", () =>
      Effect.gen(function* () {
        const { control, ends, held, is, merchant } = yield* shop
        const ref = yield* held()
        yield* control.fault({ on: capturing, kind: "refused", code: "card_declined" })
        assertRefused(yield* merchant.capture(ref), 502, "processor_error")
        yield* is(ref, { status: "authorized", capturing_amount: null })
        yield* said(merchant.capture(ref))
        yield* ends(ref, amount, told)
      })
    )

    it.effect("that Stripe refuses late, after its first answer was lost, leaves the order authorized", () =>
      Effect.gen(function* () {
        const { control, ends, held, is, merchant, pass } = yield* shop
        const ref = yield* held()
        yield* control.fault({ on: capturing, kind: "cut_before", times: 2 })
        yield* control.fault({ on: capturing, kind: "refused", code: "card_declined" })
        assert.deepInclude(yield* said(merchant.capture(ref, { amount: 700 })), { capturing_amount: 700 })
        yield* pass("2 minutes")
        yield* is(ref, { status: "authorized", capturing_amount: null })
        yield* said(merchant.capture(ref, { amount: 600 }))
        yield* ends(ref, 600, told)
      })
    )
  })

  describe("a release at Stripe", () => {
    for (const kind of ["cut_before", "cut_after"] as const) {
      it.effect(`whose answer is lost (${kind}) is asked for again, and the order is canceled, not expired`, () =>
        Effect.gen(function* () {
          const { control, ends, held, is, merchant, pass } = yield* shop
          const ref = yield* held()
          yield* control.hold_webhooks({})
          yield* control.fault({ on: canceling, kind, times: 2 })
          assert.deepStrictEqual(whyOf(yield* merchant.expire(ref)), [200, "authorized"])
          assert.deepStrictEqual(whyOf(yield* merchant.capture(ref)), [409, "canceling"])
          yield* Effect.andThen(control.release_webhooks({}), pass("2 minutes"))
          yield* is(ref, { status: "canceled" })
          yield* ends(ref, 0, ["payment.authorized", "payment.canceled"])
        })
      )
    }
  })

  describe("the notice of a hold", () => {
    it.effect("that comes twice, late and backwards, with that of its capture, counts once", () =>
      Effect.gen(function* () {
        const { agreed, all, byHand, control, ends, is, settled } = yield* shop
        yield* control.hold_webhooks({})
        const ref = yield* agreed()
        yield* byHand((intents, id) => intents.capture(id, { amount_to_capture: 900 }))
        yield* Effect.andThen(control.release_webhooks({ order: "newest_first" }), settled)
        for (const { id } of all("event")) yield* control.send_again({ event: id })
        yield* settled
        yield* is(ref, { status: "paid", captured_amount: 900 })
        yield* ends(ref, 900, ["payment.succeeded", "payment.captured"])
      })
    )

    it.effect("that is lost is made up for by the buyer who comes back, and at the order's deadline", () =>
      Effect.gen(function* () {
        const { agreed, control, is, leap, merchant, page, settled } = yield* shop
        yield* control.fault({ on: "webhook *", kind: "lose", times: 100 })
        const [first, second] = [yield* agreed(), yield* agreed()]
        const { checkout_url } = (yield* merchant.order(first)) as { checkout_url: string }
        assert.match((yield* page({ checkout_url }, "?returned=1")).text, /data-state="authorized"|on hold|冻结/)
        yield* is(first, { status: "authorized" })
        yield* is(second, { status: "pending" })
        yield* Effect.andThen(leap("25 hours"), settled)
        yield* is(second, { status: "authorized" })
      })
    )

    it.effect("of an order that has ended releases the amount, and no merchant hears of it", () =>
      Effect.gen(function* () {
        const { agreed, control, ends, intent, merchant, pass } = yield* shop
        yield* control.hold_webhooks({})
        const ref = yield* agreed()
        yield* said(merchant.post(`/v1/test_helpers/orders/${ref}/pay`, { outcome: "fail" }))
        yield* Effect.andThen(control.release_webhooks({}), pass("2 minutes"))
        assert.strictEqual(intent().status, "canceled")
        yield* ends(ref, 0, ["payment.failed"])
      })
    )

    it.effect("of an order that has ended, whose amount was captured by hand meanwhile, gives that amount back", () =>
      Effect.gen(function* () {
        const { agreed, all, byHand, control, merchant, pass, settled } = yield* shop
        yield* control.hold_webhooks({})
        const ref = yield* agreed()
        yield* said(merchant.post(`/v1/test_helpers/orders/${ref}/pay`, { outcome: "fail" }))
        yield* byHand((intents, id) => intents.capture(id, { amount_to_capture: 800 }))
        yield* Effect.andThen(control.release_webhooks({}), pass("2 minutes"))
        yield* settled
        assert.deepStrictEqual(
          all("refund").map(({ amount, status }) => [amount, status]),
          [[800, "succeeded"]]
        )
        assert.deepStrictEqual(yield* merchant.ledger(), [])
      })
    )
  })
})
