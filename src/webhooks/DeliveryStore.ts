/**
 * Rows of deliveries: claimed when they are due, and closed or put off after an attempt. A claim is a lease: the row
 * comes back by itself when the runner that claimed it died (docs/architecture.md, section 5). Which lines are claimed
 * is not decided here (docs/decisions/0016).
 */
import { Mode } from "@coffer/model/Ids"
import { type Allotted, type DueLine, placesPerLine } from "@coffer/rules/delivery/places"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import { sqlDefects } from "../platform/postgres/sqlDefect.ts"
import { TimeColumn } from "../platform/runtime/codecs.ts"

const Claimed = Schema.Struct({
  id: Schema.String,
  event_id: Schema.String,
  type: Schema.String,
  merchant_id: Schema.String,
  mode: Mode,
  endpoint_id: Schema.NullOr(Schema.String),
  url: Schema.String,
  destination: Schema.String,
  /** Attempts made before this one. */
  attempts: Schema.Int,
  body: Schema.String
})
export type Claimed = typeof Claimed.Type

/** How an attempt ended. */
export interface Attempt {
  readonly at: DateTime.Utc
  readonly durationMillis: number
  readonly statusCode: number | null
  readonly failure: string | null
  readonly snippet: string | null
  readonly status: "succeeded" | "failed" | "pending"
  /** Undefined when no further attempt follows by itself. */
  readonly nextAttemptAt: DateTime.Utc | undefined
}

/** Where a walk through the merchants of one mode goes on. */
export interface Position {
  readonly mode: Mode
  /** The last merchant that was looked at; empty: begin with the first. */
  readonly merchantId: string
  /** By merchant: the last destination that was looked at, where some were left. */
  readonly destinations: ReadonlyMap<string, string>
}

const LookedAt = Schema.Struct({
  merchant_id: Schema.String,
  /** Whether something of the merchant is due, to whatever destination. */
  is_due: Schema.Boolean,
  /** Null in the one row of a merchant of whom no destination was looked at. */
  destination: Schema.NullOr(Schema.String),
  due: Schema.NullOr(Schema.Int)
})
/** A merchant that was looked at, and one of its destinations. */
export type LookedAt = typeof LookedAt.Type

/** Rows that {@link DeliveryStore.oldest} reads. */
export const oldestMax = 512
/** What one step of a walk reads: so many merchants, or so many with something due, and destinations of each. */
export const merchantsMax = 256
export const dueMerchantsMax = 32
export const destinationsMax = 64

const backlogMax = 10_000
const Backlog = Schema.Struct({ count: Schema.Int, oldest: Schema.NullOr(TimeColumn) })
export type Backlog = typeof Backlog.Type

export class DeliveryStore extends Context.Service<
  DeliveryStore,
  {
    /** The lines of the deliveries that have been due longest. All that are due, if it is fewer than `oldestMax`. */
    readonly oldest: (now: DateTime.Utc) => Effect.Effect<ReadonlyArray<DueLine>>
    /** The next merchants after `position`, in the order of their ids. */
    readonly walk: (now: DateTime.Utc, position: Position) => Effect.Effect<ReadonlyArray<LookedAt>>
    /** Due deliveries, oldest first within a line. */
    readonly claim: (options: {
      readonly now: DateTime.Utc
      readonly leaseUntil: DateTime.Utc
      readonly lines: ReadonlyArray<Allotted>
    }) => Effect.Effect<ReadonlyArray<Claimed>>
    /** Writes the attempt and what follows from it, unless another runner has recorded that attempt already. */
    readonly record: (delivery: Claimed, attempt: Attempt) => Effect.Effect<void>
    /** When the first row becomes due that is not due `now`. */
    readonly nextDue: (now: DateTime.Utc) => Effect.Effect<Option.Option<DateTime.Utc>>
    /** What is due, counted up to `backlogMax`, and since when the first has been. */
    readonly backlog: (now: DateTime.Utc) => Effect.Effect<Backlog>
  }
>()("@coffer/webhooks/DeliveryStore") {}

const decodeLines = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ mode: Mode, merchantId: Schema.String, destination: Schema.String, due: Schema.Int }))
)
const decodeLookedAt = Schema.decodeUnknownEffect(Schema.Array(LookedAt))
const decodeClaimed = Schema.decodeUnknownEffect(Schema.Array(Claimed))

