/**
 * The operator's group `channels` (docs/architecture.md, section 7): which acquirers take a merchant's payments, in one
 * environment. Each acquirer's desk opens the account (`shared/channel/accounts.ts`); none is named here.
 */
import type { AcquirerAccount, ChannelResource, SetChannel } from "@coffer/contract/Channels"
import * as Wire from "@coffer/contract/Errors"
import { OperatorApi } from "@coffer/contract/Operator"
import type { Account } from "@coffer/model/Account"
import type { Mode } from "@coffer/model/Ids"
import { InvalidField } from "@coffer/rules/InvalidField"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { merchantRefusals } from "../../access/merchants/merchantRefusals.ts"
import { type ClockMoved as Moved, type Merchant, Merchants } from "../../access/merchants/Merchants.ts"
import { JustDone, NeedsSecondOperator } from "../../access/operators/approvals.ts"
import { SecondOperator } from "../../access/operators/SecondOperator.ts"
import { span } from "../../platform/runtime/span.ts"
import { type AccountDesk, type AccountInUse as InUse, usesMax } from "../../shared/channel/accounts.ts"
import { Channel, type RegisteredChannel } from "../../shared/channel/Channel.ts"
import { type ChannelAccounts, rankIn } from "../../shared/channel/ChannelAccount.ts"
import { channelRefusals } from "../../shared/channel/channelRefusals.ts"
import { CurrentRecord } from "../../shared/http/CurrentRequest.ts"
import { commonRefusals, refuseAs } from "../../shared/http/refusals.ts"
import { reply } from "../../shared/http/replies.ts"

/** A channel with accounts. */
interface Acquirer extends RegisteredChannel {
  readonly accounts: AccountDesk
}
const isAcquirer = (channel: RegisteredChannel): channel is Acquirer => channel.accounts !== undefined

export const layer = HttpApiBuilder.group(
  OperatorApi,
  "channels",
  Effect.fnUntraced(function* (handlers) {
    const merchants = yield* Merchants
    const channel = yield* Channel
    const second = yield* SecondOperator
    const { InvalidField } = commonRefusals
    const { MerchantNotFound } = merchantRefusals
    const { ChannelUnreachable } = channelRefusals

    const AccountInUse = refuseAs(Wire.Conflict, (inUse: InUse) => ({ message: inUseMessage(inUse) }))
    const ClockMoved = refuseAs(Wire.Conflict, (_: Moved) => ({ message: clockMovedMessage }))

    const acquirers = () => channel.all().filter(isAcquirer)
    const set = makeSet(merchants, acquirers)

    /** `about`: the acquirer that the answer is about; otherwise the one that takes payments, or has an account. */
    const view = (merchant: Merchant, mode: Mode, about?: string): ChannelResource => {
      const account = { merchantId: merchant.merchant_id, mode }
      const accounts = merchant.modes[mode].channel_accounts
      const ranked = acquirers().toSorted((a, b) => rankIn(accounts, a) - rankIn(accounts, b))
      const all = ranked.map((each) => acquirerView(each, account, accounts))
      const taker = all.find(({ is_active }) => is_active)
      const shown =
        all.find(({ channel: name }) => name === about) ?? taker ?? all.find((one) => one.has_keys) ?? all[0]
      return {
        object: "channel",
        merchant_id: merchant.merchant_id,
        mode,
        channel: (shown?.is_active === true ? shown : taker)?.channel ?? (mode === "sandbox" ? "sandbox" : "none"),
        account: shown?.account ?? null,
        has_keys: shown?.has_keys === true,
        set_at: shown?.set_at ?? null,
        rank: shown?.rank ?? null,
        methods: shown?.methods ?? null,
        webhook_url: shown?.webhook_url ?? "",
        acquirers: all
      }
    }

    return handlers.handleAll({
      get: span("channels.get")(function* ({ params }) {
        return yield* reply(view(yield* merchants.find(params.merchant_id), params.mode))
      }, Effect.catchTags({ MerchantNotFound })),

      set: span("channels.set")(
        function* ({ params: { merchant_id, mode }, payload }) {
          const before = view(yield* merchants.find(merchant_id), mode)
          yield* second.confirm({ act: "channels.set", target: `${merchant_id}/${mode}`, content: payload })
          const after = view(yield* set(merchant_id, mode, payload), mode, payload.channel)
          const record = yield* CurrentRecord
          record.change = { before, after }
          return yield* reply(after)
        },
        Effect.catchTags({
          AccountInUse,
          ChannelUnreachable,
          ClockMoved,
          InvalidField,
          MerchantNotFound,
          JustDone,
          NeedsSecondOperator
        })
      )
    })
  })
)

