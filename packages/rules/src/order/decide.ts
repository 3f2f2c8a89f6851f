/**
 * Which facts follow from a command, and the consequences of each fact. Pure: no clock, no database, no Effect. One
 * function per command; the status is switched on in that function and nowhere else (spec: States and transitions,
 * Order).
 */
import { unappliedPaymentsMax } from "@coffer/model/Limits"
import { merge, patchProblem } from "@coffer/model/Metadata"
import { DateTime } from "effect"
import { accept, type Decision, refuse } from "../Decision.ts"
import {
  type CreditedOrder,
  type Order,
  OrderCommand,
  OrderConflict,
  OrderEvent,
  type PendingOrder,
  RefundRefused,
  remainingOf,
  type UnappliedPayment
} from "./Order.ts"
import { amountPaid, heldOf, isManual } from "./Hold.ts"
import { capturedOf, decideHold, endOf, holding, withoutRequest } from "./decideHold.ts"
import type { PaymentFacts } from "./Payment.ts"
import { attempted, decideFailPayment, decideNoteAttempt } from "./attempts.ts"
import {
  decideConfirmReceiptSent,
  decideFailReceipt,
  decideNumberReceipt,
  decideRequestReceipt,
  decideTakeBuyersAddress,
  merchants,
  noReceipt,
  requested,
  sent
} from "./receipt.ts"
import {
  decideCloseParked,
  decideConfirmReturn,
  decideFailReturn,
  decideNoteDispute,
  decideNoteGivenBack
} from "./unapplied.ts"
import { Minor } from "@coffer/model/Money"
import { type Consequence, nothing } from "../Consequence.ts"

type OrderDecision = Decision<OrderEvent, OrderConflict | RefundRefused>
type CommandOf<Tag extends OrderCommand["_tag"]> = Extract<OrderCommand, { readonly _tag: Tag }>

const {
  DisputeClosed,
  DisputeOpened,
  DisputeRegained,
  OrderAnnotated,
  OrderExpired,
  RefundCompleted,
  RefundReleased,
  RefundReserved,
  RefundReversed,
  UnappliedPaymentFound
} = OrderEvent.cases

export const decide = (order: Order, command: OrderCommand): OrderDecision =>
  OrderCommand.match(command, {
    ConfirmPayment: ({ facts }): OrderDecision => decideConfirmPayment(order, facts),
    NoteAttempt: ({ attempt }): OrderDecision => decideNoteAttempt(order, attempt),
    FailPayment: ({ attempt }): OrderDecision => decideFailPayment(order, attempt),
    ReachDeadline: (deadline): OrderDecision => decideReachDeadline(order, deadline),
    CloseEarly: (close): OrderDecision => decideCloseEarly(order, close),
    ConfirmReturn: (confirm): OrderDecision => decideConfirmReturn(order, confirm),
    FailReturn: (fail): OrderDecision => decideFailReturn(order, fail),
    NoteGivenBack: (note): OrderDecision => decideNoteGivenBack(order, note),
    NoteDispute: (note): OrderDecision => decideNoteDispute(order, note),
    CloseParked: (close): OrderDecision => decideCloseParked(order, close),
    Annotate: ({ hold, ...annotate }): OrderDecision =>
      hold === undefined ? decideAnnotate(order, annotate) : decideHold(order, hold),
    TakeBuyersAddress: (take): OrderDecision => decideTakeBuyersAddress(order, take),
    NumberReceipt: (receipt): OrderDecision => decideNumberReceipt(order, receipt),
    RequestReceipt: (receipt): OrderDecision => decideRequestReceipt(order, receipt),
    ConfirmReceiptSent: (receipt): OrderDecision => decideConfirmReceiptSent(order, receipt),
    FailReceipt: (fail): OrderDecision => decideFailReceipt(order, fail),
    ReserveRefund: (reserve): OrderDecision => decideReserveRefund(order, reserve),
    CompleteRefund: ({ amount }): OrderDecision =>
      outOf(order, "refundingAmount", amount, RefundCompleted.make({ amount })),
    ReleaseRefund: ({ amount }): OrderDecision =>
      outOf(order, "refundingAmount", amount, RefundReleased.make({ amount })),
    ReverseRefund: ({ amount }): OrderDecision =>
      outOf(order, "refundedAmount", amount, RefundReversed.make({ amount })),
    OpenDispute: (): OrderDecision => outOf(order, "disputesOpen", 0, DisputeOpened.make({})),
    CloseDispute: ({ lost }): OrderDecision => outOf(order, "disputesOpen", 1, DisputeClosed.make({ lost })),
    RegainDispute: ({ amount }): OrderDecision => outOf(order, "disputesLost", amount, DisputeRegained.make({ amount }))
  })

