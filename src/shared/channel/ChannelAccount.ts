/** A merchant's accounts at channels in one environment, as `merchant_modes.channel_accounts` has them. Pure. */
import { PaymentMethod } from "@coffer/model/PaymentMethod"
import { Schema } from "effect"

export const ChannelAccount = Schema.Struct({
  /** Whether buyers pay through it. Payments that went through it are refunded and disputed there in any case. */
  isActive: Schema.Boolean,
  /** ISO 8601. */
  setAt: Schema.String,
  /** The merchant's own order of its channels, the lowest first. Left out: the channel's rank. */
  rank: Schema.optionalKey(Schema.Int),
  /** What buyers pay there. Left out: whatever the channel takes. */
  methods: Schema.optionalKey(Schema.Array(PaymentMethod)),
  /** The channel's own, which it alone reads: its keys, sealed, and what else opens the account. */
  own: Schema.Record(Schema.String, Schema.Unknown)
})
export type ChannelAccount = typeof ChannelAccount.Type

/** By the names of their channels. */
export const ChannelAccounts = Schema.Record(Schema.String, ChannelAccount)
export type ChannelAccounts = typeof ChannelAccounts.Type

/** Where the merchant's buyers pay, of an account or of a change of one. What is not said is left out. */
export const routeOf = ({ methods, rank }: Route): Pick<ChannelAccount, "rank" | "methods"> => ({
  ...(rank === undefined ? {} : { rank }),
  ...(methods === undefined ? {} : { methods })
})
interface Route {
  readonly rank?: number | undefined
  readonly methods?: ChannelAccount["methods"] | undefined
}

/** A channel's place among those of the account's merchant, the lowest first. */
export const rankIn = (accounts: ChannelAccounts, channel: { readonly name: string; readonly rank: number }): number =>
  accounts[channel.name]?.rank ?? channel.rank