const acquirerView = (
  { accounts: desk, name }: Acquirer,
  account: Account,
  accounts: ChannelAccounts
): AcquirerAccount => ({
  channel: name as AcquirerAccount["channel"],
  is_active: accounts[name]?.isActive === true,
  account: desk.numberIn(accounts),
  has_keys: accounts[name] !== undefined,
  set_at: accounts[name]?.setAt ?? null,
  rank: accounts[name]?.rank ?? null,
  methods: accounts[name]?.methods ?? null,
  webhook_url: desk.webhookUrl(account)
})

/** An acquirer takes payments beside those that do already. `sandbox` and `none` switch all of them off. */
const makeSet = (merchants: Merchants["Service"], acquirers: () => ReadonlyArray<Acquirer>) =>
  Effect.fnUntraced(function* (merchantId: string, mode: Mode, change: SetChannel) {
    const merchant = yield* merchants.find(merchantId)
    const account = { merchantId: merchant.merchant_id, mode }
    const accounts = merchant.modes[mode].channel_accounts
    const wanted = acquirers().find(({ name }) => name === change.channel)
    if (wanted !== undefined) {
      const opened = yield* wanted.accounts.open(account, accounts, change)
      const after = yield* merchants.setChannelAccount(account, wanted.name, {
        ...opened,
        rank: change.rank,
        methods: change.methods
      })
      yield* wanted.accounts.opened
      return after
    }
    if (change.channel !== (mode === "sandbox" ? "sandbox" : "none")) {
      const allowed = [mode === "sandbox" ? "sandbox" : "none", ...acquirers().map(({ name }) => name)]
      return yield* new InvalidField({ param: "channel", problem: `must be ${allowed.join(" or ")} in ${mode}` })
    }
    for (const param of ["secret_key", "webhook_secret", "account", "url_prefix", "rank", "methods"] as const) {
      if (change[param] != null) return yield* new InvalidField({ param, problem: "is only for an acquirer's channel" })
    }
    let after = merchant
    for (const { name } of acquirers()) {
      const stored = accounts[name]
      if (stored !== undefined)
        after = yield* merchants.setChannelAccount(account, name, { ...stored, isActive: false })
    }
    return after
  })

const clockMovedMessage =
  "The test clock of this sandbox was advanced, which an acquirer's time cannot follow: its checkout sessions would " +
  "end at other times than the orders. A clock cannot go back, so use a merchant whose sandbox keeps real time. " +
  "Nothing was changed."

const inUseMessage = ({ isActive, title, uses }: InUse): string => {
  const counts = Object.entries(uses)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${count >= usesMax ? `${usesMax} or more` : count} ${what}`)
  const needs = counts.length === 0 ? "" : ` It is still needed for: ${counts.join(", ")}.`
  const off = isActive
    ? " Set the channel to none, in the sandbox to sandbox, and wait until its sessions have ended."
    : ""
  return (
    `These keys belong to another ${title} account than the previous ones.${needs}${off} Money that was paid there ` +
    "can be refunded and disputed only there. To take payments with the new account now, create another merchant " +
    "for it (docs/going-live.md, section 4). Nothing was changed."
  )
}
