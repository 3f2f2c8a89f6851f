/**
 * A payment that the order did not take, from when it is known (silences: O15, O37 to O39). Part of the order's rules,
 * and the same in every status: the payment was never the order's.
 */
import { accept, type Decision } from "../Decision.ts"
import { type Order, type OrderCommand, type OrderConflict, OrderEvent, type UnappliedPayment } from "./Order.ts"

type CommandOf<Tag extends OrderCommand["_tag"]> = Extract<OrderCommand, { readonly _tag: Tag }>
type UnappliedDecision = Decision<OrderEvent, OrderConflict>

const { UnappliedPaymentDisputed, UnappliedPaymentParked, UnappliedPaymentReturned } = OrderEvent.cases

export const decideConfirmReturn = (order: Order, { paymentId }: CommandOf<"ConfirmReturn">): UnappliedDecision => {
  const payment = find(order, paymentId)
  if (payment === undefined) return accept()
  if (payment.state === "due") return accept(UnappliedPaymentReturned.make({ paymentId }))
  // A dispute came while the channel was being asked: the buyer has the money, and the bank takes it once more.
  return payment.state === "parked" && takenOf(payment) > 0 && !payment.wasReturned && payment.problem === undefined
    ? accept<OrderEvent>(UnappliedPaymentReturned.make({ paymentId }), parked(payment, { wasReturned: true }))
    : accept()
}

/** It may be told before it is known that the channel had accepted the return. */
export const decideFailReturn = (order: Order, { paymentId, problem }: CommandOf<"FailReturn">): UnappliedDecision => {
  const payment = find(order, paymentId)
  if (payment === undefined || payment.state === "parked") return accept()
  return accept(parked(payment, { problem, ...told(payment) }))
}

/**
 * Money that the bank takes cannot go back as well, so a person has to look. A loss of the whole is a return: the buyer
 * has the money.
 */
export const decideNoteDispute = (
  order: Order,
  { dispute, paymentId }: CommandOf<"NoteDispute">
): UnappliedDecision => {
  const payment = find(order, paymentId)
  if (payment === undefined || isSame(payment.dispute, dispute)) return accept()
  const noted = { ...payment, dispute }
  if (dispute.taken === 0) return accept(withoutLoss(payment, noted))
  if (!dispute.isOver || dispute.taken < payment.amount) {
    const after = parked(noted, told(payment))
    // Where the channel has refused a return because of it, somebody was told already.
    const isNew = takenOf(payment) === 0 && payment.problem === undefined
    return accept(isNew ? after : disputed(after.payment))
  }
  if (payment.state === "returned") return accept(disputed({ ...noted, wasReturned: true }))
  if (payment.wasReturned) return accept(disputed({ ...noted, state: "returned" }))
  return accept<OrderEvent>(disputed(noted), UnappliedPaymentReturned.make({ paymentId }))
}

/** The bank asks, or has given back what it took. */
const withoutLoss = (before: UnappliedPayment, noted: UnappliedPayment): OrderEvent => {
  if (takenOf(before) === 0) return disputed(noted)
  // It had gone back to the buyer before the dispute, and is there.
  if (noted.state === "parked" && noted.wasReturned && noted.problem === undefined) {
    return disputed({ ...noted, state: "returned" })
  }
  return noted.state === "returned" && !noted.wasReturned
    ? parked(noted, { wasReturned: true, problem: "the bank gave back what the dispute had taken" })
    : disputed(noted)
}

const find = (order: Order, paymentId: UnappliedPayment["paymentId"]) =>
  order.unappliedPayments.find((each) => each.paymentId === paymentId)

const takenOf = ({ dispute }: UnappliedPayment): number => dispute?.taken ?? 0

/** Whether merchants were told of its return. */
const told = ({ state }: UnappliedPayment) => (state === "returned" ? ({ wasReturned: true } as const) : {})

const parked = (payment: UnappliedPayment, more: Partial<UnappliedPayment>) =>
  UnappliedPaymentParked.make({ payment: { ...payment, ...more, state: "parked" } })

const disputed = (payment: UnappliedPayment) => UnappliedPaymentDisputed.make({ payment })

const isSame = (
  known: UnappliedPayment["dispute"],
  { id, isOver, status, taken }: CommandOf<"NoteDispute">["dispute"]
) => known?.id === id && known.isOver === isOver && known.status === status && known.taken === taken