/** In the sandbox no money is lost when the bank refuses it. A real payment is kept, however many there are. */
const decideConfirmPayment = (order: Order, facts: PaymentFacts): OrderDecision => {
  // A notice of the capture may come before the answer to it, and for a part of the amount.
  if (heldOf(order)?.paymentId === facts.paymentId) return decideHold(order, { _tag: "Capture", facts })
  const events = confirmPayment(order, facts)
  return events.length < meaningOf(order, facts).length
    ? refuse(new OrderConflict({ tradeNo: order.tradeNo, reason: "too_many_payments" }))
    : accept(...events)
}

/** The facts to record for a payment: a sandbox order stores a limited number of unapplied ones. */
const confirmPayment = (order: Order, facts: PaymentFacts): ReadonlyArray<OrderEvent> => {
  const isFull = order.mode === "sandbox" && order.unappliedPayments.length >= unappliedPaymentsMax
  return meaningOf(order, facts).filter((event) => !isFull || !OrderEvent.guards.UnappliedPaymentFound(event))
}

/** The meaning of a reported payment for this order: money kept, money to send back, or nothing new. */
const meaningOf = (order: Order, facts: PaymentFacts): ReadonlyArray<OrderEvent> => {
  if (isKnown(order, facts)) return []
  // Crediting an amount other than the order's would invent money; a person has to decide (silences: O17).
  if (facts.amount !== order.amount || facts.currency !== order.currency) return [unapplied(facts, "mismatch")]
  switch (order.status) {
    case "pending":
      if (heldOf(order) !== undefined) return [unapplied(facts, "second")]
      // Without its constructor: the command with the facts has validated them.
      return [{ _tag: "PaymentSucceeded", facts }, ...(isManual(order) ? [OrderEvent.cases.CaptureTold.make({})] : [])]
    case "paid":
    case "partially_refunded":
    case "refunded":
      return [unapplied(facts, "second")]
    case "failed":
    case "expired":
      return [unapplied(facts, "late")]
  }
}

// The channel may deliver one confirmation many times.
const isKnown = (order: Order, { paymentId }: PaymentFacts): boolean =>
  order.unappliedPayments.some((payment) => payment.paymentId === paymentId) ||
  ("paymentId" in order && order.paymentId === paymentId)

const unapplied = (
  { card: _, fee: __, refundableUntil: ___, ...payment }: PaymentFacts,
  reason: UnappliedPayment["reason"]
) => UnappliedPaymentFound.make({ payment: { ...payment, reason, state: reason === "mismatch" ? "parked" : "due" } })

const decideReachDeadline = (order: Order, { answer, now }: CommandOf<"ReachDeadline">): OrderDecision => {
  switch (order.status) {
    case "paid":
    case "partially_refunded":
    case "refunded":
    case "failed":
    case "expired":
      return accept()
    case "pending":
      // A timer on another machine may fire early by its clock skew. A hold has an end of its own.
      if (DateTime.isLessThan(now, order.expiresAt) || heldOf(order) !== undefined) return accept()
      switch (answer._tag) {
        case "Cancelled":
          return accept(OrderExpired.make({}))
        case "AlreadyPaid":
          return accept(...closePaid(order, answer.facts))
        case "BuyerBusy":
          // The channel is asked again later; checkout accepts no new attempt meanwhile (silences: O14).
          return accept()
      }
  }
}

