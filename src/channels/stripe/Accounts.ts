/**
 * Merchants' accounts at Stripe: the operator sets them, and their keys are never shown again. An account stays as long
 * as objects depend on it (docs/decisions/0038); they are counted in the rows of all rooms.
 */
import { isoText } from "@coffer/model/isoText"
import type { SetChannel } from "@coffer/contract/Channels"
import type { Account } from "@coffer/model/Account"
import { firstIdBody, prefixes } from "@coffer/model/Ids"
import { InvalidField } from "@coffer/rules/InvalidField"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type AccountDesk, AccountInUse, usesMax } from "../../shared/channel/accounts.ts"
import { Wakeups } from "../../platform/commit/Wakeups.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { currentTime } from "../../platform/runtime/clock.ts"
import { Secrets } from "../../platform/runtime/Secrets.ts"
import { stripeChannel } from "./payment.ts"
import { webhookAddresses } from "../acquirers/webhookAddresses.ts"
import {
  openStripeKeys,
  sealStripeKeys,
  type StripeAccount,
  stripeAccountIn,
  StripeClient,
  type StripeKeys,
  toStore
} from "./StripeClient.ts"

export const stripeAddresses = webhookAddresses(stripeChannel, "stripe webhook/")

/** The number of each kind as text for people, up to {@link usesMax}. */
const Uses = Schema.Struct({
  "open checkout sessions": Schema.Int,
  "amounts on hold": Schema.Int,
  "refunds under way": Schema.Int,
  "open disputes": Schema.Int,
  "payments on their way back": Schema.Int,
  "events that are not handled": Schema.Int,
  "payments of the last 180 days": Schema.Int
})
export type Uses = typeof Uses.Type

export class AccountUses extends Context.Service<
  AccountUses,
  {
    /** The newest session of this merchant's account. */
    readonly newestSession: (account: Account) => Effect.Effect<Option.Option<string>>
    readonly count: (account: Account, now: DateTime.Utc) => Effect.Effect<Uses>
  }
>()("@coffer/stripe/AccountUses") {}

/** How long after a payment a dispute or a failed refund may come. Nothing is lost in the sandbox. */
const disputableFor = { days: 180 }
/** How long after its creation an order can be paid, or captured by the longest hold of a card. */
const paidWithin = { days: 33 }

const decodeUses = Schema.decodeUnknownEffect(Schema.Tuple([Uses]))
const decodeSessions = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ session_id: Schema.String })))

export const layerUses = Layer.effect(
  AccountUses,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const count = ({ merchantId, mode }: Account, now: DateTime.Utc) => {
      const own = sql`merchant_id = ${merchantId} and mode = ${mode}`
      const since = DateTime.subtract(now, disputableFor)
      const first = DateTime.toEpochMillis(DateTime.subtract(since, paidWithin))
      const firstNo = prefixes.tradeNo[mode] + firstIdBody(first)
      const counts = {
        "open checkout sessions": sql`stripe_sessions where ${own} and state <> 'ended'`,
        "amounts on hold": sql`orders where ${own} and hold_due_at is not null
          and hold->'payment'->>'channel' = ${stripeChannel}`,
        "refunds under way": sql`refunds where ${own} and status in ('reserved', 'pending')
          and channel = ${stripeChannel}`,
        "open disputes": sql`disputes where ${own} and (status in ('needs_response', 'under_review')
            or (status = 'lost' and stage in ('appeal_offered', 'appeal_filed')))
          and channel = ${stripeChannel}`,
        "payments on their way back": sql`orders where ${own}
          and (unapplied_due_at is not null or unapplied_payments @> '[{"state": "parked"}]')
          and exists (select 1 from jsonb_array_elements(unapplied_payments) s where s->>'channel' = ${stripeChannel}
            and (s->>'state' = 'due' or (s->'dispute'->>'isOver') = 'false'))`,
        "events that are not handled": sql`stripe_events where ${own} and due_at is not null`,
        "payments of the last 180 days": sql`orders where ${own} and mode = 'live' and trade_no >= ${firstNo}
          and channel = ${stripeChannel} and paid_at > ${isoText(since)}::text::timestamptz`
      }
      const columns = Object.entries(counts).map(
        ([name, from]) =>
          sql`(select count(*)::int4 from (select 1 from ${from} limit ${usesMax}) as counted) as ${sql(name)}`
      )
      return Effect.map(Effect.flatMap(sql`select ${sql.csv(columns)}`, decodeUses), ([uses]) => uses)
    }

    return AccountUses.of({
      newestSession: ({ merchantId, mode }) =>
        sqlDefects(
          Effect.map(
            Effect.flatMap(
              sql`select session_id from stripe_sessions
                where merchant_id = ${merchantId} and mode = ${mode} and session_id is not null
                order by created_at desc limit 1`,
              decodeSessions
            ),
            ([row]) => Option.fromUndefinedOr(row?.session_id)
          )
        ),
      count: (account, now) => sqlDefects(count(account, now))
    })
  })
)

