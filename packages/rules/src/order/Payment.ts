/** A payment that the channel reports for an order (spec: Order). */
import { ChannelName, PaymentId } from "@coffer/model/Ids"
import { Currency, Minor } from "@coffer/model/Money"
import { PaidCard, PaymentMethod } from "@coffer/model/PaymentMethod"
import { Schema } from "effect"

/** What a paid order keeps of its payment. */
export const payment = {
  channel: ChannelName,
  /** The channel's number. */
  paymentId: PaymentId,
  method: PaymentMethod,
  /** Null if no card was charged, or the channel did not report it. */
  card: Schema.NullOr(PaidCard),
  /** Acquiring fee; known once the payment is credited (spec: Order, fee). */
  fee: Minor,
  paidAt: Schema.DateTimeUtc,
  /** Latest refund time, of the methods that have one (spec: Order, refundable_until). */
  refundableUntil: Schema.NullOr(Schema.DateTimeUtc)
}

/** A payment reported by the channel, with the fee of the merchant's schedule. */
export const PaymentFacts = Schema.Struct({ ...payment, amount: Minor, currency: Currency })
export type PaymentFacts = typeof PaymentFacts.Type