/** A payment in time counts. A payment that cannot be credited does not keep the order open: it is parked. */
const closePaid = (order: Order, facts: PaymentFacts): ReadonlyArray<OrderEvent> => {
  const events = confirmPayment(order, facts)
  return events.some(OrderEvent.guards.PaymentSucceeded) ? events : [...events, OrderExpired.make({})]
}

const decideCloseEarly = (order: Order, { answer }: CommandOf<"CloseEarly">): OrderDecision => {
  switch (order.status) {
    case "expired":
      return accept()
    case "paid":
    case "partially_refunded":
    case "refunded":
    case "failed":
      return refuse(new OrderConflict({ tradeNo: order.tradeNo, reason: "not_pending" }))
    case "pending":
      // The buyer has authorised it since the channel was asked: the hold is released in place of this.
      if (heldOf(order) !== undefined)
        return refuse(new OrderConflict({ tradeNo: order.tradeNo, reason: "buyer_busy" }))
      switch (answer._tag) {
        case "Cancelled":
          return accept(OrderExpired.make({}))
        case "AlreadyPaid": {
          const events = confirmPayment(order, answer.facts)
          const reason = events.some(OrderEvent.guards.PaymentSucceeded) ? "just_paid" : "other_payment"
          return refuse(new OrderConflict({ tradeNo: order.tradeNo, reason }), ...events)
        }
        case "BuyerBusy":
          return refuse(new OrderConflict({ tradeNo: order.tradeNo, reason: "buyer_busy" }))
      }
  }
}

/**
 * The same in every status: the merchant may always change its own data. The front door has checked the patch; the sum
 * of two concurrent patches is checked here.
 */
const decideAnnotate = (order: Order, { metadata, receiptEmail }: CommandOf<"Annotate">): OrderDecision =>
  patchProblem(order.metadata, metadata ?? {}) !== undefined
    ? refuse(new OrderConflict({ tradeNo: order.tradeNo, reason: "too_many_keys" }))
    : accept(
        OrderAnnotated.make({
          metadata: metadata === undefined ? order.metadata : merge(order.metadata, metadata),
          receiptEmail: receiptEmail === undefined ? order.receiptEmail : receiptEmail
        })
      )

/** The checks in their order: state, dispute, window, what remains (silences: G10, R3, R10, R12). */
const decideReserveRefund = (order: Order, { amount, now, whole }: CommandOf<"ReserveRefund">): OrderDecision => {
  switch (order.status) {
    case "pending":
    case "failed":
    case "expired":
      return refuseRefund(order, "not_paid", 0)
    case "paid":
    case "partially_refunded":
    case "refunded": {
      const reason = refundProblem(order, { amount, now, whole })
      return reason === undefined
        ? accept(RefundReserved.make({ amount }))
        : refuseRefund(order, reason, Math.max(0, remainingOf(order)))
    }
  }
}

const refundProblem = (
  order: CreditedOrder,
  { amount, now, whole }: Pick<CommandOf<"ReserveRefund">, "amount" | "now" | "whole">
): RefundRefused["reason"] | undefined => {
  const remaining = remainingOf(order)
  if (order.refundedAmount + order.disputesLost >= amountPaid(order)) return "nothing_left"
  if (order.disputesOpen > 0) return "disputed"
  if (order.refundableUntil !== null && DateTime.isGreaterThan(now, order.refundableUntil)) return "window_expired"
  if (whole) return remaining <= 0 ? "nothing_left" : amount === remaining ? undefined : "remaining_changed"
  return amount > remaining ? "exceeds_remaining" : undefined
}

const refuseRefund = ({ tradeNo }: Order, reason: RefundRefused["reason"], remaining: number): OrderDecision =>
  refuse(new RefundRefused({ tradeNo, reason, remaining }))

/** Accepts a fact that reduces the order's field `held` by `amount`. Only a paid order has such fields. */
const outOf = (
  order: Order,
  held: "refundingAmount" | "refundedAmount" | "disputesOpen" | "disputesLost",
  amount: number,
  fact: OrderEvent
): OrderDecision => {
  if (!("paymentId" in order)) return refuseRefund(order, "not_paid", 0)
  return order[held] < amount ? refuseRefund(order, "not_promised", 0) : accept(fact)
}

