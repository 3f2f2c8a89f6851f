/** A merchant's accounts at channels in one environment, as `merchant_modes.channel_accounts` has them. Pure. */
import { Schema } from "effect"

export const ChannelAccount = Schema.Struct({
  /** Whether buyers pay through it. Payments that went through it are refunded and disputed there in any case. */
  isActive: Schema.Boolean,
  /** ISO 8601. */
  setAt: Schema.String,
  /** The channel's own, which it alone reads: its keys, sealed, and what else opens the account. */
  own: Schema.Record(Schema.String, Schema.Unknown)
})
export type ChannelAccount = typeof ChannelAccount.Type

/** By the names of their channels. */
export const ChannelAccounts = Schema.Record(Schema.String, ChannelAccount)
export type ChannelAccounts = typeof ChannelAccounts.Type
