/**
 * The order: its states, the commands it accepts and the facts it records (spec: Order; States and transitions, Order).
 *
 * Each status is its own struct, so a pending order with a fee cannot be expressed. Transitions live in
 * `decide.ts`.
 */
import { ChannelName, PaymentId, TradeNo } from "@coffer/model/Ids"
import { Metadata, MetadataPatch } from "@coffer/model/Metadata"
import { Currency, Minor } from "@coffer/model/Money"
import { PaidCard, PaymentMethod } from "@coffer/model/PaymentMethod"
import { fixedFields } from "@coffer/resources/listed"
import { orders } from "@coffer/resources/orders"
import { Schema } from "effect"
import { amountPaid, HeldPayment, Hold, HoldProblem, HoldRequest, HoldStep, Release } from "./Hold.ts"
import { payment, PaymentFacts } from "./Payment.ts"

// State ----------------------------------------------------------------------

/** A dispute about a payment that the order did not accept. No merchant answers it: it is the operator's money. */
export const ChannelDispute = Schema.Struct({
  /** The channel's number. */
  id: Schema.String,
  /** In the channel's own words. */
  status: Schema.String,
  /** The amount that the buyer's bank has taken so far: 0 for an inquiry, and for a dispute that was won. */
  taken: Minor,
  isOver: Schema.Boolean,
  /** The last moment for evidence. */
  answerBy: Schema.optionalKey(Schema.DateTimeUtcFromString)
})
export type ChannelDispute = typeof ChannelDispute.Type

/**
 * Money that reached the channel for this order but must not stay in the wallet: paid after closure, paid a second
 * time, or not the amount that was asked. `due` is being returned to the buyer, `returned` was accepted by the channel,
 * `parked` waits for a person, and a person has `closed` it with a note (silences: O15, O17, O37, O44).
 */
export const UnappliedPayment = Schema.Struct({
  channel: ChannelName,
  paymentId: PaymentId,
  method: PaymentMethod,
  amount: Minor,
  currency: Currency,
  reason: Schema.Literals(["late", "second", "mismatch"]),
  state: Schema.Literals(["due", "returned", "parked", "closed"]),
  /** It was `returned` before it was parked, and merchants got the event. */
  wasReturned: Schema.optionalKey(Schema.Literal(true)),
  /** Why the channel did not take it back, or could not bring it to the buyer: in its own words, for people. */
  problem: Schema.optionalKey(Schema.String),
  dispute: Schema.optionalKey(ChannelDispute),
  /** The operator's note on how it was closed. */
  note: Schema.optionalKey(Schema.String),
  /** The channel only holds it: it is released, and no merchant is told. */
  isHold: Schema.optionalKey(Schema.Literal(true)),
  /** When the channel took it. Missing in payments from before this was stored. */
  paidAt: Schema.optionalKey(Schema.DateTimeUtcFromString)
})
export type UnappliedPayment = typeof UnappliedPayment.Type

/**
 * A failed attempt to pay. `declined`: the bank or its 3-D Secure refused. `cancelled`: the buyer cancelled. `failed`:
 * an error. The successful attempt is the order's payment.
 */
export const PaymentAttempt = Schema.Struct({
  channel: ChannelName,
  /** The channel's id of the attempt or of its report, by which a repeated report is recognized. */
  id: Schema.String,
  method: PaymentMethod,
  outcome: Schema.Literals(["declined", "cancelled", "failed"]),
  /** In the channel's code, such as `insufficient_funds`. */
  reason: Schema.String,
  /** In the channel's words for people. */
  message: Schema.optionalKey(Schema.String),
  /** Missing if the buyer's bank did not ask for 3-D Secure, or that is unknown. */
  threeDs: Schema.optionalKey(Schema.Literals(["passed", "failed"])),
  /** Missing where no card was tried, and from before it was stored. An erasure of the buyer takes it out. */
  card: Schema.optionalKey(PaidCard),
  at: Schema.DateTimeUtcFromString
})
export type PaymentAttempt = typeof PaymentAttempt.Type

/** The terms of the order; none of them ever changes. */
export const terms = fixedFields(orders)

/** The order's receipt, from its first view or the first request to send it (spec: Order, receipt_number). */
export const Receipt = Schema.Struct({
  /** Null until it is first viewed or sent. */
  number: Schema.NullOr(Schema.String),
  /** When the mail server last accepted a mail with it. */
  sentAt: Schema.NullOr(Schema.DateTimeUtcFromString),
  /** When the merchant requested it within the last hour: at most five. */
  requestedAt: Schema.Array(Schema.DateTimeUtcFromString),
  /** The numbers of the last requested mails, at most five. Missing from before they were stored. */
  mailIds: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Why the last mail was not sent; missing if it was, or was requested again. */
  failure: Schema.optionalKey(Schema.String),
  /** The buyer typed the order's address, and may change it until the order is paid (silences: O71). */
  isBuyers: Schema.optionalKey(Schema.Literal(true))
})
export type Receipt = typeof Receipt.Type