// Evolve ----------------------------------------------------------------------
// The order after a fact. Total over what `decide` can record; anything else is a bug in this program.
export const evolve = (order: Order, event: OrderEvent): Order =>
  OrderEvent.match(event, {
    PaymentSucceeded: ({ facts }): Order => {
      const { amount: _, currency: __, ...payment } = facts
      const pending = termsOfPending(order, event)
      return { status: "paid", ...pending, ...payment, ...untouched, ...capturedOf(pending, facts.amount) }
    },
    AttemptNoted: ({ attempt }): Order => attempted(order, attempt),
    PaymentFailed: ({ attempt }): Order => attempted({ status: "failed", ...termsOfPending(order, event) }, attempt),
    OrderExpired: (): Order => ({ status: "expired", ...termsOfPending(order, event) }),
    HoldPlaced: (placed): Order => holding(order, placed),
    HoldAsked: (begun): Order => holding(order, begun),
    HoldWithdrawn: (withdrawn): Order => holding(order, withdrawn),
    HoldReleased: ({ release }): Order => {
      const pending = termsOfPending(order, event)
      return { status: "expired", ...pending, hold: { ...withoutRequest(pending.hold), released: release } }
    },
    CaptureTold: (): Order => order,
    UnappliedPaymentFound: ({ payment }): Order => ({
      ...order,
      unappliedPayments: [...order.unappliedPayments, payment]
    }),
    UnappliedPaymentReturned: ({ paymentId }): Order => ({
      ...order,
      unappliedPayments: order.unappliedPayments.map((payment) =>
        payment.paymentId === paymentId ? { ...payment, state: "returned" } : payment
      )
    }),
    UnappliedPaymentParked: ({ payment }): Order => replaced(order, payment),
    UnappliedPaymentNoted: ({ payment }): Order => replaced(order, payment),
    OrderAnnotated: ({ metadata, receiptEmail }): Order => ({
      ...order,
      metadata,
      receiptEmail,
      receipt: receiptEmail === order.receiptEmail ? order.receipt : merchants(order.receipt)
    }),
    BuyersAddressTaken: ({ address }): Order => ({
      ...order,
      receiptEmail: address,
      receipt: { ...(order.receipt ?? noReceipt), isBuyers: true }
    }),
    ReceiptNumbered: ({ number }): Order => ({ ...order, receipt: { ...(order.receipt ?? noReceipt), number } }),
    ReceiptRequested: (request): Order => ({
      ...order,
      ...(request.save ? { receiptEmail: request.address } : {}),
      receipt: requested(order, request)
    }),
    ReceiptSent: ({ at }): Order => ({ ...order, receipt: sent(order, at) }),
    ReceiptFailed: ({ reason }): Order => ({ ...order, receipt: { ...(order.receipt ?? noReceipt), failure: reason } }),
    RefundReserved: ({ amount }): Order => moved(order, event, { refundingAmount: amount }),
    RefundCompleted: ({ amount }): Order => moved(order, event, { refundingAmount: -amount, refundedAmount: amount }),
    RefundReleased: ({ amount }): Order => moved(order, event, { refundingAmount: -amount }),
    RefundReversed: ({ amount }): Order => moved(order, event, { refundedAmount: -amount }),
    DisputeOpened: (): Order => moved(order, event, { disputesOpen: 1 }),
    DisputeClosed: ({ lost }): Order =>
      regained(moved(order, event, { disputesOpen: -1, disputesLost: lost }), lost === 0),
    DisputeRegained: ({ amount }): Order => regained(moved(order, event, { disputesLost: -amount }), true)
  })

const replaced = (order: Order, payment: UnappliedPayment): Order => ({
  ...order,
  unappliedPayments: order.unappliedPayments.map((each) => (each.paymentId === payment.paymentId ? payment : each))
})

const untouched = {
  refundedAmount: Minor.make(0),
  refundingAmount: Minor.make(0),
  disputesOpen: 0,
  disputesLost: Minor.make(0),
  disputesWon: null
}