export const layer = Layer.effect(
  DeliveryStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const oldest = (now: DateTime.Utc) =>
      Effect.flatMap(
        sql`select mode, merchant_id as "merchantId", destination, count(*)::int4 as due
          from (select mode, merchant_id, destination, next_attempt_at from deliveries
            where status = 'pending' and next_attempt_at <= ${DateTime.toDateUtc(now)}
            order by next_attempt_at limit ${oldestMax}) as oldest
          group by mode, merchant_id, destination order by min(next_attempt_at)`,
        decodeLines
      )

    // One index probe for each merchant and for each destination, so that nobody's backlog is read through to reach
    // somebody else's, and no merchant's number of destinations counts for more than its own.
    const walk = (now: DateTime.Utc, { destinations, merchantId, mode }: Position) => {
      const time = DateTime.toDateUtc(now)
      const merchantAfter = (after: string | Statement.Fragment) => sql`select merchant_id, next_attempt_at
        from deliveries where status = 'pending' and mode = ${mode} and merchant_id > ${after}
        order by merchant_id, next_attempt_at limit 1`
      const lineAfter = (after: string | Statement.Fragment) => sql`select destination, next_attempt_at
        from deliveries where status = 'pending' and mode = ${mode} and merchant_id = looked.merchant_id
          and destination > ${after}
        order by destination, next_attempt_at limit 1`
      return Effect.flatMap(
        sql`with recursive merchants as (
          (select merchant_id, next_attempt_at, 1 as seen, 0 as found from (${merchantAfter(merchantId)}) as first)
          union all
          select next.merchant_id, next.next_attempt_at, seen + 1, found + (m.next_attempt_at <= ${time})::int4
          from merchants m cross join lateral (${merchantAfter(sql.literal("m.merchant_id"))}) as next
          where seen < ${merchantsMax} and found + (m.next_attempt_at <= ${time})::int4 < ${dueMerchantsMax}
        ), begun as (
          select * from unnest(${[...destinations.keys()]}::text[], ${[...destinations.values()]}::text[])
            as begun (merchant_id, destination)
        )
        select looked.merchant_id, looked.next_attempt_at <= ${time} as is_due, lines.destination, lines.due
        from merchants looked left join begun using (merchant_id) left join lateral (
          with recursive lines as (
            (select destination, next_attempt_at, 1 as seen
            from (${lineAfter(sql.literal("coalesce(begun.destination, '')"))}) as first
            where looked.next_attempt_at <= ${time})
            union all
            select next.destination, next.next_attempt_at, seen + 1
            from lines l cross join lateral (${lineAfter(sql.literal("l.destination"))}) as next
            where seen < ${destinationsMax}
          )
          select destination, case when next_attempt_at > ${time} then 0 else (select count(*)::int4 from (
            select 1 from deliveries d where d.status = 'pending' and d.mode = ${mode}
              and d.merchant_id = looked.merchant_id and d.destination = lines.destination
              and d.next_attempt_at <= ${time} limit ${placesPerLine}) as few) end as due
          from lines
        ) as lines on true
        order by looked.merchant_id, lines.destination`,
        decodeLookedAt
      )
    }

    const claim = (options: {
      readonly now: DateTime.Utc
      readonly leaseUntil: DateTime.Utc
      readonly lines: ReadonlyArray<Allotted>
    }) => {
      const column = (name: keyof Allotted) => options.lines.map((line) => line[name])
      return Effect.flatMap(
        sql`with lines as (
          select * from unnest(${column("mode")}::text[], ${column("merchantId")}::text[],
            ${column("destination")}::text[], ${column("places")}::int4[]) as l (mode, merchant_id, destination, places)
        ), due as (
          select c.id from lines cross join lateral (
            select id from deliveries d where d.status = 'pending' and d.mode = lines.mode
              and d.merchant_id = lines.merchant_id and d.destination = lines.destination
              and d.next_attempt_at <= ${DateTime.toDateUtc(options.now)}
            order by d.next_attempt_at limit lines.places for update skip locked
          ) c
        )
        update deliveries d set next_attempt_at = ${DateTime.toDateUtc(options.leaseUntil)}
        from due, events e where d.id = due.id and e.id = d.event_id
        returning d.id, d.event_id, e.type, d.merchant_id, d.mode, d.endpoint_id, d.url, d.destination, d.attempts,
          e.body`,
        decodeClaimed
      )
    }

    const record = (delivery: Claimed, attempt: Attempt) => {
      const number = delivery.attempts + 1
      const next = attempt.nextAttemptAt === undefined ? null : DateTime.toDateUtc(attempt.nextAttemptAt)
      return Effect.asVoid(sql`
        with written as (
          update deliveries set status = ${attempt.status}, attempts = ${number}, next_attempt_at = ${next}
          where id = ${delivery.id} and attempts = ${delivery.attempts} and status = 'pending' returning id
        )
        insert into delivery_attempts (delivery_id, attempt, at, duration_ms, status_code, failure, snippet)
        select id, ${number}, ${DateTime.toDateUtc(attempt.at)}, ${attempt.durationMillis}, ${attempt.statusCode},
          ${attempt.failure}, ${attempt.snippet} from written`)
    }

    const nextDue = SqlSchema.findOneOption({
      Request: Schema.DateTimeUtcFromDate,
      Result: Schema.Struct({ at: TimeColumn }),
      execute: (now) => sql`select next_attempt_at as at from deliveries
        where status = 'pending' and next_attempt_at > ${now} order by next_attempt_at limit 1`
    })

    const backlog = SqlSchema.findOne({
      Request: Schema.DateTimeUtcFromDate,
      Result: Backlog,
      execute: (now) => sql`select count(*)::int4 as count, min(next_attempt_at) as oldest from (
        select next_attempt_at from deliveries where status = 'pending' and next_attempt_at <= ${now}
        order by next_attempt_at limit ${backlogMax}) as due`
    })

    return DeliveryStore.of({
      oldest: (now) => sqlDefects(oldest(now)),
      walk: (now, position) => sqlDefects(walk(now, position)),
      claim: (options) => sqlDefects(claim(options)),
      record: (delivery, attempt) => sqlDefects(record(delivery, attempt)),
      nextDue: (now) =>
        sqlDefects(
          Effect.map(
            nextDue(now),
            Option.map(({ at }) => at)
          )
        ),
      backlog: (now) => Effect.catchTags(sqlDefects(backlog(now)), { NoSuchElementError: Effect.die })
    })
  })
)
