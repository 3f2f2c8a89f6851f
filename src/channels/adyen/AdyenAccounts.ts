/**
 * Merchants' accounts at Adyen: the operator sets them, and their keys are never shown again. The keys of an account
 * may change; another merchant account may not, while objects depend on it (docs/decisions/0279).
 */
import { isoText } from "@coffer/model/isoText"
import type { SetChannel } from "@coffer/contract/Channels"
import type { Account } from "@coffer/model/Account"
import { InvalidField } from "@coffer/rules/InvalidField"
import { DateTime, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Wakeups } from "../../platform/commit/Wakeups.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { Secrets } from "../../platform/runtime/Secrets.ts"
import { type AccountDesk, AccountInUse, usesMax } from "../../shared/channel/accounts.ts"
import { ChannelUnreachable } from "../../shared/channel/payments.ts"
import { adyenAccountIn, type AdyenAccount, openKeys, sealKeys, toStore } from "./account.ts"
import { AdyenClient } from "./AdyenClient.ts"
import { noticeAddresses } from "./AdyenHttp.ts"
import { adyenChannel } from "./names.ts"

const Uses = Schema.Struct({
  "open payment links": Schema.Int,
  "refunds under way": Schema.Int,
  "open disputes": Schema.Int,
  "payments on their way back": Schema.Int,
  "notices that are not handled": Schema.Int,
  "amounts on hold": Schema.Int,
  "payments of the last 180 days": Schema.Int
})
const decodeUses = Schema.decodeUnknownEffect(Schema.Tuple([Uses]))

/** How long after a payment a dispute or a failed refund may come. Nothing is lost in the sandbox. */
const disputableFor = { days: 180 }

const makeCount = Effect.map(SqlClient.SqlClient, (sql) => ({ merchantId, mode }: Account, now: DateTime.Utc) => {
  const own = sql`merchant_id = ${merchantId} and mode = ${mode}`
  const since = isoText(DateTime.subtract(now, disputableFor))
  const counts = {
    "open payment links": sql`adyen_links where ${own} and state <> 'ended'`,
    "refunds under way": sql`refunds where ${own} and status in ('reserved', 'pending') and channel = ${adyenChannel}`,
    "open disputes": sql`disputes where ${own} and status in ('needs_response', 'under_review')
      and channel = ${adyenChannel}`,
    "payments on their way back": sql`orders where ${own} and unapplied_due_at is not null
      and exists (select 1 from jsonb_array_elements(unapplied_payments) s where s->>'channel' = ${adyenChannel}
        and s->>'state' = 'due')`,
    "notices that are not handled": sql`adyen_notices where ${own} and due_at is not null`,
    "amounts on hold": sql`orders where ${own} and hold is not null and status = 'pending'
      and hold -> 'payment' ->> 'channel' = ${adyenChannel}`,
    "payments of the last 180 days": sql`adyen_notices where ${own} and mode = 'live' and code = 'AUTHORISATION'
      and succeeded and event_at > ${since}::text::timestamptz`
  }
  const columns = Object.entries(counts).map(
    ([name, from]) => sql`(select count(*)::int4 from (select 1 from ${from} limit ${usesMax}) as n) as ${sql(name)}`
  )
  return sqlDefects(Effect.map(Effect.flatMap(sql`select ${sql.csv(columns)}`, decodeUses), ([uses]) => uses))
})

export const makeAccountDesk = Effect.gen(function* () {
  const secrets = yield* Secrets
  const client = yield* AdyenClient
  const wakeups = yield* Wakeups
  const addresses = yield* noticeAddresses
  const count = yield* makeCount

  /** One call with the keys, of a payment link that cannot exist: an account that may not read links is refused. */
  const tryKeys = (
    mode: Account["mode"],
    { account, apiKey, prefix }: Pick<AdyenAccount, "account" | "apiKey" | "prefix">
  ) =>
    client
      .tried(
        { mode, apiKey, prefix },
        {
          service: "checkout",
          method: "POST",
          path: "/paymentMethods",
          body: { merchantAccount: account }
        }
      )
      .pipe(
        Effect.asVoid,
        Effect.catchTags({
          AdyenSilent: () => Effect.fail(new ChannelUnreachable()),
          AdyenRefused: ({ message }) =>
            new InvalidField({ param: "account", problem: `was refused by Adyen: ${message}` }),
          ChannelUnreachable: (unreachable) =>
            unreachable.because === "key"
              ? new InvalidField({
                  param: "secret_key",
                  problem: "was rejected by Adyen, or has no access to this account"
                })
              : Effect.fail(unreachable)
        })
      )

  const expectUnused = Effect.fnUntraced(function* (account: Account, { isActive }: AdyenAccount) {
    const uses = yield* count(account, yield* currentTime)
    if (isActive || Object.values(uses).some((number) => number > 0)) {
      return yield* new AccountInUse({ title: "Adyen", isActive, uses })
    }
  })

  return {
    numberIn: (accounts) => adyenAccountIn(accounts)?.account ?? null,
    webhookUrl: addresses.of,
    open: Effect.fnUntraced(function* (account, accounts, change) {
      const before = adyenAccountIn(accounts)
      const kept = before === null ? undefined : openKeys(secrets, account, before)
      const apiKey = yield* needed("secret_key", change.secret_key ?? kept?.apiKey, isApiKey)
      const hmacKey = yield* needed("webhook_secret", change.webhook_secret ?? kept?.hmacKey, isHmacKey)
      const number = yield* needed("account", change.account ?? before?.account, isNumber)
      const prefix = change.url_prefix ?? before?.prefix ?? null
      if (account.mode === "live" && prefix === null) return yield* missing("url_prefix")
      if (before !== null && before.account !== number) yield* expectUnused(account, before)
      yield* tryKeys(account.mode, { account: number, apiKey, prefix })
      const isRolled = kept !== undefined && kept.hmacKey !== hmacKey
      const previousHmacKey = isRolled ? kept.hmacKey : (kept?.previousHmacKey ?? null)
      return toStore({
        isActive: true,
        setAt: isoText(yield* currentTime),
        ...sealKeys(secrets, account, { apiKey, hmacKey, previousHmacKey }),
        account: number,
        prefix
      })
    }),
    opened: Effect.sync(() => wakeups.raise("adyen_accounts"))
  } satisfies AccountDesk
})

/** Keys of another acquirer are not sent to Adyen. */
const isApiKey = (text: string) => !/^[sr]k_/.test(text)
const isHmacKey = (text: string) => /^[0-9A-Fa-f]{64}$/.test(text)
const isNumber = (text: string) => !text.startsWith("acct_")

const missing = (param: keyof SetChannel) =>
  new InvalidField({ param, problem: "is required: none is stored here for Adyen" })

const needed = (param: keyof SetChannel, value: string | undefined, isMeant: (text: string) => boolean) => {
  if (value === undefined) return Effect.fail(missing(param))
  return isMeant(value) ? Effect.succeed(value) : new InvalidField({ param, problem: "is not one of Adyen" })
}
