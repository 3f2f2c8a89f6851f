/**
 * What still needs a merchant's account at Stripe (docs/decisions/0046): objects that only this account can end. Read
 * from the rows of all rooms.
 */
import { firstIdBody, prefixes } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { isoText } from "../../platform/runtime/codecs.ts"
import { stripeChannel } from "./name.ts"

/** How many there are of each, in words for people; up to {@link countMax}. */
const Uses = Schema.Struct({
  "open checkout sessions": Schema.Int,
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
    /** A session that this merchant's account has made, the newest. */
    readonly newestSession: (account: Account) => Effect.Effect<Option.Option<string>>
    readonly count: (account: Account, now: DateTime.Utc) => Effect.Effect<Uses>
  }
>()("@coffer/stripe/AccountUses") {}

/** Counts stop here. */
export const countMax = 10_000

/** So long after a payment its buyer may dispute it, or its refund may come back. Nothing is lost in the sandbox. */
const claimedFor = { days: 180 }
/** An order is paid at most so long after it was made. */
const paidWithin = { days: 2 }

const decode = Schema.decodeUnknownEffect(Schema.Tuple([Uses]))
const decodeSessions = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ session_id: Schema.String })))

export const layer = Layer.effect(
  AccountUses,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const count = ({ merchantId, mode }: Account, now: DateTime.Utc) => {
      const own = sql`merchant_id = ${merchantId} and mode = ${mode}`
      const since = DateTime.subtract(now, claimedFor)
      const first = DateTime.toEpochMillis(DateTime.subtract(since, paidWithin))
      const firstNo = prefixes.tradeNo[mode] + firstIdBody(first)
      const counts = {
        "open checkout sessions": sql`stripe_sessions where ${own} and state <> 'ended'`,
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
          sql`(select count(*)::int4 from (select 1 from ${from} limit ${countMax}) as counted) as ${sql(name)}`
      )
      return Effect.map(Effect.flatMap(sql`select ${sql.csv(columns)}`, decode), ([uses]) => uses)
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
