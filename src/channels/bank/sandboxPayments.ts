/** The payments of the sandbox's bank (`sandbox_payments`). */
import { PaymentId, TradeNo } from "@coffer/model/Ids"
import { Currency, Minor } from "@coffer/model/Money"
import { PaidCard, PaymentMethod } from "@coffer/model/PaymentMethod"
import type { PaymentAttempt } from "@coffer/rules/order/Order"
import { DateTime, Duration, Schema } from "effect"
import type { ChannelPayment } from "../../shared/channel/payments.ts"
import { refundableUntil } from "../../shared/channel/refundWindows.ts"
import { type ChangeSet, insert } from "../../platform/commit/Change.ts"
import { table } from "../../platform/commit/Table.ts"
import { instructionKind } from "../../money/wallets/Instructions.ts"
import { sandboxChannel } from "./name.ts"

const SandboxPayment = Schema.Struct({
  paymentId: PaymentId,
  tradeNo: TradeNo,
  method: PaymentMethod,
  card: Schema.NullOr(PaidCard),
  amount: Minor,
  currency: Currency,
  state: Schema.String,
  createdAt: Schema.DateTimeUtc,
  /** When the bank captured what it held: null for a payment that was charged at once. */
  capturedAt: Schema.optionalKey(Schema.NullOr(Schema.DateTimeUtc))
})
export type SandboxPayment = typeof SandboxPayment.Type

export const sandboxPayments = table("sandbox_payments", {
  place: 130,
  of: SandboxPayment,
  /** When the bank reports a payment that it has not reported yet. */
  extra: { merchantId: Schema.String, reportDueAt: Schema.NullOr(Schema.DateTimeUtc) },
  key: "paymentId"
})

const Booked = Schema.Struct({
  payment: SandboxPayment,
  merchantId: Schema.String,
  reportDueAt: Schema.NullOr(Schema.DateTimeUtc)
})

/** A payment whose row is committed with the change of its order. */
export const bankPayment = instructionKind("sandbox_payment", Booked)

export const bookedRows = ({ merchantId, payment, reportDueAt }: typeof Booked.Type): ChangeSet => [
  insert(sandboxPayments, payment, { merchantId, reportDueAt })
]

/** The bank's code when its 3-D Secure check has failed. */
export const threeDsFailed = "authentication_failed"

/** The bank's codes, and its words for people. */
const messages: Readonly<Record<string, string>> = {
  generic_decline: "The card was declined.",
  insufficient_funds: "The card has insufficient funds.",
  expired_card: "The card has expired.",
  call_issuer: "The cardholder needs to contact the bank.",
  [threeDsFailed]: "The buyer could not be authenticated.",
  cancelled_by_buyer: "The buyer cancelled the payment.",
  processing_error: "The payment could not be processed."
}

export const attemptOf = (
  { card, createdAt, method, paymentId }: SandboxPayment,
  outcome: PaymentAttempt["outcome"],
  reason: string
): PaymentAttempt => ({
  channel: sandboxChannel,
  id: paymentId,
  method,
  outcome,
  reason,
  ...(messages[reason] === undefined ? {} : { message: messages[reason] }),
  ...(reason === threeDsFailed ? { threeDs: "failed" } : {}),
  // A wallet that the buyer left has charged no card.
  ...(card === null || outcome === "cancelled" ? {} : { card }),
  at: createdAt
})

/** For how many days the bank holds an amount. */
export const heldDays = 7
export const heldUntil = ({ createdAt }: Pick<SandboxPayment, "createdAt">): DateTime.Utc =>
  DateTime.addDuration(createdAt, Duration.days(heldDays))

export const paymentOf = (payment: SandboxPayment): ChannelPayment => {
  const { amount, capturedAt, card, createdAt, currency, method, paymentId, state } = payment
  const paidAt = capturedAt ?? createdAt
  return {
    channel: sandboxChannel,
    paymentId,
    method,
    card,
    amount,
    currency,
    paidAt,
    refundableUntil: refundableUntil(method, paidAt),
    ...(state === "authorized" ? { hold: { captureBy: heldUntil(payment) } } : capturedAt ? { hold: "captured" } : {})
  }
}
