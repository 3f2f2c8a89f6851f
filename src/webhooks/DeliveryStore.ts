/**
 * Rows of deliveries: claimed when they are due, and closed or put off after an attempt. A claim is a lease: the row
 * comes back by itself when the runner that claimed it died (docs/architecture.md, section 5).
 */
import { Mode } from "@coffer/model/Ids"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { dieIfBroken } from "../ground/broken.ts"
import { TimeColumn } from "../ground/codecs.ts"

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

export class DeliveryStore extends Context.Service<
  DeliveryStore,
  {
    /** Due deliveries, oldest first within a destination, and no destination before its turn. */
    readonly claim: (options: {
      readonly now: DateTime.Utc
      readonly leaseUntil: DateTime.Utc
      readonly limit: number
      readonly perDestination: number
      /** Destinations that take no more at the moment. */
      readonly except: ReadonlyArray<string>
    }) => Effect.Effect<ReadonlyArray<Claimed>>
    /** Writes the attempt and what follows from it, unless another runner has recorded that attempt already. */
    readonly record: (delivery: Claimed, attempt: Attempt) => Effect.Effect<void>
    readonly nextDue: Effect.Effect<Option.Option<DateTime.Utc>>
  }
>()("@coffer/webhooks/DeliveryStore") {}

export const layer = Layer.effect(
  DeliveryStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const claim = SqlSchema.findAll({
      Request: Schema.Struct({
        now: Schema.DateTimeUtcFromDate,
        leaseUntil: Schema.DateTimeUtcFromDate,
        limit: Schema.Int,
        perDestination: Schema.Int,
        except: Schema.Array(Schema.String)
      }),
      Result: Claimed,
      // Walks the destinations that have pending rows by one index probe each, so that the backlog of a dead one is
      // never read through to reach the others.
      execute: ({ except, leaseUntil, limit, now, perDestination }) => sql`
        with recursive destinations as (
          (select destination from deliveries where status = 'pending' order by destination limit 1)
          union all
          select (select d.destination from deliveries d
            where d.status = 'pending' and d.destination > p.destination order by d.destination limit 1)
          from destinations p where p.destination is not null
        ), due as (
          select c.id from destinations cross join lateral (
            select id, next_attempt_at from deliveries
            where destination = destinations.destination and status = 'pending' and next_attempt_at <= ${now}
            order by next_attempt_at limit ${perDestination} for update skip locked
          ) c
          where destinations.destination is not null and destinations.destination <> all(${except}::text[])
          order by c.next_attempt_at limit ${limit}
        )
        update deliveries d set next_attempt_at = ${leaseUntil}
        from due, events e where d.id = due.id and e.id = d.event_id
        returning d.id, d.event_id, e.type, d.merchant_id, d.mode, d.endpoint_id, d.url, d.destination, d.attempts,
          e.body`
    })

    const record = (delivery: Claimed, attempt: Attempt) => {
      const number = delivery.attempts + 1
      const next = attempt.nextAttemptAt === undefined ? null : DateTime.toDateUtc(attempt.nextAttemptAt)
      return dieIfBroken(
        Effect.asVoid(sql`
          with written as (
            update deliveries set status = ${attempt.status}, attempts = ${number}, next_attempt_at = ${next}
            where id = ${delivery.id} and attempts = ${delivery.attempts} and status = 'pending' returning id
          )
          insert into delivery_attempts (delivery_id, attempt, at, duration_ms, status_code, failure, snippet)
          select id, ${number}, ${DateTime.toDateUtc(attempt.at)}, ${attempt.durationMillis}, ${attempt.statusCode},
            ${attempt.failure}, ${attempt.snippet} from written`)
      )
    }

    const nextDue = SqlSchema.findOneOption({
      Request: Schema.Void,
      Result: Schema.Struct({ at: TimeColumn }),
      execute: () => sql`select next_attempt_at as at from deliveries where status = 'pending'
        order by next_attempt_at limit 1`
    })

    return DeliveryStore.of({
      claim: (options) => dieIfBroken(claim(options)),
      record,
      nextDue: dieIfBroken(
        Effect.map(
          nextDue(undefined),
          Option.map(({ at }) => at)
        )
      )
    })
  })
)