const notes = {
  metadata: Metadata,
  receiptEmail: Schema.NullOr(Schema.String),
  receipt: Schema.NullOr(Receipt),
  /** Declined attempts. After some of them there is a lockout (silences: O13). */
  declines: Schema.Int,
  /** The newest failed attempts, in order of time; null without any. */
  attempts: Schema.NullOr(Schema.Array(PaymentAttempt)),
  unappliedPayments: Schema.Array(UnappliedPayment),
  /** Null for an order whose payment is captured as it is made. Missing from runners that know no holds. */
  hold: Schema.optionalKey(Schema.NullOr(Hold))
}

/** The amounts returned after the payment, and those being returned (silences: O9). */
const returns = {
  /** Refunds that succeeded. */
  refundedAmount: Minor,
  /** Pending refunds, whose amount is not available for others. */
  refundingAmount: Minor,
  /** Undecided disputes; while there is one, nothing is refunded (spec: Dispute). */
  disputesOpen: Schema.Int,
  /** The amount that the buyer's bank has kept; it is not refunded again (silences: R10). */
  disputesLost: Minor,
  /** Disputes whose whole amount came back: won, withdrawn, or won by appeal. Missing from runners that number 12. */
  disputesWon: Schema.optionalKey(Schema.NullOr(Schema.Int))
}

export const PendingOrder = Schema.Struct({ status: Schema.tag("pending"), ...terms, ...notes })
const credited = { ...terms, ...notes, ...payment, ...returns }
const PaidOrder = Schema.Struct({ status: Schema.tag("paid"), ...credited })
export const PartiallyRefundedOrder = Schema.Struct({ status: Schema.tag("partially_refunded"), ...credited })
export const RefundedOrder = Schema.Struct({ status: Schema.tag("refunded"), ...credited })
const FailedOrder = Schema.Struct({ status: Schema.tag("failed"), ...terms, ...notes })
const ExpiredOrder = Schema.Struct({ status: Schema.tag("expired"), ...terms, ...notes })

export const Order = Schema.Union([
  PendingOrder,
  PaidOrder,
  PartiallyRefundedOrder,
  RefundedOrder,
  FailedOrder,
  ExpiredOrder
]).pipe(Schema.toTaggedUnion("status"))
export type Order = typeof Order.Type
export type OrderStatus = Order["status"]

/** An order whose payment was credited, whatever of it went back since. */
export type CreditedOrder = Extract<Order, { readonly paymentId: PaymentId }>

/** The amount that can still be refunded. */
export const remainingOf = (order: CreditedOrder): number =>
  amountPaid(order) - order.refundedAmount - order.refundingAmount - order.disputesLost

/** What disputes have done to the payment, the state that binds most first (silences: O74). */
export const disputeStatusOf = (order: Order): "lost" | "open" | "won" | null => {
  if (!("paymentId" in order)) return null
  if (order.disputesOpen > 0) return "open"
  if (order.disputesLost > 0) return "lost"
  return (order.disputesWon ?? 0) > 0 ? "won" : null
}

// Commands -------------------------------------------------------------------

/** The channel's answer when asked to cancel a checkout. */
export const CancelAnswer = Schema.TaggedUnion({
  Cancelled: {},
  AlreadyPaid: { facts: PaymentFacts },
  /** The buyer is in a wallet redirect or 3DS; the channel cannot cancel yet. */
  BuyerBusy: {}
})
export type CancelAnswer = typeof CancelAnswer.Type

