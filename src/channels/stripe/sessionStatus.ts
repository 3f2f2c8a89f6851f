/** How a Checkout Session stands, as Stripe tells it, and the payment in it in our words. Pure. */
import { PaymentId, type TradeNo } from "@coffer/model/Ids"
import { Currency, Minor } from "@coffer/model/Money"
import type { PaymentMethod } from "@coffer/model/PaymentMethod"
import { DateTime, Option, Schema } from "effect"
import type { Stripe } from "stripe"
import type { ChannelPayment } from "../../channel/Channel.ts"
import { refundableUntil } from "../../channel/refundWindows.ts"
import { stripeChannel } from "./name.ts"
import type { SessionMethod } from "./SessionStore.ts"

/** `isBusy`: the buyer is at the bank's 3DS page or in a wallet, and may come back and pay. */
export type SessionStatus =
  | {
      readonly _tag: "Open"
      readonly url: string
      readonly isBusy: boolean
      /** What its page offers: Stripe leaves out what does not fit. */
      readonly methods: ReadonlyArray<string>
    }
  | { readonly _tag: "Processing" }
  | { readonly _tag: "Paid"; readonly payment: ChannelPayment }
  /** No buyer can pay in it any more. */
  | { readonly _tag: "Over" }

/** What has to be asked for, so that a session says how it stands. */
export const expand = ["payment_intent.latest_charge"]

/** The key of metadata that names our order, on sessions and payment intents. */
export const tradeNoKey = "coffer_trade_no"

export const sessionStatusOf = (session: Stripe.Checkout.Session): SessionStatus => {
  const intent = typeof session.payment_intent === "object" ? session.payment_intent : null
  if (session.payment_status === "paid" || intent?.status === "succeeded") {
    const payment = intent === null ? undefined : paymentOf(session, intent)
    // It is paid, but we cannot read the payment. It must not count as unpaid.
    return payment === undefined ? { _tag: "Processing" } : { _tag: "Paid", payment }
  }
  if (intent?.status === "processing") return { _tag: "Processing" }
  switch (session.status) {
    case "open":
      return {
        _tag: "Open",
        url: session.url ?? "",
        isBusy: intent?.status === "requires_action",
        methods: session.payment_method_types
      }
    case "complete":
      // The buyer has done everything, and the payment failed afterwards.
      return intent?.status === "requires_payment_method" || intent?.status === "canceled"
        ? { _tag: "Over" }
        : { _tag: "Processing" }
    case "expired":
      return { _tag: "Over" }
    default:
      // A status of a later version of Stripe's API. It must not count as unpaid.
      return { _tag: "Processing" }
  }
}

const isCurrency = Schema.is(Currency)
const isMinor = Schema.is(Minor)

/** The amounts are the session's: those that we asked for, in whatever currency the buyer's bank paid them. */
const paymentOf = (session: Stripe.Checkout.Session, intent: Stripe.PaymentIntent): ChannelPayment | undefined => {
  const charge = typeof intent.latest_charge === "object" ? intent.latest_charge : null
  const currency = session.currency?.toUpperCase()
  if (charge === null || !isCurrency(currency) || !isMinor(session.amount_total)) return undefined
  const method = methodOf(charge)
  const paidAt = timeOf(charge.created)
  return {
    channel: stripeChannel,
    paymentId: PaymentId.make(intent.id),
    method,
    amount: session.amount_total,
    currency,
    paidAt,
    refundableUntil: refundableUntil(method, paidAt)
  }
}

/** Stripe writes times as whole seconds. */
export const timeOf = (seconds: number): DateTime.Utc => DateTime.makeUnsafe(seconds * 1_000)

const methodOf = ({ payment_method_details: details }: Stripe.Charge): PaymentMethod => {
  const used = details?.type === "card" ? details.card?.wallet?.type : details?.type
  switch (used) {
    case "alipay":
      return "alipay"
    case "wechat_pay":
      return "wechat_pay"
    case "apple_pay":
      return "apple_pay"
    case "google_pay":
      return "google_pay"
    default:
      return "card"
  }
}

/** What a session takes for a method of ours: the browser's own wallets are cards to Stripe. */
export const sessionMethodOf = (method: PaymentMethod): SessionMethod =>
  method === "alipay" || method === "wechat_pay" ? method : "card"

const isTradeNo = (text: string): text is TradeNo => /^TRD_(SB_)?[0-9A-HJKMNP-TV-Z]{26}$/.test(text)

/** The order that metadata of ours names. */
export const tradeNoIn = (metadata: Stripe.Metadata | null | undefined): Option.Option<TradeNo> => {
  const text = metadata?.[tradeNoKey] ?? ""
  return isTradeNo(text) ? Option.some(text) : Option.none()
}
