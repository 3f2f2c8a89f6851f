/**
 * Amounts that are held and captured later: sentences, the order's states by the hold's steps as a table, and laws over
 * random steps (silences: O75).
 */
import { assert, describe, it } from "@effect/vitest"
import { PaymentId } from "@coffer/model/Ids"
import { Minor } from "@coffer/model/Money"
import { consequences, decide, evolve } from "@coffer/rules/order/decide"
import { amountPaid, heldOf, type HoldStep, statusOf } from "@coffer/rules/order/Hold"
import { type Order, OrderCommand, OrderEvent, remainingOf } from "@coffer/rules/order/Order"
import fc from "fast-check"
import {
  AlreadyPaid,
  Cancelled,
  CaptureTold,
  CloseEarly,
  ConfirmPayment,
  createdAt,
  declined,
  expiresAt,
  facts,
  FailPayment,
  AttemptNoted,
  HoldAsked,
  HoldPlaced,
  HoldReleased,
  HoldWithdrawn,
  heldOrder,
  heldPayment,
  holdStep,
  manualOrder,
  OrderExpired,
  PaymentSucceeded,
  pendingOrder,
  ReachDeadline,
  RefundCompleted,
  RefundReserved,
  UnappliedPaymentFound,
  UnappliedPaymentNoted,
  UnappliedPaymentReturned
} from "../kit/rules/fixtures.ts"
import { given } from "../kit/rules/Given.ts"

const minor = (amount: number) => Minor.make(amount)
const from = (initial: Order) => given({ decide, evolve, initial })
const pending = from(manualOrder)
const held = from(heldOrder)

const ask = (amount = 1000, key = "cap_1") =>
  holdStep({ _tag: "AskCapture", key, amount: minor(amount), now: createdAt })
const release = (why: "canceled" | "expired", key = "rel_1") =>
  holdStep({ _tag: "AskRelease", key, release: why, now: createdAt })
const authorize = (more: Partial<Extract<HoldStep, { readonly _tag: "Authorize" }>> = {}) =>
  holdStep({ _tag: "Authorize", payment: heldPayment, amount: minor(1000), currency: "USD", ...more })
const capturing = (amount = 1000) =>
  HoldAsked.make({ request: { key: "cap_1", at: createdAt, capture: minor(amount) } })
const releasing = (why: "canceled" | "expired" = "canceled") =>
  HoldAsked.make({ request: { key: "rel_1", at: createdAt, release: why } })
const part = { ...facts, amount: minor(400) }
const another = { ...heldPayment, paymentId: PaymentId.make("pay_2") }
const stray = (payment: typeof heldPayment, reason: "late" | "second" | "mismatch", amount = 1000) => {
  const { authorizedAt: paidAt, captureBy: _, ...rest } = payment
  return { ...rest, amount: minor(amount), currency: "USD", paidAt, reason, state: "due", isHold: true } as const
}
const refused = (order: ReturnType<ReturnType<typeof from>>, command: OrderCommand) => {
  const { events, refusal } = decide(order.state, command)
  assert.deepStrictEqual(events, [])
  return (refusal as { readonly hold?: string; readonly reason: string }).hold ?? refusal
}

describe("an order whose hold is captured by more than it has", () => {
  it("ends, and a person looks at the payment", () => {
    const { events } = decide(
      held(capturing()).state,
      holdStep({ _tag: "Capture", facts: { ...facts, amount: minor(1200) } })
    )
    assert.deepStrictEqual(
      events.map(({ _tag }) => _tag),
      ["UnappliedPaymentFound", "HoldReleased"]
    )
    const { state } = held(capturing(), ...events)
    assert.deepInclude(state, { status: "expired" })
    assert.deepInclude(state.unappliedPayments[0], { state: "parked", reason: "mismatch", amount: minor(1200) })
  })
})

describe("an order with a hold: the authorisation", () => {
  it("makes a pending order authorized, once however often it is reported, and moves no money", () => {
    const placed = HoldPlaced.make({ payment: heldPayment })
    pending().when(authorize()).then(placed)
    held().when(authorize()).then()
    assert.strictEqual(statusOf(held().state), "authorized")
    const { announced, movements } = consequences(manualOrder, placed)
    assert.deepStrictEqual([movements, announced], [[], "payment.authorized"])
  })

  it("of another amount, a second one, and one for an order that has ended are released, and no merchant hears of it", () => {
    const found = (payment: Parameters<typeof stray>[0], reason: Parameters<typeof stray>[1], amount?: number) =>
      UnappliedPaymentFound.make({ payment: stray(payment, reason, amount) })
    pending()
      .when(authorize({ amount: minor(999) }))
      .then(found(heldPayment, "mismatch", 999))
    held()
      .when(authorize({ payment: another }))
      .then(found(another, "second"))
    const late = found(another, "late")
    pending(OrderExpired.make({}))
      .when(authorize({ payment: another }))
      .then(late)
    held(releasing(), HoldReleased.make({ release: "canceled" }))
      .when(authorize({ payment: another }))
      .then(late)
    from(pendingOrder)().when(authorize()).then(found(heldPayment, "second"))
    const returned = UnappliedPaymentReturned.make({ paymentId: another.paymentId })
    const { announced } = consequences(evolve(heldOrder, late), returned)
    assert.isUndefined(announced)
  })

  it("keeps the order from failing and from expiring with its checkout, and a payment beside it goes back", () => {
    held()
      .when(FailPayment.make({ attempt: declined }))
      .then(AttemptNoted.make({ attempt: declined }))
    held()
      .when(ReachDeadline.make({ now: expiresAt, answer: Cancelled.make({}) }))
      .then()
    const second = { ...facts, paymentId: another.paymentId }
    const { events } = decide(heldOrder, ConfirmPayment.make({ facts: second }))
    assert.isTrue(events.every(OrderEvent.guards.UnappliedPaymentFound))
  })
})

