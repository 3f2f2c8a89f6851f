/** Fees that channels have deducted from payments. For operators: a merchant's fee follows its schedule. */
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

/** None for a payment whose fees were not read yet. */
export type FeeOf = (payment: OwnedPayment) => ChannelFee | undefined