export const OrderCommand = Schema.TaggedUnion({
  ConfirmPayment: { facts: PaymentFacts },
  /** One attempt did not succeed; the buyer may try again. */
  NoteAttempt: { attempt: PaymentAttempt },
  /** The channel's final report: this order will not be paid. */
  FailPayment: { attempt: PaymentAttempt },
  ReachDeadline: { now: Schema.DateTimeUtc, answer: CancelAnswer },
  CloseEarly: { answer: CancelAnswer },
  /** The channel has accepted the return of an unapplied payment to the buyer. */
  ConfirmReturn: { paymentId: PaymentId },
  /** The channel refuses to return it, or got it back because it did not reach the buyer (silences: O37, O38). */
  FailReturn: {
    paymentId: PaymentId,
    problem: Schema.String,
    /** True: the channel had accepted the return, and got the money back. False: it never accepted the return. */
    wasTaken: Schema.Boolean
  },
  /**
   * An unapplied payment was refunded manually at the channel (silences: O40). `left`: the amount not refunded,
   * disputes aside. `problem`: why the reported refund did not reach the buyer.
   */
  NoteGivenBack: { paymentId: PaymentId, left: Minor, problem: Schema.optionalKey(Schema.String) },
  /** The status of a dispute about an unapplied payment (silences: O39). */
  NoteDispute: { paymentId: PaymentId, dispute: ChannelDispute },
  /** A person has resolved a parked payment, or that is not needed (silences: O44). */
  CloseParked: { paymentId: PaymentId, note: Schema.String },
  /** The merchant's own data: a patch of the metadata, and the receipt email. An omitted field stays. */
  Annotate: {
    metadata: Schema.optionalKey(MetadataPatch),
    receiptEmail: Schema.optionalKey(Schema.NullOr(Schema.String)),
    /** A step of the order's hold, and then nothing else of these (docs/decisions/0274). */
    hold: Schema.optionalKey(HoldStep)
  },
  /** The buyer of an unpaid order wants the receipt there. An address that the merchant gave stays. */
  TakeBuyersAddress: { address: Schema.String },
  /** The receipt is viewed or sent for the first time. An existing number stays. */
  NumberReceipt: { number: Schema.String },
  /** The merchant asks to send the receipt. `save`: the address becomes the order's. */
  RequestReceipt: { at: Schema.DateTimeUtc, mailId: Schema.String, address: Schema.String, save: Schema.Boolean },
  /** The mail server has accepted the receipt. */
  ConfirmReceiptSent: { at: Schema.DateTimeUtc },
  /** A mail with the receipt will not be sent, with the reason. */
  FailReceipt: { reason: Schema.String },
  /** Before the channel is asked. `whole`: no amount was given, so it must be the whole remaining amount. */
  ReserveRefund: { amount: Minor, whole: Schema.Boolean, now: Schema.DateTimeUtc },
  /** The channel paid a reserved refund out. */
  CompleteRefund: { amount: Minor },
  /** A reserved refund will not be paid out. */
  ReleaseRefund: { amount: Minor },
  /** A succeeded refund was returned to us (silences: R9). */
  ReverseRefund: { amount: Minor },
  OpenDispute: {},
  /** `lost`: how much the buyer's bank took; 0 when it gave the money back. */
  CloseDispute: { lost: Minor },
  /** An appeal gave back what a lost dispute had taken (silences: D8). */
  RegainDispute: { amount: Minor }
})
export type OrderCommand = typeof OrderCommand.Type

// Facts ----------------------------------------------------------------------

export const OrderEvent = Schema.TaggedUnion({
  PaymentSucceeded: { facts: PaymentFacts },
  AttemptNoted: { attempt: PaymentAttempt },
  PaymentFailed: { attempt: PaymentAttempt },
  OrderExpired: {},
  UnappliedPaymentFound: { payment: UnappliedPayment },
  UnappliedPaymentReturned: { paymentId: PaymentId },
  UnappliedPaymentParked: { payment: UnappliedPayment },
  /** The outcome; without an event for the merchant. */
  UnappliedPaymentNoted: { payment: UnappliedPayment },
  HoldPlaced: { payment: HeldPayment },
  HoldAsked: { request: HoldRequest },
  HoldWithdrawn: { refusal: Schema.optionalKey(Schema.String) },
  HoldReleased: { release: Release },
  /** Beside the payment: tells the merchant that it was a capture. */
  CaptureTold: {},
  OrderAnnotated: { metadata: Metadata, receiptEmail: Schema.NullOr(Schema.String) },
  BuyersAddressTaken: { address: Schema.String },
  ReceiptNumbered: { number: Schema.String },
  ReceiptRequested: { at: Schema.DateTimeUtc, mailId: Schema.String, address: Schema.String, save: Schema.Boolean },
  ReceiptSent: { at: Schema.DateTimeUtc },
  ReceiptFailed: { reason: Schema.String },
  RefundReserved: { amount: Minor },
  RefundCompleted: { amount: Minor },
  RefundReleased: { amount: Minor },
  RefundReversed: { amount: Minor },
  DisputeOpened: {},
  DisputeClosed: { lost: Minor },
  DisputeRegained: { amount: Minor }
})
export type OrderEvent = typeof OrderEvent.Type

// Refusal --------------------------------------------------------------------

export class OrderNotFound extends Schema.TaggedError<OrderNotFound>()("OrderNotFound", { ref: Schema.String }) {}

export class OrderConflict extends Schema.TaggedError<OrderConflict>()("OrderConflict", {
  tradeNo: TradeNo,
  reason: Schema.Literals([
    "just_paid",
    "other_payment",
    "buyer_busy",
    "not_pending",
    "too_many_keys",
    "too_many_payments",
    "no_receipt",
    "not_parked",
    "too_many_receipts"
  ]),
  /** Beside `not_pending`: why a hold is not captured or released. */
  hold: Schema.optionalKey(HoldProblem)
}) {}

/** Why an order accepts no refund, or no dispute. */
export class RefundRefused extends Schema.TaggedError<RefundRefused>()("RefundRefused", {
  tradeNo: TradeNo,
  reason: Schema.Literals([
    "not_paid",
    "nothing_left",
    "disputed",
    "window_expired",
    "exceeds_remaining",
    /** The whole remaining amount was requested, and has changed meanwhile: retry. */
    "remaining_changed",
    /** The message settles more than is promised or open: an earlier delivery of it has settled that already. */
    "not_promised"
  ]),
  /** Minor units that could be refunded. */
  remaining: Schema.Int
}) {}