/** Counts a dispute whose whole amount came back. */
const regained = (order: CreditedOrder, isWhole: boolean): Order =>
  isWhole ? { ...order, disputesWon: (order.disputesWon ?? 0) + 1 } : order

/** Adds to amounts, and derives the status from the refunded amount (silences: O8). */
const moved = (order: Order, event: OrderEvent, by: Partial<Record<keyof typeof untouched, number>>): CreditedOrder => {
  if (!("paymentId" in order)) throw new TypeError(`${event._tag} cannot follow ${order.status} (${order.tradeNo})`)
  const after = {
    ...order,
    refundedAmount: Minor.make(order.refundedAmount + (by.refundedAmount ?? 0)),
    refundingAmount: Minor.make(order.refundingAmount + (by.refundingAmount ?? 0)),
    disputesOpen: order.disputesOpen + (by.disputesOpen ?? 0),
    disputesLost: Minor.make(order.disputesLost + (by.disputesLost ?? 0))
  }
  if (after.refundedAmount === 0) return { ...after, status: "paid" }
  return { ...after, status: after.refundedAmount === amountPaid(after) ? "refunded" : "partially_refunded" }
}

const termsOfPending = (order: Order, event: OrderEvent): Omit<typeof PendingOrder.Type, "status"> => {
  if (order.status !== "pending") {
    throw new TypeError(`${event._tag} cannot follow ${order.status} (${order.tradeNo})`)
  }
  const { status: _, ...terms } = order
  return terms
}

// Consequences ----------------------------------------------------------------
// For the wallet, and the event (spec: Balance transaction; Events).

/** `before` is the order before the fact. */
export const consequences = (before: Order, event: OrderEvent): Consequence =>
  OrderEvent.match(event, {
    PaymentSucceeded: ({ facts }): Consequence => credit(before, facts),
    PaymentFailed: (): Consequence => ({ ...nothing, announced: "payment.failed" }),
    OrderExpired: (): Consequence => ({ ...nothing, announced: "payment.expired" }),
    UnappliedPaymentReturned: ({ paymentId }): Consequence =>
      before.unappliedPayments.some((each) => each.paymentId === paymentId && each.isHold)
        ? nothing
        : { ...nothing, announced: "payment.duplicate_refunded" },
    HoldPlaced: (): Consequence => ({ ...nothing, announced: "payment.authorized" }),
    HoldReleased: ({ release }): Consequence => ({ ...nothing, announced: endOf[release] }),
    CaptureTold: (): Consequence => ({ ...nothing, announced: "payment.captured" }),
    HoldAsked: () => nothing,
    HoldWithdrawn: () => nothing,
    AttemptNoted: () => nothing,
    UnappliedPaymentFound: () => nothing,
    UnappliedPaymentParked: () => nothing,
    UnappliedPaymentNoted: () => nothing,
    OrderAnnotated: () => nothing,
    BuyersAddressTaken: () => nothing,
    ReceiptNumbered: () => nothing,
    ReceiptRequested: () => nothing,
    ReceiptSent: () => nothing,
    ReceiptFailed: () => nothing,
    // Their movements are consequences of the requesting refund or dispute.
    RefundReserved: () => nothing,
    RefundCompleted: () => nothing,
    RefundReleased: () => nothing,
    RefundReversed: () => nothing,
    DisputeOpened: () => nothing,
    DisputeClosed: () => nothing,
    DisputeRegained: () => nothing
  })

/** A successful payment is two rows: the whole amount in, the fee out (spec: Balance transaction). */
const credit = ({ tradeNo }: Order, { amount, fee }: PaymentFacts): Consequence => ({
  ...nothing,
  movements: [
    { type: "payment_credit", amount, referenceId: tradeNo, description: `Payment of order ${tradeNo}` },
    // Not -0, which would differ from what Postgres gives back.
    { type: "fee_debit", amount: 0 - fee, referenceId: tradeNo, description: `Acquiring fee of order ${tradeNo}` }
  ],
  announced: "payment.succeeded"
})
