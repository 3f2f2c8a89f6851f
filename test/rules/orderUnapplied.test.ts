/** How many payments an order keeps that it did not take (silences: O41). */
import { assert, describe, it } from "@effect/vitest"
import { PaymentId } from "@coffer/model/Ids"
import { unappliedPaymentsMax } from "@coffer/model/Limits"
import { Minor } from "@coffer/model/Money"
import { decide, evolve } from "@coffer/rules/order/decide"
import type { UnappliedPayment } from "@coffer/rules/order/Order"
import type { PaymentFacts } from "@coffer/rules/order/Payment"
import {
  AlreadyPaid,
  CloseEarly,
  CloseParked,
  ConfirmPayment,
  expiresAt,
  facts,
  OrderExpired,
  PaymentSucceeded,
  pendingOrder,
  ReachDeadline,
  UnappliedPaymentFound,
  UnappliedPaymentNoted
} from "../kit/rules/fixtures.ts"
import { given } from "../kit/rules/Given.ts"

const order = given({ decide, evolve, initial: pendingOrder })

const parked = ({ amount, channel, currency, method, paidAt, paymentId }: PaymentFacts): UnappliedPayment => ({
  amount,
  channel,
  currency,
  method,
  paidAt,
  paymentId,
  reason: "mismatch",
  state: "parked"
})

describe("order: a payment that it does not take", () => {
  const wrong = (number: number) => ({
    ...facts,
    amount: Minor.make(9_99),
    paymentId: PaymentId.make(`pay_wrong_${number}`)
  })
  const found = Array.from({ length: unappliedPaymentsMax }, (_, number) =>
    UnappliedPaymentFound.make({ payment: parked(wrong(number)) })
  )
  const full = order(...found)
  const more = ConfirmPayment.make({ facts: wrong(unappliedPaymentsMax) })

  it("is kept twenty times by an order of the sandbox, and refused then", () => {
    order(...found.slice(1))
      .when(more)
      .then(UnappliedPaymentFound.make({ payment: parked(more.facts) }))
    full.when(more).thenRefused("too_many_payments")
    full.when(ConfirmPayment.make({ facts: wrong(0) })).then()
  })

  it("does not keep a full order of the sandbox from being paid, or from ending", () => {
    full.when(ConfirmPayment.make({ facts })).then(PaymentSucceeded.make({ facts }))
    const answer = AlreadyPaid.make({ facts: more.facts })
    full.when(ReachDeadline.make({ now: expiresAt, answer })).then(OrderExpired.make({}))
    full.when(CloseEarly.make({ answer })).thenRefused("other_payment")
  })

  it("is kept by a live order however many there are: it is real money", () => {
    const live = { ...full.state, mode: "live" as const }
    const { events, refusal } = decide(live, more)
    assert.deepStrictEqual(events, [UnappliedPaymentFound.make({ payment: parked(more.facts) })])
    assert.isUndefined(refusal)
  })
})

describe("order: a parked payment", () => {
  const payment = parked(facts)
  const found = UnappliedPaymentFound.make({ payment })
  const close = CloseParked.make({ paymentId: facts.paymentId, note: "given back by hand" })
  const closed = UnappliedPaymentNoted.make({ payment: { ...payment, state: "closed", note: "given back by hand" } })

  it("is closed with a person's note, and the first note stays", () => {
    order(found).when(close).then(closed)
    order(found, closed)
      .when(CloseParked.make({ ...close, note: "another" }))
      .then()
  })

  it("alone may be closed: neither one that is due nor one that has gone back", () => {
    for (const state of ["due", "returned"] as const) {
      order(UnappliedPaymentFound.make({ payment: { ...payment, state } }))
        .when(close)
        .thenRefused("not_parked")
    }
    order().when(close).thenRefused("not_parked")
  })
})
