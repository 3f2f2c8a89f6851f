/**
 * Calls to Stripe's API with a merchant's key, through the official client (docs/decisions/0038). Its own retries are
 * off: the caller knows which calls may be retried. While Stripe is down, calls fail at once.
 */
import type { Account } from "@coffer/model/Account"
import type { Mode } from "@coffer/model/Ids"
import { Context, Effect, Layer, Schema } from "effect"
import type { Stripe } from "stripe"
import type { RegisteredChannel } from "../../shared/channel/Channel.ts"
import { ChannelUnreachable } from "../../shared/channel/payments.ts"
import type { ChannelAccount, ChannelAccounts } from "../../shared/channel/ChannelAccount.ts"
import { Merchants } from "../../access/merchants/Merchants.ts"
import { Faults } from "../../platform/runtime/Faults.ts"
import { memoize } from "@coffer/model/memoize"
import { Secrets } from "../../platform/runtime/Secrets.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import * as Pace from "./Pace.ts"
import { stripeChannel } from "./payment.ts"
import {
  breakers,
  makeStripeGuard,
  Patience,
  tellProxy,
  type Judged,
  judge,
  loadStripe,
  type StripeFailure,
  makeTunnelAgent
} from "./StripeGuard.ts"
import { knowsRepeats } from "./repeatedCalls.ts"
import { stripeSettings } from "./stripeInstallation.ts"

// The stored account ------------------------------------------------------
// Its keys are sealed, and bound to their merchant, environment and use.

const Own = Schema.Struct({
  secretKey: Schema.String,
  webhookSecret: Schema.String,
  /** A connected account of the platform that has the key; null for the account of the key itself. */
  account: Schema.NullOr(Schema.String)
})
const decodeOwn = Schema.decodeUnknownSync(Own)

export type StripeAccount = typeof Own.Type & Omit<ChannelAccount, "own">

/** A merchant's account at Stripe; null without one. */
export const stripeAccountIn = (accounts: ChannelAccounts): StripeAccount | null => {
  const stored = accounts[stripeChannel]
  if (stored === undefined) return null
  const { own, ...account } = stored
  return { ...account, ...decodeOwn(own) }
}

export const toStore = ({ account, secretKey, webhookSecret, ...kept }: StripeAccount): ChannelAccount => ({
  ...kept,
  own: { account, secretKey, webhookSecret }
})

const usesOf = ({ merchantId, mode }: OneAccount) => ({
  secretKey: `${merchantId}/${mode}/stripe/secret_key`,
  webhookSecret: `${merchantId}/${mode}/stripe/webhook_secret`
})

type BothKeys = Pick<StripeAccount, "secretKey" | "webhookSecret">

export const sealStripeKeys = (secrets: Secrets["Service"], account: OneAccount, keys: BothKeys): BothKeys => {
  const uses = usesOf(account)
  return {
    secretKey: secrets.encrypt(keys.secretKey, uses.secretKey),
    webhookSecret: secrets.encrypt(keys.webhookSecret, uses.webhookSecret)
  }
}

/** Throws if they cannot be decrypted. */
export const openStripeKeys = (secrets: Secrets["Service"], account: OneAccount, sealed: BothKeys): BothKeys => {
  const uses = usesOf(account)
  return {
    secretKey: secrets.decrypt(sealed.secretKey, uses.secretKey),
    webhookSecret: secrets.decrypt(sealed.webhookSecret, uses.webhookSecret)
  }
}

/** They were encrypted with another SECRET_KEY. */
export const resealStripeKeys: NonNullable<RegisteredChannel["reseal"]> = (payee, own, again) => {
  const stored = decodeOwn(own)
  const uses = usesOf(payee)
  return {
    ...stored,
    secretKey: again(stored.secretKey, uses.secretKey),
    webhookSecret: again(stored.webhookSecret, uses.webhookSecret)
  }
}

// Calls ----------------------------------------------------------------------------

/** The keys of an account. `account`: a connected one, for which the key acts. */
export interface StripeKeys {
  readonly secretKey: string
  readonly account: string | null
}

export class StripeClient extends Context.Service<
  StripeClient,
  {
    /** One call with the key of this merchant and environment. Without an account there, Stripe is not reachable. */
    readonly call: <A>(
      account: Pick<Account, "merchantId" | "mode">,
      ask: (stripe: Stripe) => Promise<A>
    ) => Effect.Effect<A, StripeFailure>
    /** The same for a read: without an answer, nothing was done. */
    readonly read: <A>(
      account: Pick<Account, "merchantId" | "mode">,
      ask: (stripe: Stripe) => Promise<A>
    ) => Effect.Effect<A, Exclude<StripeFailure, { readonly _tag: "StripeSilent" }>>
    /** Tries new keys with one call. Answers what is wrong with them; undefined: nothing. */
    readonly problemOf: (keys: StripeKeys, mode: Mode) => Effect.Effect<string | undefined, ChannelUnreachable>
    /** Whether these keys see a Checkout Session that we know: `no`, and they are of another account. */
    readonly sees: (
      keys: StripeKeys,
      sessionId: string
    ) => Effect.Effect<"yes" | "no" | "not_allowed", ChannelUnreachable>
    /** The account of a merchant that exists, if it has one in this environment. */
    readonly accountOf: (account: Pick<Account, "merchantId" | "mode">) => Effect.Effect<StripeAccount | null>
  }
>()("@coffer/stripe/StripeClient") {}