describe("an order with a hold: capture and release", () => {
  it("are written down before the channel is asked, and exclude each other", () => {
    held().when(ask(400)).then(capturing(400))
    held().when(release("canceled")).then(releasing())
    assert.strictEqual(refused(held(capturing()), release("canceled")), "capturing")
    assert.strictEqual(refused(held(releasing()), ask()), "canceling")
  })

  it("of the same amount join the one under way, and of another are refused", () => {
    const { request } = capturing(400)
    const shared = HoldAsked.make({ request: { ...request, isShared: true } })
    held(capturing(400)).when(ask(400, "cap_2")).then(shared)
    held(shared).when(ask(400, "cap_3")).then()
    assert.strictEqual(refused(held(capturing(400)), ask(401)), "capturing")
    const leaving = HoldAsked.make({ request: { ...releasing("expired").request, isShared: true } })
    held(releasing("expired")).when(release("canceled", "rel_2")).then(leaving)
  })

  it("of a part pays the order with it, credits it, and tells both that it is paid and that it was captured", () => {
    const events = [PaymentSucceeded.make({ facts: part }), CaptureTold.make({})]
    const capture = holdStep({ _tag: "Capture", facts: part })
    held(capturing(400))
      .when(capture)
      .then(...events)
    const { state } = held(capturing(400), ...events)
    assert.deepStrictEqual([state.status, amountPaid(state), state.hold?.request], ["paid", 400, undefined])
    const [paid] = events
    assert.deepStrictEqual(
      consequences(heldOrder, paid!).movements.map(({ amount }) => amount),
      [400, -facts.fee]
    )
    assert.deepStrictEqual(
      events.map((event) => consequences(heldOrder, event).announced),
      ["payment.succeeded", "payment.captured"]
    )
  })

  it("that is reported before our answer, or by the channel's own hand, is recorded once", () => {
    const events = [PaymentSucceeded.make({ facts: part }), CaptureTold.make({})]
    for (const command of [holdStep({ _tag: "Capture", facts: part }), ConfirmPayment.make({ facts: part })]) {
      held()
        .when(command)
        .then(...events)
      held(...events)
        .when(command)
        .then()
    }
    held(...events)
      .when(ask(400))
      .then()
    assert.strictEqual(refused(held(...events), ask(1000)), "captured")
  })

  it("of an order whose hold nobody has heard of pays it all the same, and tells of both", () => {
    const events = (facts: typeof part) => [PaymentSucceeded.make({ facts }), CaptureTold.make({})]
    pending()
      .when(holdStep({ _tag: "Capture", facts: part }))
      .then(...events(part))
    pending()
      .when(ConfirmPayment.make({ facts }))
      .then(...events(facts))
  })

  it("counts for refunds: what was captured is all that can go back", () => {
    const paid = [PaymentSucceeded.make({ facts: part }), CaptureTold.make({})]
    const { state } = held(...paid)
    assert.strictEqual("paymentId" in state && remainingOf(state), 400)
    const all = [RefundReserved.make({ amount: minor(400) }), RefundCompleted.make({ amount: minor(400) })]
    assert.strictEqual(held(...paid, ...all).state.status, "refunded")
  })

  it("that the channel refuses leaves the order authorized; another request's answer changes nothing", () => {
    const withdraw = (key: string) => holdStep({ _tag: "Withdraw", key, refusal: "no" })
    held(capturing())
      .when(withdraw("cap_1"))
      .then(HoldWithdrawn.make({ refusal: "no" }))
    held(capturing()).when(withdraw("cap_2")).then()
    const shared = HoldAsked.make({ request: { ...capturing().request, isShared: true } })
    held(shared)
      .when(holdStep({ _tag: "Withdraw", key: "cap_1" }))
      .then()
    const { state } = held(capturing(), HoldWithdrawn.make({ refusal: "no" }))
    assert.deepStrictEqual([statusOf(state), state.hold?.request, state.hold?.refusal], ["authorized", undefined, "no"])
  })

  it("a hold that is gone ends the order: canceled if the merchant gave it up, and expired otherwise", () => {
    const gone = holdStep({ _tag: "Release", paymentId: heldPayment.paymentId })
    for (const [before, why, told] of [
      [[releasing("canceled")], "canceled", "payment.canceled"],
      [[releasing("expired")], "expired", "payment.authorization_expired"],
      [[capturing()], "expired", "payment.authorization_expired"],
      [[], "expired", "payment.authorization_expired"]
    ] as const) {
      const released = HoldReleased.make({ release: why })
      held(...before)
        .when(gone)
        .then(released)
      const { state } = held(...before, released)
      assert.deepStrictEqual([state.status, statusOf(state), heldOf(state)], ["expired", why, undefined])
      assert.strictEqual(consequences(heldOrder, released).announced, told)
      from(state)().when(gone).then()
      from(state)().when(release("canceled")).then()
    }
  })

  it("money that was captured of an order that had ended goes back to the buyer, even if its hold was to be released", () => {
    const over = held(releasing(), HoldReleased.make({ release: "canceled" })).state
    const { card: _, fee: __, refundableUntil: ___, ...payment } = facts
    const late = { ...payment, reason: "late", state: "due" } as const
    from(over)()
      .when(holdStep({ _tag: "Capture", facts }))
      .then(UnappliedPaymentFound.make({ payment: late }))
    const strayed = evolve(over, UnappliedPaymentFound.make({ payment: stray(another, "late") }))
    const taken = { ...facts, paymentId: another.paymentId }
    from(strayed)()
      .when(holdStep({ _tag: "Capture", facts: taken }))
      .then(UnappliedPaymentNoted.make({ payment: { ...late, paymentId: another.paymentId } }))
  })

  it("of another payment than the held one goes back to the buyer, and of more than the order's amount is never asked", () => {
    const { events } = decide(
      heldOrder,
      holdStep({ _tag: "Capture", facts: { ...facts, paymentId: another.paymentId } })
    )
    assert.deepStrictEqual(
      events.map((event) => [event._tag, OrderEvent.guards.UnappliedPaymentFound(event) && event.payment.reason]),
      [["UnappliedPaymentFound", "second"]]
    )
    assert.strictEqual(refused(held(), ask(1001)), "not_authorized")
  })

  it("an order that its buyer authorizes while it is closed is closed by the next request", () =>
    assert.strictEqual(
      (decide(heldOrder, CloseEarly.make({ answer: Cancelled.make({}) })).refusal as { reason: string }).reason,
      "buyer_busy"
    ))

  it("an order without one is never captured, and paid as ever", () => {
    assert.strictEqual(refused(from(pendingOrder)(), ask()), "not_authorized")
    assert.strictEqual(refused(from(pendingOrder)(PaymentSucceeded.make({ facts })), ask()), "not_authorized")
    assert.notProperty(evolve({ ...pendingOrder, hold: null }, PaymentSucceeded.make({ facts })).hold ?? {}, "captured")
  })
})

