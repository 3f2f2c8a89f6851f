/** Front door to merchants' accounts at Stripe: the operator sets them, and their keys are never shown again. */
import type { SetChannel } from "@coffer/contract/Channels"
import type { Mode } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import { InvalidField } from "@coffer/rules/InvalidField"
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { ChannelUnreachable } from "../../channel/Channel.ts"
import { type ClockMoved, type Merchant, type MerchantNotFound, Merchants } from "../../merchants/Merchants.ts"
import { openStripeKeys, sealStripeKeys, type StripeAccount } from "../../merchants/stripeAccount.ts"
import { Wakeups } from "../../platform/commit/Wakeups.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { isoText } from "../../platform/runtime/codecs.ts"
import { Secrets } from "../../platform/runtime/Secrets.ts"
import { span } from "../../platform/runtime/span.ts"
import { AccountUses } from "./AccountUses.ts"
import { StripeClient, type StripeKeys } from "./StripeClient.ts"

/** The new keys are of another account at Stripe, and the one before is still needed (docs/decisions/0046). */
export class AccountInUse extends Schema.TaggedError<AccountInUse>()("AccountInUse", {
  /** Whether buyers still pay through it. */
  isActive: Schema.Boolean,
  uses: Schema.Record(Schema.String, Schema.Int)
}) {}

export class Accounts extends Context.Service<
  Accounts,
  {
    readonly set: (
      merchantId: string,
      mode: Mode,
      asked: SetChannel
    ) => Effect.Effect<Merchant, MerchantNotFound | InvalidField | AccountInUse | ChannelUnreachable | ClockMoved>
  }
>()("@coffer/stripe/Accounts") {}

export const layer = Layer.effect(
  Accounts,
  Effect.gen(function* () {
    const merchants = yield* Merchants
    const secrets = yield* Secrets
    const client = yield* StripeClient
    const wakeups = yield* Wakeups
    const uses = yield* AccountUses

    /** Money of payments that were made in an account can be moved through this account alone. */
    const expectSameOrUnused = Effect.fnUntraced(function* (account: Account, before: StripeAccount, keys: StripeKeys) {
      const session = yield* uses.newestSession(account)
      if (Option.isNone(session)) return
      const sees = yield* client.sees(keys, session.value)
      if (sees === "yes") return
      if (sees === "not_allowed") {
        return yield* new InvalidField({ param: "secret_key", problem: "may not read Checkout Sessions" })
      }
      const counts = yield* uses.count(account, yield* currentTime)
      const isUsed = Object.values(counts).some((count) => count > 0)
      if (isUsed || before.isActive) return yield* new AccountInUse({ isActive: before.isActive, uses: counts })
    })

    /** The account as it is to be. Keys that are not given stay. */
    const wanted = Effect.fnUntraced(function* (account: Account, before: StripeAccount | null, asked: SetChannel) {
      const kept = before === null ? undefined : openStripeKeys(secrets, account, before)
      const secretKey = asked.secret_key ?? kept?.secretKey
      const webhookSecret = asked.webhook_secret ?? kept?.webhookSecret
      if (secretKey === undefined) return yield* missing("secret_key")
      if (webhookSecret === undefined) return yield* missing("webhook_secret")
      const connected = asked.account === undefined ? (before?.account ?? null) : asked.account
      const problem = yield* client.problemOf({ secretKey, account: connected }, account.mode)
      if (problem !== undefined) return yield* new InvalidField({ param: "secret_key", problem })
      const isChanged = kept !== undefined && (secretKey !== kept.secretKey || connected !== before?.account)
      if (before !== null && isChanged) yield* expectSameOrUnused(account, before, { secretKey, account: connected })
      const setAt = isoText(yield* currentTime)
      const sealed = sealStripeKeys(secrets, account, { secretKey, webhookSecret })
      return { isActive: true, ...sealed, account: connected, setAt }
    })

    return Accounts.of({
      set: span("Accounts.set")(function* (merchantId, mode, asked) {
        const merchant = yield* merchants.find(merchantId)
        const account = { merchantId: merchant.merchant_id, mode }
        const before = merchant.modes[mode].stripe
        if (asked.channel === "stripe") {
          const after = yield* merchants.setStripe(account, yield* wanted(account, before, asked))
          wakeups.raise("stripe_accounts")
          return after
        }
        if ((asked.channel === "sandbox") !== (mode === "sandbox")) {
          const allowed = mode === "sandbox" ? "sandbox or stripe" : "stripe or none"
          return yield* new InvalidField({ param: "channel", problem: `must be ${allowed} in ${mode}` })
        }
        for (const param of ["secret_key", "webhook_secret", "account"] as const) {
          if (asked[param] != null) {
            return yield* new InvalidField({ param, problem: "is for the channel stripe alone" })
          }
        }
        return yield* merchants.setStripe(account, before === null ? null : { ...before, isActive: false })
      })
    })
  })
)

const missing = (param: string) =>
  Effect.fail(new InvalidField({ param, problem: "is required: no key of Stripe is kept here" }))
