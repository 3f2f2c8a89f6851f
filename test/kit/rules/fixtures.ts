/** An order and a payment for the tests of rules; every other state is reached from these by facts. */
import { ChannelName, MerchantId, OutTradeNo, PaymentId } from "@coffer/model/Ids"
import { Minor } from "@coffer/model/Money"
import { PaymentMethod } from "@coffer/model/PaymentMethod"
import {
  CancelAnswer,
  type ChannelDispute,
  type Order,
  OrderCommand,
  OrderEvent,
  type PaymentAttempt
} from "@coffer/rules/order/Order"
import type { PaymentFacts } from "@coffer/rules/order/Payment"
import type { HeldPayment, HoldStep } from "@coffer/rules/order/Hold"
import { DateTime } from "effect"
import { newOrder } from "../../../src/money/orders/Orders.ts"

export const createdAt = DateTime.makeUnsafe("2026-01-01T00:00:00.000Z")
export const expiresAt = DateTime.makeUnsafe("2026-01-02T00:00:00.000Z")

export const pendingOrder: Order = {
  ...newOrder(
    { merchantId: MerchantId.make("mer_00000000000000000000000001"), mode: "sandbox" },
    { amount: Minor.make(10_00), out_trade_no: OutTradeNo.make("cart-1") },
    "TRD_SB_00000000000000000000000001"
  ),
  createdAt,
  expiresAt
}

/** A shop that named no logo and no contact, and takes everything. */
export const shopCalled = (name: string) => ({
  name,
  logo: null,
  supportEmail: null,
  supportUrl: null,
  termsUrl: null,
  privacyUrl: null,
  businessAddress: null,
  taxId: null,
  accentColor: null,
  timeZone: "UTC"
})
export const teahouse = { shop: shopCalled("Celadon Teahouse"), offered: PaymentMethod.literals }

/** Ten dollars paid by card, fifty-nine cents of fee. */
export const facts: PaymentFacts = {
  channel: ChannelName.make("sandbox"),
  paymentId: PaymentId.make("pay_1"),
  method: "card",
  card: { brand: "visa", last4: "4242" },
  amount: Minor.make(10_00),
  currency: "USD",
  fee: Minor.make(59),
  paidAt: DateTime.makeUnsafe("2026-01-01T00:05:00.000Z"),
  refundableUntil: null
}

/** The bank has refused an attempt. */
export const declined: PaymentAttempt = {
  channel: ChannelName.make("sandbox"),
  id: "pay_declined",
  method: "card",
  outcome: "declined",
  reason: "insufficient_funds",
  at: DateTime.makeUnsafe("2026-01-01T00:04:00.000Z")
}

/** About ten dollars that no order took. */
export const openDispute: ChannelDispute = {
  id: "dp_1",
  status: "needs_response",
  taken: Minor.make(10_00),
  isOver: false
}

/** A payment that nothing has gone back from. */
export const untouched = {
  refundedAmount: Minor.make(0),
  refundingAmount: Minor.make(0),
  disputesOpen: 0,
  disputesLost: Minor.make(0),
  disputesWon: null
}

export const {
  Annotate,
  CloseParked,
  CloseEarly,
  ConfirmPayment,
  ConfirmReturn,
  NoteAttempt,
  FailPayment,
  FailReturn,
  NoteDispute,
  NoteGivenBack,
  ReachDeadline,
  ReserveRefund
} = OrderCommand.cases
/** A step of an order's hold. */
export const holdStep = (hold: HoldStep): OrderCommand => Annotate.make({ hold })

/** The ten dollars, held and not charged. */
export const heldPayment: HeldPayment = {
  channel: facts.channel,
  paymentId: facts.paymentId,
  method: facts.method,
  authorizedAt: DateTime.makeUnsafe("2026-01-01T00:05:00.000Z"),
  captureBy: DateTime.makeUnsafe("2026-01-08T00:05:00.000Z")
}
export const manualOrder: Order = { ...pendingOrder, hold: {} }
export const heldOrder: Order = { ...manualOrder, hold: { payment: heldPayment } }

export const {
  CaptureTold,
  HoldAsked,
  HoldPlaced,
  HoldReleased,
  HoldWithdrawn,
  DisputeClosed,
  DisputeOpened,
  DisputeRegained,
  OrderAnnotated,
  OrderExpired,
  AttemptNoted,
  PaymentFailed,
  PaymentSucceeded,
  RefundCompleted,
  RefundReleased,
  RefundReserved,
  RefundReversed,
  UnappliedPaymentFound,
  UnappliedPaymentNoted,
  UnappliedPaymentParked,
  UnappliedPaymentReturned
} = OrderEvent.cases
export const { AlreadyPaid, BuyerBusy, Cancelled } = CancelAnswer.cases
