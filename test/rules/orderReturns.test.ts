/** A payment that the order did not take, on its way back to the buyer (silences: O15, O37, O40). */
import { assert, describe, it } from "@effect/vitest"
import { PaymentId } from "@coffer/model/Ids"
import { Minor } from "@coffer/model/Money"
import { decide, evolve } from "@coffer/rules/order/decide"
import type { OrderEvent, UnappliedPayment } from "@coffer/rules/order/Order"
import {
  ConfirmReturn,
  facts,
  FailReturn,
  NoteGivenBack,
  openDispute,
  OrderExpired,
  pendingOrder,
  UnappliedPaymentFound,
  UnappliedPaymentNoted,
  UnappliedPaymentParked,
  UnappliedPaymentReturned
} from "../kit/rules/fixtures.ts"
import { given } from "../kit/rules/Given.ts"

const order = given({ decide, evolve, initial: pendingOrder })

const problem = "expired_or_canceled_card"
const { amount, channel, currency, method, paidAt, paymentId } = facts
const late: UnappliedPayment = { channel, paymentId, method, amount, currency, reason: "late", state: "due", paidAt }
const found = [OrderExpired.make({}), UnappliedPaymentFound.make({ payment: late })]
const returned = UnappliedPaymentReturned.make({ paymentId })
const parked = UnappliedPaymentParked.make({ payment: { ...late, problem, state: "parked" } })
const cameBack = UnappliedPaymentParked.make({ payment: { ...late, problem, state: "parked", wasReturned: true } })

const fail = FailReturn.make({ paymentId, problem, wasTaken: true })

describe("order: a return that did not reach the buyer", () => {
  it("parks the payment with the channel's words, and keeps that merchants were told of its return", () =>
    order(...found, returned)
      .when(fail)
      .then(cameBack))

  it("parks it too when that is reported before the channel's answer, which then changes nothing", () => {
    order(...found)
      .when(fail)
      .then(parked)
    order(...found, parked)
      .when(ConfirmReturn.make({ paymentId }))
      .then()
  })

  it("that the channel refused, while it went back another way, changes nothing", () => {
    order(...found, returned)
      .when(FailReturn.make({ paymentId, problem, wasTaken: false }))
      .then()
    order(...found)
      .when(FailReturn.make({ paymentId, problem, wasTaken: false }))
      .then(parked)
  })

  it("of a closed payment is news only when the channel has the money again", () => {
    const closed = UnappliedPaymentNoted.make({ payment: { ...late, problem, state: "closed", note: "paid by hand" } })
    const told = (wasTaken: boolean) => FailReturn.make({ paymentId, problem: "came back", wasTaken })
    order(...found, parked, closed)
      .when(told(false))
      .then()
    order(...found, parked, closed)
      .when(told(true))
      .then(
        UnappliedPaymentParked.make({
          payment: { ...late, problem: "came back", state: "parked", note: "paid by hand" }
        })
      )
  })

  it("is recorded of that payment, and leaves others as they are", () => {
    const other = { ...late, paymentId: PaymentId.make("pay_other") }
    const both = order(...found, UnappliedPaymentFound.make({ payment: other }))
    const noted = (event: OrderEvent) => evolve(both.state, event).unappliedPayments
    both
      .when(FailReturn.make({ paymentId: other.paymentId, problem, wasTaken: true }))
      .then(UnappliedPaymentParked.make({ payment: { ...other, problem, state: "parked" } }))
    assert.deepStrictEqual(noted(returned), [{ ...late, state: "returned" }, other])
    assert.deepStrictEqual(noted(parked), [parked.payment, other])
  })

  it("is recorded once, and not at all for a payment of the order's own", () => {
    order(...found, returned, cameBack)
      .when(fail)
      .then()
    order().when(fail).then()
  })
})

describe("order: a payment that was returned by hand at the channel", () => {
  const back = (left: number, why?: string) =>
    NoteGivenBack.make({ paymentId, left: Minor.make(left), ...(why === undefined ? {} : { problem: why }) })
  const ended = UnappliedPaymentNoted.make({ payment: { ...late, state: "returned" } })

  it("has gone back when nothing of it is left, and merchants get one event", () => {
    order(...found, parked)
      .when(back(0))
      .then(returned, ended)
    order(...found, parked, returned, ended)
      .when(back(0))
      .then()
    order(...found, returned, cameBack)
      .when(back(0))
      .then(UnappliedPaymentNoted.make({ payment: { ...late, state: "returned", wasReturned: true } }))
  })

  it("stays returned while something is left and the channel names no problem", () =>
    order(...found, returned)
      .when(back(1))
      .then())

  it("stays where it is while something is left, and is parked again when the refund does not arrive", () => {
    order(...found, parked)
      .when(back(1))
      .then()
    order(...found)
      .when(back(1, problem))
      .then()
    order(...found, parked, returned, ended)
      .when(back(1, problem))
      .then(cameBack)
  })

  it("of which a lost dispute took a part has gone back when the rest has", () => {
    const dispute = { ...openDispute, status: "lost", isOver: true, taken: Minor.make(4_00) }
    const lostInPart = UnappliedPaymentParked.make({ payment: { ...late, dispute, state: "parked" } })
    order(...found, lostInPart)
      .when(back(4_01))
      .then()
    order(...found, lostInPart)
      .when(back(4_00))
      .then(returned, UnappliedPaymentNoted.make({ payment: { ...late, dispute, state: "returned" } }))
  })

  it("stays with the operator while a bank takes it as well", () => {
    const taken = UnappliedPaymentParked.make({ payment: { ...late, problem, dispute: openDispute, state: "parked" } })
    const known = UnappliedPaymentNoted.make({
      payment: { ...late, dispute: openDispute, state: "parked", wasReturned: true }
    })
    order(...found, taken)
      .when(back(0))
      .then(returned, known)
    order(...found, taken, returned, known)
      .when(back(0))
      .then()
    const untold = UnappliedPaymentParked.make({ payment: { ...late, dispute: openDispute, state: "parked" } })
    order(...found, untold)
      .when(back(0))
      .then(returned, known)
    const told = UnappliedPaymentNoted.make({ payment: { ...cameBack.payment, dispute: openDispute } })
    order(...found, returned, cameBack, told)
      .when(back(0))
      .then(known)
  })

  it("has gone back although a bank asks about it and has taken nothing", () => {
    const asked = { ...openDispute, taken: Minor.make(0) }
    order(...found, UnappliedPaymentParked.make({ payment: { ...late, problem, dispute: asked, state: "parked" } }))
      .when(back(0))
      .then(returned, UnappliedPaymentNoted.make({ payment: { ...late, dispute: asked, state: "returned" } }))
  })
})
