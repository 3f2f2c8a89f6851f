/** How an operator opens a merchant's account at a channel. Each channel of such accounts has a desk for it. */
import type { SetChannel } from "@coffer/contract/Channels"
import type { Account } from "@coffer/model/Account"
import type { InvalidField } from "@coffer/rules/InvalidField"
import { type Effect, Schema } from "effect"
import type { ChannelAccount, ChannelAccounts } from "./ChannelAccount.ts"
import type { ChannelUnreachable } from "./payments.ts"

/** Counts of uses stop here. */
export const usesMax = 10_000

/** The new keys belong to another account at the channel, and the previous one is still needed. */
export class AccountInUse extends Schema.TaggedError<AccountInUse>()("AccountInUse", {
  /** The channel's name for people. */
  title: Schema.String,
  /** Whether buyers still pay through it. */
  isActive: Schema.Boolean,
  /** By their names for people, up to {@link usesMax}. */
  uses: Schema.Record(Schema.String, Schema.Int)
}) {}

export interface AccountDesk {
  /** The number of the account at the channel that operators see; null without an account, or without a number. */
  readonly numberIn: (accounts: ChannelAccounts) => string | null
  /** Where the channel has to send what happens in this account. */
  readonly webhookUrl: (account: Account) => string
  /** The account to store, active. Keys that are left out stay. They are tried with a call. */
  readonly open: (
    account: Account,
    accounts: ChannelAccounts,
    change: SetChannel
  ) => Effect.Effect<ChannelAccount, InvalidField | AccountInUse | ChannelUnreachable>
  /** It is stored. */
  readonly opened: Effect.Effect<void>
}
