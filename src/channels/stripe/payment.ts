/** A payment of Stripe in our terms: its method, card, amount and hold, and failed attempts at it. Pure. */
import { ChannelName, PaymentId } from "@coffer/model/Ids"
import { Currency, Minor } from "@coffer/model/Money"
import { type PaidCard, PaymentMethod } from "@coffer/model/PaymentMethod"
import type { PaymentAttempt } from "@coffer/rules/order/Order"
import { DateTime, Schema } from "effect"
import type { Stripe } from "stripe"
import type { ChannelPayment } from "../../shared/channel/payments.ts"
import { refundableUntil } from "../../shared/channel/refundWindows.ts"

export const stripeChannel = ChannelName.make("stripe")

/** Stripe's names of what a session takes. */
export const SessionMethod = Schema.Literals(["card", "alipay", "wechat_pay"])
export type SessionMethod = typeof SessionMethod.Type

export const isCurrency = Schema.is(Currency)
export const isMinor = Schema.is(Minor)

/** What a session asked for. */
type SessionTerms = Pick<Stripe.Checkout.Session, "amount_total" | "currency">

/**
 * The amounts are the session's: those that we asked for, in whatever currency the buyer's bank paid them. An amount
 * that is held first may be captured in part, so then they are the payment's. `terms` is left out for such a payment
 * alone. Undefined: it cannot be read.
 */
export const paymentOf = (
  intent: Stripe.PaymentIntent,
  terms: SessionTerms = { amount_total: intent.amount, currency: intent.currency }
): ChannelPayment | undefined => {
  const charge = typeof intent.latest_charge === "object" ? intent.latest_charge : null
  const currency = terms.currency?.toUpperCase()
  const hold = charge === null ? undefined : holdOf(intent, charge)
  const amount = hold === "captured" ? intent.amount_received : terms.amount_total
  if (charge === null || !isCurrency(currency) || !isMinor(amount)) return undefined
  const method = methodOf(charge.payment_method_details)
  const paidAt = timeOf(hold === "captured" ? bookedAt(charge) : charge.created)
  return {
    channel: stripeChannel,
    paymentId: PaymentId.make(intent.id),
    method,
    card: cardOf(charge.payment_method_details),
    amount,
    currency,
    paidAt,
    refundableUntil: refundableUntil(method, paidAt),
    ...(hold === undefined ? {} : { hold })
  }
}

/** How long Stripe holds an amount, in days, where it does not say until when. */
export const heldDays = 7

/** None for a payment that was charged at once. */
const holdOf = (intent: Stripe.PaymentIntent, charge: Stripe.Charge): ChannelPayment["hold"] => {
  if (intent.status !== "requires_capture") return intent.capture_method === "manual" ? "captured" : undefined
  const until = charge.payment_method_details?.card?.capture_before
  return { captureBy: until === undefined ? DateTime.add(timeOf(charge.created), { days: heldDays }) : timeOf(until) }
}

/** The time of a capture is that of its balance transaction, where it was read with the charge. */
const bookedAt = ({ balance_transaction: booked, created }: Stripe.Charge) =>
  typeof booked === "object" && booked !== null ? booked.created : created

const cardOf = (details: Used | null | undefined): PaidCard | null => {
  const { brand, last4 } = details?.card ?? {}
  return brand && last4 ? { brand, last4 } : null
}

/** The codes of a buyer who did not authorise: the bank's refusal with a card, the buyer's own wish in a wallet. */
const notAuthorised = ["payment_intent_authentication_failure", "payment_method_customer_decline"]

/** A failed attempt to pay in our terms. Without a charge the bank did not decide. */
export const attemptOf = (
  { code, decline_code, message, payment_method: used, type }: Stripe.PaymentIntent.LastPaymentError,
  { at, charge, id }: { readonly id: string; readonly at: DateTime.Utc; readonly charge: Stripe.Charge | undefined }
): PaymentAttempt => {
  const details = charge?.payment_method_details ?? used
  const method = methodOf(details)
  const card = cardOf(details)
  const isUnauthorised = notAuthorised.includes(code ?? "")
  const isCard = sessionMethodOf(method) === "card"
  const result = charge?.payment_method_details?.card?.three_d_secure?.result
  const threeDs = isCard && (isUnauthorised || result === "failed") ? "failed" : "passed"
  return {
    channel: stripeChannel,
    id,
    method,
    outcome:
      isUnauthorised && !isCard
        ? "cancelled"
        : type === "card_error" && code !== "processing_error"
          ? "declined"
          : "failed",
    reason: decline_code ?? code ?? type,
    ...(message === undefined ? {} : { message: message.slice(0, messageLengthMax) }),
    ...(threeDs === "failed" || result === "authenticated" ? { threeDs } : {}),
    ...(card === null ? {} : { card }),
    at
  }
}
const messageLengthMax = 500

/** Stripe writes times as whole seconds. */
export const timeOf = (seconds: number): DateTime.Utc => DateTime.makeUnsafe(seconds * 1_000)

/**
 * Stripe's names of each method: in the details of a charge, and of what a session takes. The browser's own wallets are
 * cards there.
 */
const atStripe: Readonly<Record<PaymentMethod, { readonly charge: string; readonly session: SessionMethod }>> = {
  card: { charge: "card", session: "card" },
  alipay: { charge: "alipay", session: "alipay" },
  wechat_pay: { charge: "wechat_pay", session: "wechat_pay" },
  apple_pay: { charge: "apple_pay", session: "card" },
  google_pay: { charge: "google_pay", session: "card" }
}

/** A method that we do not know is a card's. */
const methodOf = (details: Used | null | undefined): PaymentMethod => {
  const used = details?.type === "card" ? details.card?.wallet?.type : details?.type
  return PaymentMethod.literals.find((method) => atStripe[method].charge === used) ?? "card"
}

/** A payment method, or the details of one that was used. */
interface Used {
  readonly type: string
  readonly card?: {
    readonly brand?: string | null
    readonly last4?: string | null
    readonly wallet?: { readonly type: string } | null
  } | null
}

export const sessionMethodOf = (method: PaymentMethod): SessionMethod => atStripe[method].session
