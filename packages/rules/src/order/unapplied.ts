/**
 * An unapplied payment, from its first report on (silences: O15, O37 to O40). Part of the order's rules, and the same
 * in every status: the payment was never the order's.
 */
import { accept, type Decision, refuse } from "../Decision.ts"
import { type Order, type OrderCommand, OrderConflict, OrderEvent, type UnappliedPayment } from "./Order.ts"

type CommandOf<Tag extends OrderCommand["_tag"]> = Extract<OrderCommand, { readonly _tag: Tag }>
type UnappliedDecision = Decision<OrderEvent, OrderConflict>

const { UnappliedPaymentNoted, UnappliedPaymentParked, UnappliedPaymentReturned } = OrderEvent.cases

export const decideConfirmReturn = (order: Order, { paymentId }: CommandOf<"ConfirmReturn">): UnappliedDecision => {
  const payment = find(order, paymentId)
  if (payment === undefined) return accept()
  if (payment.state === "due") return accept(UnappliedPaymentReturned.make({ paymentId }))
  // A dispute arrived during the request to the channel: the buyer has the money, and the bank takes it again.
  return payment.state === "parked" && takenOf(payment) > 0 && !payment.wasReturned && payment.problem === undefined
    ? accept<OrderEvent>(UnappliedPaymentReturned.make({ paymentId }), parked(payment, { wasReturned: true }))
    : accept()
}

/** A failed return may be reported before it is known that the channel had accepted the return. */
export const decideFailReturn = (
  order: Order,
  { paymentId, problem, wasTaken }: CommandOf<"FailReturn">
): UnappliedDecision => {
  const payment = find(order, paymentId)
  if (payment === undefined || payment.state === "parked") return accept()
  // The person who closed it knew of the refusal. Money that comes back later is new.
  if (payment.state === "closed" && !wasTaken) return accept()
  // The channel has refused, but it was returned in another way meanwhile.
  if (payment.state === "returned" && !wasTaken) return accept()
  return accept(parked(payment, { problem, ...returnedBefore(payment) }))
}

/** A payment that is wholly with the buyer needs no decision, unless an open dispute takes it a second time. */
export const decideNoteGivenBack = (
  order: Order,
  { left, paymentId, problem }: CommandOf<"NoteGivenBack">
): UnappliedDecision => {
  const payment = find(order, paymentId)
  if (payment === undefined) return accept()
  const { dispute, state, wasReturned } = payment
  const isBack = left === 0 || (dispute?.isOver === true && left <= dispute.taken)
  if (!isBack) {
    return state === "returned" && problem !== undefined
      ? accept(parked(payment, { problem, ...returnedBefore(payment) }))
      : accept()
  }
  const { problem: before, ...back } = payment
  const isTaken = dispute?.isOver === false && dispute.taken > 0
  if (state === "returned" || (isTaken && wasReturned && before === undefined)) return accept()
  const after = noted(isTaken ? { ...back, wasReturned: true } : { ...back, state: "returned" })
  return wasReturned ? accept(after) : accept<OrderEvent>(UnappliedPaymentReturned.make({ paymentId }), after)
}

/**
 * Money that the bank takes cannot be returned as well, so a person has to decide. A loss of the whole amount is a
 * return: the buyer has the money.
 */
export const decideNoteDispute = (
  order: Order,
  { dispute, paymentId }: CommandOf<"NoteDispute">
): UnappliedDecision => {
  const payment = find(order, paymentId)
  if (payment === undefined || isSame(payment.dispute, dispute)) return accept()
  const changed = { ...payment, dispute }
  // An appeal: the loss is no longer final, and the buyer still has the money.
  if (payment.dispute?.isOver === true && !dispute.isOver && dispute.taken === payment.dispute.taken) {
    return accept(noted(changed))
  }
  if (dispute.taken === 0) return accept(withoutLoss(payment, changed))
  if (!dispute.isOver || dispute.taken < payment.amount) {
    const after = parked(changed, returnedBefore(payment))
    // If the channel has refused a return because of it, a person was alerted already.
    const isNew = takenOf(payment) === 0 && payment.problem === undefined
    return accept(isNew ? after : noted(after.payment))
  }
  if (payment.state === "returned") {
    // The earlier loss, after an appeal; or a second return of money that had gone back already.
    return accept(noted(takenOf(payment) === dispute.taken ? changed : { ...changed, wasReturned: true }))
  }
  if (payment.wasReturned) return accept(noted({ ...changed, state: "returned" }))
  return accept<OrderEvent>(noted(changed), UnappliedPaymentReturned.make({ paymentId }))
}

/** Closing again changes nothing: the first note is kept. */
export const decideCloseParked = (order: Order, { note, paymentId }: CommandOf<"CloseParked">): UnappliedDecision => {
  const payment = find(order, paymentId)
  if (payment?.state === "closed") return accept()
  return payment?.state === "parked"
    ? accept(noted({ ...payment, state: "closed", note }))
    : refuse(new OrderConflict({ tradeNo: order.tradeNo, reason: "not_parked" }))
}

/** The bank only inquires, or has returned what it took. */
const withoutLoss = (before: UnappliedPayment, changed: UnappliedPayment): OrderEvent => {
  if (takenOf(before) === 0) return noted(changed)
  // It had been returned to the buyer before the dispute, and the buyer still has it.
  if (changed.state === "parked" && changed.wasReturned && changed.problem === undefined) {
    return noted({ ...changed, state: "returned" })
  }
  return changed.state === "returned" && !changed.wasReturned
    ? parked(changed, { wasReturned: true, problem: "the bank gave back what the dispute had taken" })
    : noted(changed)
}

const find = (order: Order, paymentId: UnappliedPayment["paymentId"]) =>
  order.unappliedPayments.find((each) => each.paymentId === paymentId)

const takenOf = ({ dispute }: UnappliedPayment): number => dispute?.taken ?? 0

/** Whether merchants got the event of its return. */
const returnedBefore = ({ state }: UnappliedPayment) => (state === "returned" ? ({ wasReturned: true } as const) : {})

const parked = (payment: UnappliedPayment, more: Partial<UnappliedPayment>) =>
  UnappliedPaymentParked.make({ payment: { ...payment, ...more, state: "parked" } })

const noted = (payment: UnappliedPayment) => UnappliedPaymentNoted.make({ payment })

const isSame = (
  known: UnappliedPayment["dispute"],
  { id, isOver, status, taken }: CommandOf<"NoteDispute">["dispute"]
) => known?.id === id && known.isOver === isOver && known.status === status && known.taken === taken
