/**
 * The amount of an order that may be refunded: what is promised, disputed or lost counts, and the window ends (spec:
 * Refund).
 */
import { assert, describe, it } from "@effect/vitest"
import { Minor } from "@coffer/model/Money"
import { decide, evolve } from "@coffer/rules/order/decide"
import { type Order, OrderCommand, type OrderEvent } from "@coffer/rules/order/Order"
import { DateTime } from "effect"
import {
  createdAt,
  DisputeClosed,
  DisputeOpened,
  DisputeRegained,
  facts,
  PaymentSucceeded,
  pendingOrder,
  RefundCompleted,
  RefundReleased,
  RefundReserved,
  RefundReversed,
  ReserveRefund
} from "../kit/rules/fixtures.ts"
import { given } from "../kit/rules/Given.ts"

const order = given({ decide, evolve, initial: pendingOrder })

const paid = order(PaymentSucceeded.make({ facts }))
const reserved = (amount: number, ...then: ReadonlyArray<OrderEvent>) =>
  order(PaymentSucceeded.make({ facts }), RefundReserved.make({ amount: Minor.make(amount) }), ...then)

describe("order: refunds", () => {
  const windowEnd = DateTime.add(createdAt, { days: 90 })
  const ask = (amount: number, now = createdAt) => ReserveRefund.make({ amount: Minor.make(amount), whole: false, now })
  const askAll = (amount: number) => ReserveRefund.make({ amount: Minor.make(amount), whole: true, now: createdAt })
  const lost = (amount: number) => [DisputeOpened.make({}), DisputeClosed.make({ lost: Minor.make(amount) })] as const

  it("takes all that remains, and not one more", () => {
    paid.when(ask(10_00)).then(RefundReserved.make({ amount: facts.amount }))
    paid.when(ask(10_01)).thenRefused("exceeds_remaining")
    paid.when(askAll(10_00)).then(RefundReserved.make({ amount: facts.amount }))
    paid.when(askAll(9_99)).thenRefused("remaining_changed")
  })

  it("what is promised and not settled counts against what remains", () => {
    reserved(6_00)
      .when(ask(4_00))
      .then(RefundReserved.make({ amount: Minor.make(4_00) }))
    reserved(6_00).when(ask(4_01)).thenRefused("exceeds_remaining")
    reserved(10_00).when(askAll(0)).thenRefused("nothing_left")
  })

  it("a refusal says what could be refunded", () => {
    const remaining = (state: Order, command: OrderCommand) => {
      const { refusal } = decide(state, command)
      return refusal?._tag === "RefundRefused" ? refusal.remaining : refusal
    }
    assert.strictEqual(remaining(paid.state, ask(10_01)), 10_00)
    assert.strictEqual(remaining(reserved(6_00).state, ask(4_01)), 4_00)
    const partly = reserved(6_00, RefundCompleted.make({ amount: Minor.make(6_00) })).state
    assert.strictEqual(remaining(partly, ask(4_01)), 4_00)
    assert.strictEqual(remaining(pendingOrder, ask(1)), 0)
    const disputedWhole = reserved(10_00, DisputeOpened.make({}), DisputeClosed.make({ lost: Minor.make(5_00) })).state
    assert.strictEqual(remaining(disputedWhole, ask(1)), 0)
    const unpromised = OrderCommand.cases.CompleteRefund.make({ amount: Minor.make(1) })
    assert.strictEqual(remaining(paid.state, unpromised), 0)
    assert.strictEqual(remaining(pendingOrder, unpromised), 0)
  })

  it("what was released may be asked for again", () =>
    reserved(10_00, RefundReleased.make({ amount: facts.amount }))
      .when(ask(10_00))
      .then(RefundReserved.make({ amount: facts.amount })))

  it("a refund of all that remains is retried when that has changed meanwhile", () =>
    reserved(1).when(askAll(10_00)).thenRefused("remaining_changed"))

  it("nothing is refunded while one of two disputes is not decided", () => {
    const lostOne = [DisputeOpened.make({}), DisputeOpened.make({}), DisputeClosed.make({ lost: Minor.make(0) })]
    const half = order(PaymentSucceeded.make({ facts }), ...lostOne)
    half.when(ask(1)).thenRefused("disputed")
    assert.strictEqual("disputesOpen" in half.state && half.state.disputesOpen, 1)
  })

  it("nothing is refunded while a dispute is not decided", () => {
    order(PaymentSucceeded.make({ facts }), DisputeOpened.make({})).when(ask(1)).thenRefused("disputed")
    order(PaymentSucceeded.make({ facts }), DisputeOpened.make({}), DisputeClosed.make({ lost: Minor.make(0) }))
      .when(ask(1))
      .then(RefundReserved.make({ amount: Minor.make(1) }))
  })

  it("what a dispute took is not refunded a second time, unless an appeal gives it back", () => {
    order(PaymentSucceeded.make({ facts }), ...lost(4_00))
      .when(ask(6_01))
      .thenRefused("exceeds_remaining")
    order(PaymentSucceeded.make({ facts }), ...lost(10_00))
      .when(ask(1))
      .thenRefused("nothing_left")
    order(PaymentSucceeded.make({ facts }), ...lost(10_00), DisputeRegained.make({ amount: facts.amount }))
      .when(ask(10_00))
      .then(RefundReserved.make({ amount: facts.amount }))
  })

  it("what is promised is completed or released once, and what is open is closed once", () => {
    const promised = reserved(1, DisputeOpened.make({}))
    const one = { amount: Minor.make(1) }
    const { CloseDispute, CompleteRefund, RegainDispute, ReleaseRefund } = OrderCommand.cases
    promised.when(CompleteRefund.make(one)).then(RefundCompleted.make(one))
    promised.when(ReleaseRefund.make(one)).then(RefundReleased.make(one))
    reserved(1, RefundCompleted.make(one)).when(CompleteRefund.make(one)).thenRefused("not_promised")
    promised.when(CloseDispute.make({ lost: Minor.make(1) })).then(DisputeClosed.make({ lost: Minor.make(1) }))
    const closed = reserved(1, DisputeOpened.make({}), DisputeClosed.make({ lost: Minor.make(1) }))
    closed.when(CloseDispute.make({ lost: Minor.make(0) })).thenRefused("not_promised")
    closed.when(RegainDispute.make(one)).then(DisputeRegained.make(one))
  })

  it("the window ends after refundable_until, to the millisecond", () => {
    const windowed = order(PaymentSucceeded.make({ facts: { ...facts, refundableUntil: windowEnd } }))
    windowed.when(ask(1, windowEnd)).then(RefundReserved.make({ amount: Minor.make(1) }))
    windowed.when(ask(1, DateTime.add(windowEnd, { milliseconds: 1 }))).thenRefused("window_expired")
  })

  it("the order is partially refunded, refunded, and paid again, as refunds succeed and come back", () => {
    const one = RefundCompleted.make({ amount: Minor.make(1) })
    const rest = RefundCompleted.make({ amount: Minor.make(9_99) })
    assert.strictEqual(reserved(10_00).state.status, "paid")
    assert.strictEqual(reserved(10_00, one).state.status, "partially_refunded")
    assert.strictEqual(reserved(10_00, one, rest).state.status, "refunded")
    const reversed = RefundReversed.make({ amount: facts.amount })
    assert.strictEqual(reserved(10_00, one, rest, reversed).state.status, "paid")
  })
})