/** Where operators open accounts. An account that is still needed is not changed (docs/decisions/0038). */
export const makeAccountDesk = Effect.gen(function* () {
  const secrets = yield* Secrets
  const client = yield* StripeClient
  const wakeups = yield* Wakeups
  const uses = yield* AccountUses
  const addresses = yield* stripeAddresses

  /** Money of payments that were made in an account can be moved through this account alone. */
  const expectSameOrUnused = Effect.fnUntraced(function* (account: Account, before: StripeAccount, keys: StripeKeys) {
    const session = yield* uses.newestSession(account)
    if (Option.isNone(session)) return
    const sees = yield* client.sees(keys, session.value)
    if (sees === "yes") return
    if (sees === "not_allowed") {
      return yield* new InvalidField({ param: "secret_key", problem: "lacks permission to read Checkout Sessions" })
    }
    const counts = yield* uses.count(account, yield* currentTime)
    const isUsed = Object.values(counts).some((count) => count > 0)
    if (isUsed || before.isActive)
      return yield* new AccountInUse({ title: "Stripe", isActive: before.isActive, uses: counts })
  })

  /** The new account. Keys that are left out stay. */
  const wanted = Effect.fnUntraced(function* (account: Account, before: StripeAccount | null, change: SetChannel) {
    const kept = before === null ? undefined : openStripeKeys(secrets, account, before)
    const secretKey = change.secret_key ?? kept?.secretKey
    const webhookSecret = change.webhook_secret ?? kept?.webhookSecret
    if (secretKey === undefined) return yield* refuseMissing("secret_key")
    if (webhookSecret === undefined) return yield* refuseMissing("webhook_secret")
    const connected = change.account === undefined ? (before?.account ?? null) : change.account
    const problem = yield* client.problemOf({ secretKey, account: connected }, account.mode)
    if (problem !== undefined) return yield* new InvalidField({ param: "secret_key", problem })
    const isChanged = kept !== undefined && (secretKey !== kept.secretKey || connected !== before?.account)
    if (before !== null && isChanged) yield* expectSameOrUnused(account, before, { secretKey, account: connected })
    const setAt = isoText(yield* currentTime)
    const sealed = sealStripeKeys(secrets, account, { secretKey, webhookSecret })
    return { isActive: true, ...sealed, account: connected, setAt }
  })

  return {
    numberIn: (accounts) => stripeAccountIn(accounts)?.account ?? null,
    webhookUrl: addresses.of,
    open: (account, accounts, change) => Effect.map(wanted(account, stripeAccountIn(accounts), change), toStore),
    opened: Effect.sync(() => wakeups.raise("stripe_accounts"))
  } satisfies AccountDesk
})

const refuseMissing = (param: string) =>
  Effect.fail(new InvalidField({ param, problem: "is required: no Stripe key is stored here" }))
