/**
 * The order after a fact. Total over what `decide` can record; anything else is a bug in this program, so it throws
 * instead of guessing.
 */
import { Minor } from "@coffer/model/Money"
import { type Order, OrderEvent, type PendingOrder, type UnappliedPayment } from "./Order.ts"
import { noReceipt, requested, sent } from "./receipt.ts"

export const evolve = (order: Order, event: OrderEvent): Order =>
  OrderEvent.match(event, {
    PaymentSucceeded: ({ facts }): Order => {
      const { amount: _, currency: __, ...payment } = facts
      return { status: "paid", ...termsOfPending(order, event), ...payment, ...untouched }
    },
    PaymentDeclined: (): Order => ({ ...order, declines: order.declines + 1 }),
    PaymentFailed: (): Order => ({ status: "failed", ...termsOfPending(order, event) }),
    OrderExpired: (): Order => ({ status: "expired", ...termsOfPending(order, event) }),
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
    OrderAnnotated: ({ metadata, receiptEmail }): Order => ({ ...order, metadata, receiptEmail }),
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
    DisputeClosed: ({ lost }): Order => moved(order, event, { disputesOpen: -1, disputesLost: lost }),
    DisputeRegained: ({ amount }): Order => moved(order, event, { disputesLost: -amount })
  })

const replaced = (order: Order, payment: UnappliedPayment): Order => ({
  ...order,
  unappliedPayments: order.unappliedPayments.map((each) => (each.paymentId === payment.paymentId ? payment : each))
})

const untouched = {
  refundedAmount: Minor.make(0),
  refundingAmount: Minor.make(0),
  disputesOpen: 0,
  disputesLost: Minor.make(0)
}

/** Amounts up or down by so much, and the status that follows from what was refunded (silences: O8). */
const moved = (order: Order, event: OrderEvent, by: Partial<Record<keyof typeof untouched, number>>): Order => {
  if (!("paymentId" in order)) throw new TypeError(`${event._tag} cannot follow ${order.status} (${order.tradeNo})`)
  const after = {
    ...order,
    refundedAmount: Minor.make(order.refundedAmount + (by.refundedAmount ?? 0)),
    refundingAmount: Minor.make(order.refundingAmount + (by.refundingAmount ?? 0)),
    disputesOpen: order.disputesOpen + (by.disputesOpen ?? 0),
    disputesLost: Minor.make(order.disputesLost + (by.disputesLost ?? 0))
  }
  if (after.refundedAmount === 0) return { ...after, status: "paid" }
  return { ...after, status: after.refundedAmount === after.amount ? "refunded" : "partially_refunded" }
}

const termsOfPending = (order: Order, event: OrderEvent): Omit<typeof PendingOrder.Type, "status"> => {
  if (order.status !== "pending") {
    throw new TypeError(`${event._tag} cannot follow ${order.status} (${order.tradeNo})`)
  }
  const { status: _, ...terms } = order
  return terms
}
