/** A payment that the order did not take, on its way back to the buyer (silences: O15, O37). */
import { describe, it } from "@effect/vitest"
import { decide } from "@coffer/rules/order/decide"
import { evolve } from "@coffer/rules/order/evolve"
import type { UnappliedPayment } from "@coffer/rules/order/Order"
import {
  ConfirmReturn,
  facts,
  FailReturn,
  OrderExpired,
  pendingOrder,
  UnappliedPaymentFound,
  UnappliedPaymentParked,
  UnappliedPaymentReturned
} from "../kit/fixtures.ts"
import { given } from "../kit/Given.ts"

const order = given({ decide, evolve, initial: pendingOrder })

const problem = "expired_or_canceled_card"
const { amount, currency, method, paidAt, paymentId } = facts
const late: UnappliedPayment = { paymentId, method, amount, currency, reason: "late", state: "due", paidAt }
const found = [OrderExpired.make({}), UnappliedPaymentFound.make({ payment: late })]
const returned = UnappliedPaymentReturned.make({ paymentId })
const parked = UnappliedPaymentParked.make({ payment: { ...late, problem, state: "parked" } })
const cameBack = UnappliedPaymentParked.make({ payment: { ...late, problem, state: "parked", wasReturned: true } })

const fail = FailReturn.make({ paymentId, problem })

describe("order: a return that did not reach the buyer", () => {
  it("parks the payment with the channel's words, and keeps that merchants were told of its return", () =>
    order(...found, returned)
      .when(fail)
      .then(cameBack))

  it("parks it too when that is told before the channel's answer, which then changes nothing", () => {
    order(...found)
      .when(fail)
      .then(parked)
    order(...found, parked)
      .when(ConfirmReturn.make({ paymentId }))
      .then()
  })

  it("is recorded once, and not at all for a payment of the order's own", () => {
    order(...found, returned, cameBack)
      .when(fail)
      .then()
    order().when(fail).then()
  })
})
