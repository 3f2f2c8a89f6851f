/**
 * Results of attempts, and their writer: many at a time. While one statement is under way the next batch gathers, and
 * nothing waits for a timer. Each row has its fence: the number of attempts that were made before. A result that a
 * crash leaves unwritten is posted again when its lease ends (docs/decisions/0016).
 */
import { isoText } from "@coffer/model/isoText"
import { Mode } from "@coffer/model/Ids"
import { destinationOf, hostOf } from "@coffer/rules/delivery/route"
import { Cause, type DateTime, Effect, Exit, Queue, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { arrayLiteral, type Cell } from "../../platform/postgres/arrayLiteral.ts"
import { type HealthMark, healthOf } from "./EndpointHealth.ts"

export const LeasedDelivery = Schema.Struct({
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
  /** Sent again on request: it has one attempt. */
  is_manual: Schema.Boolean,
  /** The event's, as text or packed. */
  body: Schema.NullOr(Schema.String),
  packed: Schema.NullOr(Schema.Uint8Array)
})
export type LeasedDelivery = typeof LeasedDelivery.Type

/** An attempt that has ended. */
export interface Attempt {
  readonly at: DateTime.Utc
  /** Where it went: an endpoint may have moved since the delivery was written. */
  readonly url: string
  readonly durationMillis: number
  readonly statusCode: number | null
  readonly failure: string | null
  readonly snippet: string | null
  readonly status: "succeeded" | "failed" | "pending"
  /** Undefined when no further attempt is scheduled. */
  readonly nextAttemptAt: DateTime.Utc | undefined
}

export interface Ended {
  readonly delivery: LeasedDelivery
  readonly attempt: Attempt
  /** Null without a mark: the endpoint is healthy, the address belongs to no endpoint, or the failure is our own. */
  readonly health: HealthMark | null
}

/** Results that one statement writes. */
const batchMax = 256
/** With this many waiting no delivery is begun: the database does not keep up. */
const waitingMax = 1_024
/** After a batch that failed its results are written one by one, so many at once. */
const singles = 8

/**
 * `record` writes a batch. `written` runs after each batch, recorded or not, and says whether there was no room for
 * more.
 */
export const makeResults = Effect.fnUntraced(function* <Result extends Ended>(
  record: (batch: ReadonlyArray<Result>) => Effect.Effect<void>,
  written: (batch: ReadonlyArray<Result>, wasBehind: boolean) => Effect.Effect<void>
) {
  const queue = yield* Queue.unbounded<Result>()
  let waiting = 0
  const isBehind = () => waiting >= waitingMax

  const writeOne = (ended: Result) => Effect.catchCause(record([ended]), (cause) => logLost(ended.delivery, cause))
  const write = Effect.fnUntraced(function* (batch: ReadonlyArray<Result>) {
    // One that cannot be written must not keep the others out.
    const all = yield* Effect.exit(record(batch))
    if (Exit.isFailure(all)) yield* Effect.forEach(batch, writeOne, { concurrency: singles, discard: true })
    const wasBehind = isBehind()
    waiting -= batch.length
    // A failure after one batch must not prevent the next.
    yield* Effect.catchCause(written(batch, wasBehind), (cause) => Effect.logError("after results were written", cause))
  }, Effect.uninterruptible)

  // The results of attempts that have ended are written before the service stops.
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => (waiting === 0 ? Effect.void : Effect.flatMap(Queue.clear(queue), write)))
  )
  yield* Queue.takeBetween(queue, 1, batchMax).pipe(
    Effect.flatMap(write),
    // Lets the posts that have ended meanwhile join the next batch.
    Effect.andThen(Effect.yieldNow),
    Effect.forever,
    Effect.forkScoped
  )

  return {
    add: (ended: Result) => {
      waiting++
      Queue.offerUnsafe(queue, ended)
    },
    isBehind
  }
})

/** The delivery is due again when its lease ends. */
export const logLost = ({ attempts, destination, id }: LeasedDelivery, cause: Cause.Cause<unknown>) => {
  const why = String(Cause.squash(cause))
  return Effect.logWarning(
    `delivery ${id} to ${hostOf(destination)}: attempt ${attempts + 1} could not be made or recorded (${why}); ` +
      "it comes again"
  )
}

const columns: ReadonlyArray<readonly [name: string, type: string, cell: (ended: Ended) => Cell]> = [
  ["id", "text", ({ delivery }) => delivery.id],
  ["made", "int4", ({ delivery }) => delivery.attempts],
  ["leased_url", "text", ({ delivery }) => delivery.url],
  ["url", "text", ({ attempt }) => attempt.url],
  ["destination", "text", ({ attempt }) => destinationOf(attempt.url)],
  ["status", "text", ({ attempt }) => attempt.status],
  ["next", "timestamptz", ({ attempt }) => timeText(attempt.nextAttemptAt)],
  ["at", "timestamptz", ({ attempt }) => isoText(attempt.at)],
  ["duration_ms", "int4", ({ attempt }) => attempt.durationMillis],
  ["status_code", "int4", ({ attempt }) => attempt.statusCode],
  ["failure", "text", ({ attempt }) => attempt.failure],
  ["snippet", "text", ({ attempt }) => attempt.snippet],
  ["merchant_id", "text", ({ delivery }) => delivery.merchant_id],
  ["mode", "text", ({ delivery }) => delivery.mode],
  ["endpoint_id", "text", ({ delivery, health }) => (health === null ? null : delivery.endpoint_id)],
  ["health", "text", ({ health }) => health?.mark ?? null],
  ["ended_at", "timestamptz", ({ health }) => timeText(health?.at)]
]

const timeText = (time: DateTime.Utc | undefined) => (time === undefined ? null : isoText(time))

/** Its endpoint has moved while this post was under way. */
const hasMoved = `e.status = 'pending' and d.url <> e.leased_url`

// How many there are is hidden from Postgres, so that it keeps one plan (docs/decisions/0010).
const ended = columns.map(([, type], index) => `(select $${index + 1}::text)::${type}[]`).join(", ")
const recordingWith = (parts: string) => `with ended as materialized (
    select * from unnest(${ended}) as e (${columns.map(([name]) => name).join(", ")})
  ), written as (
    update deliveries d set attempts = e.made + 1, leased_until = null,
      url = case when ${hasMoved} then d.url else e.url end,
      destination = case when ${hasMoved} then d.destination else e.destination end,
      status = case when d.status = 'skipped' and e.status <> 'succeeded' then d.status else e.status end,
      next_attempt_at = case when d.status = 'pending' then e.next end
    from ended e where d.id = e.id and d.attempts = e.made and d.status in ('pending', 'skipped') returning d.id
  )${parts}
  insert into delivery_attempts (delivery_id, attempt, at, duration_ms, status_code, failure, snippet)
  select id, made + 1, at, duration_ms, status_code, failure, snippet from ended join written using (id)`

const plain = recordingWith("")
const withHealth = recordingWith(`, ${healthOf("ended join written using (id)")}`)

/** See `DeliveryStore.record`. By id, so that two statements lock the same rows in the same order. */
export const recordAttempts = (sql: SqlClient.SqlClient, all: ReadonlyArray<Ended>) => {
  const recording = all.some(({ health }) => health !== null) ? withHealth : plain
  const sorted = all.toSorted((a, b) => (a.delivery.id < b.delivery.id ? -1 : 1))
  return Effect.asVoid(
    sql.unsafe(
      recording,
      columns.map(([, , cell]) => arrayLiteral(sorted.map(cell)))
    )
  )
}