/** The API version of answers. */
const apiVersion = "2026-10-28.endive"
/** Clients in memory, one for each account. */
const clientsMax = 1_000

export const layer = Layer.effect(
  StripeClient,
  Effect.gen(function* () {
    const merchants = yield* Merchants
    const secrets = yield* Secrets
    const settings = yield* Settings
    const { noOutbound } = settings
    const { api, calls, proxy } = settings.of(stripeSettings)
    const guarded = yield* makeStripeGuard
    const faults = yield* Faults
    const { answerMillis } = yield* Patience

    /** Checked before each call: with NO_OUTBOUND Stripe is not called. */
    const open = noOutbound ? Effect.fail(new ChannelUnreachable({ because: "closed" })) : Effect.void
    const httpAgent = proxy === undefined ? undefined : makeTunnelAgent(proxy)
    if (httpAgent !== undefined) yield* Effect.addFinalizer(() => Effect.sync(() => httpAgent.destroy()))

    const connect = makeConnect({ api, answerMillis, httpAgent })
    const clientOf = memoize(
      clientsMax,
      ({ sealed }: SealedAccount) => `${sealed.secretKey}/${sealed.account}`,
      ({ account, Library, sealed }) => {
        const keys = { secretKey: openStripeKeys(secrets, account, sealed).secretKey, account: sealed.account }
        const { mode } = account
        // Merchants with one key have one account. A connected one has one number for its live and its test calls.
        const counted = keys.account ?? secrets.sign(`stripe account/${keys.secretKey}`)
        return {
          stripe: connect(Library, keys),
          budget: { account: `${mode}/${counted}`, mode, perSecond: calls[mode] }
        }
      }
    )

    /** With keys that are not stored yet. */
    const tried = <A>(keys: StripeKeys, ask: (stripe: Stripe) => Promise<A>) =>
      Effect.flatMap(loadStripe, (Library) =>
        Effect.tapError(Effect.tryPromise({ try: () => ask(connect(Library, keys)), catch: judge }), tellProxy)
      )

    const accountOf = ({ merchantId, mode }: OneAccount) =>
      Effect.match(merchants.find(merchantId), {
        onFailure: () => null,
        onSuccess: ({ modes }) => stripeAccountIn(modes[mode].channel_accounts)
      })

    const call = Effect.fnUntraced(function* <A>(account: OneAccount, ask: (stripe: Stripe) => Promise<A>) {
      const sealed = yield* accountOf(account)
      if (sealed === null) return yield* new ChannelUnreachable()
      yield* open
      const { budget, stripe } = clientOf({ account, Library: yield* loadStripe, sealed })
      const sent = guarded(() => ask(stripe), account, budget)
      return yield* faults.around("StripeClient.call", sent, () => nameIn(ask))
    })

    return StripeClient.of({
      call,
      read: (account, ask) =>
        Effect.catchTags(call(account, ask), { StripeSilent: () => Effect.fail(new ChannelUnreachable()) }),
      accountOf,
      sees: (keys, sessionId) =>
        tried(keys, (stripe) => stripe.checkout.sessions.retrieve(sessionId)).pipe(
          Effect.as("yes" as const),
          Effect.catch((judged) => {
            const { failure } = judged
            if (failure._tag === "StripeRefused" && failure.code === "resource_missing") {
              return Effect.succeed("no" as const)
            }
            return isRefusal(judged) ? Effect.succeed("not_allowed" as const) : Effect.fail(new ChannelUnreachable())
          }),
          (trial) => Effect.andThen(open, trial)
        ),
      problemOf: (keys, mode) =>
        tried(keys, (stripe) => stripe.balance.retrieve()).pipe(
          Effect.map(({ livemode }) =>
            livemode === (mode === "live") ? undefined : `is a Stripe key of ${livemode ? "live" : "test"} mode`
          ),
          Effect.catchIf(
            isRefusal,
            () => Effect.succeed("was rejected by Stripe, or has no access to this account"),
            () => Effect.fail(new ChannelUnreachable())
          ),
          (trial) => Effect.andThen(open, trial)
        )
    })
  })
).pipe(Layer.provide(Layer.merge(breakers, Pace.layer)))

interface Connecting {
  readonly api: URL
  readonly answerMillis: number
  readonly httpAgent: ReturnType<typeof makeTunnelAgent> | undefined
}

const makeConnect =
  ({ api, answerMillis, httpAgent }: Connecting) =>
  (Library: typeof Stripe, { account, secretKey }: StripeKeys) =>
    new Library(secretKey, {
      apiVersion,
      host: api.hostname,
      port: api.port === "" ? (api.protocol === "http:" ? 80 : 443) : api.port,
      protocol: api.protocol === "http:" ? "http" : "https",
      maxNetworkRetries: 0,
      telemetry: false,
      timeout: answerMillis,
      httpClient: knowsRepeats(Library, httpAgent),
      ...(account === null ? {} : { stripeAccount: account })
    })

const isRefusal = ({ verdict }: Judged) => verdict === "credentials" || verdict === "refused"

/** The client's name of the call that this function makes, such as `refunds.create`. Only tests ask for it. */
const nameIn = (ask: (stripe: Stripe) => unknown) => /\bstripe\.([\w.]+)/.exec(String(ask))?.[1] ?? "?"

type OneAccount = Pick<Account, "merchantId" | "mode">

interface SealedAccount {
  readonly Library: typeof Stripe
  readonly account: OneAccount
  readonly sealed: StripeAccount
}
