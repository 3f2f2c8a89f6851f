/** A dispute about a payment that the order did not take: where the money is, and who has to look (silences: O39). */
import { describe, it } from "@effect/vitest"
import { Minor } from "@coffer/model/Money"
import { decide, evolve } from "@coffer/rules/order/decide"
import type { ChannelDispute, UnappliedPayment } from "@coffer/rules/order/Order"
import {
  ConfirmReturn,
  facts,
  NoteDispute,
  openDispute,
  OrderExpired,
  pendingOrder,
  UnappliedPaymentNoted,
  UnappliedPaymentFound,
  UnappliedPaymentParked,
  UnappliedPaymentReturned
} from "../kit/rules/fixtures.ts"
import { given } from "../kit/rules/Given.ts"

const order = given({ decide, evolve, initial: pendingOrder })

const { amount, channel, currency, method, paidAt, paymentId } = facts
const late: UnappliedPayment = { channel, paymentId, method, amount, currency, reason: "late", state: "due", paidAt }
const found = [OrderExpired.make({}), UnappliedPaymentFound.make({ payment: late })]
const returned = UnappliedPaymentReturned.make({ paymentId })

const inquiry: ChannelDispute = { ...openDispute, status: "warning_needs_response", taken: Minor.make(0) }
const reviewed: ChannelDispute = { ...openDispute, status: "under_review" }
const lost: ChannelDispute = { ...openDispute, status: "lost", isOver: true }
const won: ChannelDispute = { ...openDispute, status: "won", isOver: true, taken: Minor.make(0) }

const note = (dispute: ChannelDispute) => NoteDispute.make({ paymentId, dispute })
const parked = (dispute: ChannelDispute, more: Partial<UnappliedPayment> = {}) =>
  UnappliedPaymentParked.make({ payment: { ...late, ...more, dispute, state: "parked" } })
const disputed = (dispute: ChannelDispute, more: Partial<UnappliedPayment> = {}) =>
  UnappliedPaymentNoted.make({ payment: { ...late, ...more, dispute } })

describe("order: a dispute about a payment that it did not take", () => {
  it("keeps the payment from going back, and parks it once, however often it is reported", () => {
    order(...found)
      .when(note(openDispute))
      .then(parked(openDispute))
    order(...found, parked(openDispute))
      .when(note(openDispute))
      .then()
    order(...found, parked(openDispute))
      .when(note(reviewed))
      .then(disputed(reviewed, { state: "parked" }))
  })

  it("that is lost and appealed leaves the money with the buyer, until the appeal is won", () => {
    const appealed: ChannelDispute = { ...openDispute, status: "appeal_needs_response" }
    const past = [...found, disputed(lost), returned]
    const ofLoss = disputed(lost, { state: "returned" })
    const ofAppeal = disputed(appealed, { state: "returned" })
    order(...past)
      .when(note(appealed))
      .then(ofAppeal)
    order(...past, ofAppeal)
      .when(note(lost))
      .then(ofLoss)
    order(...past, ofAppeal, ofLoss)
      .when(note(appealed))
      .then(ofAppeal)
    order(...past, ofAppeal)
      .when(note(won))
      .then(parked(won, { wasReturned: true, problem: "the bank gave back what the dispute had taken" }))
  })

  it("that is an inquiry has taken nothing, so the payment goes back", () => {
    order(...found)
      .when(note(inquiry))
      .then(disputed(inquiry))
    order(...found, disputed(inquiry))
      .when(ConfirmReturn.make({ paymentId }))
      .then(returned)
  })

  it("that is lost has brought the money to the buyer, and merchants get the event of a return", () =>
    order(...found, parked(openDispute))
      .when(note(lost))
      .then(disputed(lost, { state: "parked" }), returned))

  it("that is lost in part leaves the rest to a person", () => {
    const part = { ...lost, taken: Minor.make(4_00) }
    order(...found, parked({ ...openDispute, taken: Minor.make(4_00) }))
      .when(note(part))
      .then(disputed(part, { state: "parked" }))
  })

  it("that is won leaves the money where it was: with the channel", () =>
    order(...found, parked(openDispute))
      .when(note(won))
      .then(disputed(won, { state: "parked" })))

  it("that is won after it was lost parks the payment again", () =>
    order(...found, parked(openDispute), disputed(lost, { state: "parked" }), returned)
      .when(note(won))
      .then(parked(won, { wasReturned: true, problem: "the bank gave back what the dispute had taken" })))

  it("of what went back already is the operator's loss, told once, and over when the bank has decided", () => {
    const opened = parked(openDispute, { wasReturned: true })
    order(...found, returned)
      .when(note(openDispute))
      .then(opened)
    order(...found, returned, opened)
      .when(note(won))
      .then(disputed(won, { state: "returned", wasReturned: true }))
    order(...found, returned, opened)
      .when(note(lost))
      .then(disputed(lost, { state: "returned", wasReturned: true }))
    order(...found, returned)
      .when(note(lost))
      .then(disputed(lost, { state: "returned", wasReturned: true }))
  })

  it("that comes while the payment goes back does not hide that it did", () =>
    order(...found, parked(openDispute))
      .when(ConfirmReturn.make({ paymentId }))
      .then(returned, parked(openDispute, { wasReturned: true })))

  it("does not make a return of what was parked for another reason, or has gone back", () => {
    const confirm = ConfirmReturn.make({ paymentId })
    const mismatch: UnappliedPayment = { ...late, reason: "mismatch", state: "parked" }
    order(UnappliedPaymentFound.make({ payment: mismatch }))
      .when(confirm)
      .then()
    order(...found, parked(openDispute, { problem: "refused" }))
      .when(confirm)
      .then()
    order(...found, disputed(lost), returned)
      .when(confirm)
      .then()
  })

  it("is an inquiry that leaves what has gone back where it is", () =>
    order(...found, returned)
      .when(note(inquiry))
      .then(disputed(inquiry, { state: "returned" })))

  it("changes with each of its own fields", () => {
    const over: ChannelDispute = { ...openDispute, isOver: true }
    order(...found, parked(openDispute))
      .when(note(over))
      .then(disputed(over, { state: "parked" }), returned)
    const part: ChannelDispute = { ...openDispute, taken: Minor.make(4_00) }
    order(...found, parked(openDispute))
      .when(note(part))
      .then(disputed(part, { state: "parked" }))
  })

  it("that is appealed with another amount is no loss of the whole any more: a person has to look", () => {
    const part: ChannelDispute = { ...openDispute, status: "appeal", taken: Minor.make(4_00) }
    order(...found, disputed(lost), returned)
      .when(note(part))
      .then(disputed(part, { state: "parked", wasReturned: true }))
  })

  it("about a payment that the channel has refused to return is recorded: a person was alerted already", () => {
    const refused = UnappliedPaymentParked.make({ payment: { ...late, problem: "refused", state: "parked" } })
    order(...found, refused)
      .when(note(openDispute))
      .then(disputed(openDispute, { problem: "refused", state: "parked" }))
  })

  it("that is won leaves a payment parked whose return had failed, and a closed one closed", () => {
    for (const more of [
      { state: "parked", problem: "refused" },
      { state: "closed", note: "given back" }
    ] as const) {
      order(...found, disputed(openDispute, { ...more, wasReturned: true }))
        .when(note(won))
        .then(disputed(won, { ...more, wasReturned: true }))
    }
  })

  it("about a payment that is not known, or the order's own, changes nothing", () => {
    order().when(note(openDispute)).then()
  })
})
