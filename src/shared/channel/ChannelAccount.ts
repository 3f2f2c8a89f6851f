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

/** Where the merchant's buyers pay, in a change of an account. Null unsets; what is left out stays as it is. */
export interface Route {
  readonly rank?: number | null | undefined
  readonly methods?: ChannelAccount["methods"] | null | undefined
}

/** An account as it is set: its own part anew, its route where the change says one. */
export type AccountSet = Omit<ChannelAccount, "rank" | "methods"> & Route

/** The route of an account after a change. */
export const routeAfter = (before: Route, { methods = before.methods, rank = before.rank }: Route) => ({
  ...(rank == null ? {} : { rank }),
  ...(methods == null ? {} : { methods })
})

/** A channel's place among those of the account's merchant, the lowest first. */
export const rankIn = (accounts: ChannelAccounts, channel: { readonly name: string; readonly rank: number }): number =>
  accounts[channel.name]?.rank ?? channel.rank
