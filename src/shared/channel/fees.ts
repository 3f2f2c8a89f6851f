/** Fees that channels have kept of payments. For operators: a merchant's fee is that of its schedule. */
import type { Account } from "@coffer/model/Account"
import { Schema } from "effect"

/** Minor units, of the payment, its refunds and its disputes. `currency`: the channel's, in capitals. */
export const ChannelFee = Schema.Struct({
  merchant_id: Schema.String,
  mode: Schema.String,
  payment_id: Schema.String,
  fee: Schema.Int,
  currency: Schema.String
})
export type ChannelFee = typeof ChannelFee.Type

export interface OwnedPayment extends Pick<Account, "merchantId" | "mode"> {
  readonly paymentId: string
}

/** None for a payment of which nothing was read yet. */
export type FeeOf = (payment: OwnedPayment) => ChannelFee | undefined