describe("random steps of a hold", () => {
  const steps = fc.oneof(
    fc.constantFrom(400, 1000).map((amount) => ask(amount, `cap_${amount}`)),
    fc.constantFrom("canceled", "expired").map((why) => release(why as "canceled", `rel_${why}`)),
    fc.constantFrom(heldPayment, another).map((payment) => authorize({ payment })),
    fc
      .tuple(fc.constantFrom(400, 1000), fc.constantFrom(heldPayment.paymentId, another.paymentId))
      .map(([amount, paymentId]) =>
        holdStep({ _tag: "Capture", facts: { ...facts, paymentId, amount: minor(amount) } })
      ),
    fc.constantFrom("cap_400", "cap_1000", "rel_canceled").map((key) => holdStep({ _tag: "Withdraw", key })),
    fc
      .constantFrom(heldPayment.paymentId, another.paymentId)
      .map((paymentId) => holdStep({ _tag: "Release", paymentId })),
    fc.constantFrom(
      ConfirmPayment.make({ facts }),
      FailPayment.make({ attempt: declined }),
      CloseEarly.make({ answer: Cancelled.make({}) }),
      CloseEarly.make({ answer: AlreadyPaid.make({ facts }) }),
      ReachDeadline.make({ now: expiresAt, answer: Cancelled.make({}) })
    )
  )

  it("credit an order once at most, never more than its amount, and nothing once it has ended", () =>
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 30 }), (commands) => {
        let order = manualOrder
        let credits = 0
        for (const command of commands) {
          for (const event of decide(order, command).events) {
            const before = statusOf(order)
            const credited = consequences(order, event).movements.find(({ type }) => type === "payment_credit")
            if (credited !== undefined) {
              credits++
              assert.isAtMost(credited.amount, order.amount)
              assert.include(["pending", "authorized"], before)
            }
            order = evolve(order, event)
          }
        }
        assert.isAtMost(credits, 1)
        assert.strictEqual(credits === 1, "paymentId" in order)
        // What is asked for is asked of a hold, and only of one: a due row finds it.
        if (order.hold?.request !== undefined) assert.isDefined(heldOf(order))
        for (const { isHold, state } of order.unappliedPayments) if (isHold) assert.include(["due", "returned"], state)
      }),
      { numRuns: 2_000 }
    ))
})
