/**
 * The consequences of a fact of an order for the wallet, and whether merchants are told of it (spec: Balance
 * transaction; Events). The one table of it. Pure.
 */
import { type Consequence, nothing } from "../Consequence.ts"
import { type Order, OrderEvent, type PaymentFacts } from "./Order.ts"

/** `before` is the order as it was when the fact came. */
export const consequences = (before: Order, event: OrderEvent): Consequence =>
  OrderEvent.match(event, {
    PaymentSucceeded: ({ facts }): Consequence => credit(before, facts),
    PaymentFailed: (): Consequence => ({ ...nothing, announced: "payment.failed" }),
    OrderExpired: (): Consequence => ({ ...nothing, announced: "payment.expired" }),
    UnappliedPaymentReturned: (): Consequence => ({ ...nothing, announced: "payment.duplicate_refunded" }),
    PaymentDeclined: () => nothing,
    UnappliedPaymentFound: () => nothing,
    UnappliedPaymentParked: () => nothing,
    UnappliedPaymentNoted: () => nothing,
    OrderAnnotated: () => nothing,
    ReceiptNumbered: () => nothing,
    ReceiptRequested: () => nothing,
    ReceiptSent: () => nothing,
    ReceiptFailed: () => nothing,
    // The movements of these are consequences of the refund or the dispute that asked for them.
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
