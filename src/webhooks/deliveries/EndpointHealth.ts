/**
 * Rows of failing endpoints: written with the attempts, in one statement, and leased by the worker that notifies
 * merchants (docs/decisions/0021). The rules are in `packages/rules/src/webhooks/health.ts`.
 */
import { isoText, isoTextOrNull } from "@coffer/model/isoText"
import { Mode } from "@coffer/model/Ids"
import { disabledAfter, failuresOfOutage, type Health, outageWithin, wellAfter } from "@coffer/rules/webhooks/health"
import { Context, DateTime, Duration, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { backOff, type DueRows, leasedRows } from "../../platform/postgres/leasedRows.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { TimeColumn } from "../../platform/runtime/codecs.ts"

/**
 * The result of an attempt for its endpoint. `success`: the delivery succeeded. `first`: the first attempt of a
 * delivery failed. `failure`: a later attempt failed. `first_disables`: as `first`, and the merchant wants a failing
 * endpoint to be disabled.
 */
export interface HealthMark {
  readonly mark: "success" | "failure" | "first" | "first_disables"
  /** When the attempt ended, in real time. */
  readonly at: DateTime.Utc
}

const interval = (span: Duration.Duration) => `interval '${Duration.toSeconds(span)} seconds'`

const failures = "h.first_failures || excluded.first_failures"
/** The newest five. */
const newest = (times: string) => `(${times})[greatest(1, cardinality(${times}) - ${failuresOfOutage - 1}):]`
/** Five have failed within the time of an outage. */
const isOutage = (times: string, last: string) =>
  `cardinality(${times}) >= ${failuresOfOutage}
    and (${times})[cardinality(${times}) - ${failuresOfOutage - 1}] > ${last} - ${interval(outageWithin)}`
const failingSince = `case when h.well_since is null and excluded.last_succeeded_at is null
    then h.failing_since else excluded.failing_since end`
const isLasting = (since: string) =>
  `excluded.disables and excluded.well_since is null
    and ${since} <= excluded.last_failed_at - ${interval(disabledAfter)}`

/**
 * Parts of a statement whose `attempts` have the columns of `deliveryResults`. An endpoint without a row and without
 * failures is not looked at. Rows are locked in the order of their ids, so that concurrent statements cannot deadlock.
 */
export const healthOf = (attempts: string): string => `counted as materialized (
    select endpoint_id, min(merchant_id) as merchant_id, min(mode) as mode,
      array_agg(ended_at order by ended_at) filter (where health like 'first%') as first_failures,
      min(ended_at) filter (where health <> 'success') as began_at,
      max(ended_at) filter (where health <> 'success') as failed_at,
      max(ended_at) filter (where health = 'success') as succeeded_at,
      bool_or(health = 'first_disables') as disables,
      (array_agg(coalesce(failure, 'it answers ' || status_code) order by ended_at desc)
        filter (where health like 'first%'))[1] as reason,
      (array_agg(snippet order by ended_at desc) filter (where health like 'first%'))[1] as answer
    from ${attempts} where health is not null group by endpoint_id
  ), judged as materialized (
    select c.*, failed_at is null or coalesce(succeeded_at > failed_at, false) as is_well,
      case when succeeded_at is null then began_at else failed_at end as failing_since from counted c
  ), locked as materialized (
    select endpoint_id from endpoint_health h join judged j using (endpoint_id)
    where j.first_failures is not null or (h.well_since is null) = j.is_well
    order by endpoint_id for update of h
  ), turned as (
    update endpoint_health h set
      well_since = case when j.is_well then j.succeeded_at end,
      failing_since = case when j.is_well then h.failing_since else j.failing_since end,
      last_succeeded_at = greatest(h.last_succeeded_at, j.succeeded_at),
      last_failed_at = greatest(h.last_failed_at, j.failed_at),
      due_at = case when not j.is_well then h.due_at
        when h.is_told then j.succeeded_at + ${interval(wellAfter)}
        else least(h.due_at, j.succeeded_at + ${interval(outageWithin)}) end
    from judged j join locked using (endpoint_id)
    where h.endpoint_id = j.endpoint_id and j.first_failures is null and (h.well_since is null) = j.is_well
  ), failed as (
    insert into endpoint_health as h (endpoint_id, merchant_id, mode, first_failures, last_failed_at, last_succeeded_at,
      failing_since, well_since, disables, reason, answer, due_at)
    select endpoint_id, merchant_id, mode, ${newest("first_failures")}, failed_at, succeeded_at, failing_since,
      case when is_well then succeeded_at end, disables, reason, answer,
      case when ${isOutage("first_failures", "failed_at")} then failed_at else failed_at + ${interval(outageWithin)} end
    from judged left join locked using (endpoint_id) where first_failures is not null order by endpoint_id
    on conflict (endpoint_id) do update set first_failures = ${newest(failures)},
      last_failed_at = greatest(h.last_failed_at, excluded.last_failed_at),
      last_succeeded_at = greatest(h.last_succeeded_at, excluded.last_succeeded_at),
      failing_since = ${failingSince}, well_since = excluded.well_since, disables = excluded.disables,
      reason = excluded.reason, answer = excluded.answer,
      due_at = case
        when not h.is_told and ${isOutage(failures, "excluded.last_failed_at")}
          and not coalesce(${isOutage("h.first_failures", "h.last_failed_at")}, false) then excluded.last_failed_at
        when ${isLasting(failingSince)} then excluded.last_failed_at
        when h.is_told and excluded.well_since is not null then excluded.well_since + ${interval(wellAfter)}
        else h.due_at end
  )`

/** How many failing endpoints are remembered. */
const unwellMax = 10_000
/** How many successful deliveries are checked before an endpoint is disabled. */
const lookedThrough = 1_000
/** How long a failure of this runner may take until it is in its row. */
const writtenAfter = Duration.minutes(1)

/**
 * Failing endpoints as this runner knows them: from its own attempts, and within a few seconds from those of other
 * runners. A success at any other endpoint changes no row, so its statement need not look.
 */
export const makeUnwell = () => {
  let heard: ReadonlySet<string> = new Set()
  const own = new Map<string, DateTime.Utc>()
  return {
    hear: (all: ReadonlySet<string>, now: DateTime.Utc) => {
      heard = all
      const before = DateTime.subtractDuration(now, writtenAfter)
      for (const [id, at] of own) if (DateTime.isLessThan(at, before)) own.delete(id)
    },
    /** The mark to write; none for a success of a healthy endpoint. */
    known: (endpointId: string | null, health: HealthMark | null): HealthMark | null => {
      if (endpointId === null || health === null) return null
      if (health.mark !== "success") {
        own.delete(endpointId)
        if (own.size < unwellMax) own.set(endpointId, health.at)
        return health
      }
      return own.has(endpointId) || heard.has(endpointId) ? health : null
    }
  }
}
export type Unwell = ReturnType<typeof makeUnwell>

const Row = Schema.Struct({
  endpoint_id: Schema.String,
  merchant_id: Schema.String,
  mode: Mode,
  fifth_at: Schema.NullOr(TimeColumn),
  last_failed_at: TimeColumn,
  failing_since: TimeColumn,
  well_since: Schema.NullOr(TimeColumn),
  is_told: Schema.Boolean,
  told_at: Schema.NullOr(TimeColumn),
  reason: Schema.String,
  answer: Schema.NullOr(Schema.String),
  attempts: Schema.Int
})
export type HealthRow = typeof Row.Type

export const healthIn = (row: HealthRow): Health => ({
  fifthFailedAt: row.fifth_at,
  lastFailedAt: row.last_failed_at,
  failingSince: row.failing_since,
  wellSince: row.well_since,
  isTold: row.is_told,
  toldAt: row.told_at
})

/** The outage after a look. `isOver`: earlier failures no longer count. */
export interface Looked {
  readonly isTold: boolean
  readonly toldAt: DateTime.Utc | null
  readonly isOver?: boolean
  readonly dueAt: DateTime.Utc
}

export class EndpointHealth extends Context.Service<
  EndpointHealth,
  DueRows<HealthRow> & {
    readonly unwell: Unwell
    /** Reads which endpoints fail for other runners. */
    readonly hear: (now: DateTime.Utc) => Effect.Effect<void>
    /** Whether any of the newest deliveries has succeeded since the endpoint counts as failing. */
    readonly hasTaken: (row: HealthRow) => Effect.Effect<boolean>
    /** Where an attempt has ended meanwhile, the row is due again at once. */
    readonly looked: (row: HealthRow, looked: Looked, now: DateTime.Utc) => Effect.Effect<void>
    /** The merchant was notified, and need not be again unless an attempt has failed meanwhile. */
    readonly forget: (row: HealthRow) => Effect.Effect<void>
  }
>()("@coffer/webhooks/EndpointHealth") {}

export const layer = Layer.effect(
  EndpointHealth,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const lease = backOff(sql, "attempts", { soon: 60, late: 3_600 })
    const due = leasedRows(
      sql,
      { table: "endpoint_health", key: "endpoint_id", dueAt: "due_at", attempts: "attempts", lease },
      Row
    )
    const at = (time: DateTime.Utc | null) => sql`${isoTextOrNull(time)}::text::timestamptz`
    const isAsSeen = (row: HealthRow) =>
      sql`last_failed_at = ${at(row.last_failed_at)} and well_since is not distinct from ${at(row.well_since)}`
    const unwell = makeUnwell()
    return EndpointHealth.of({
      ...due,
      unwell,
      hear: (now) =>
        sqlDefects(
          Effect.map(
            sql<{
              endpoint_id: string
            }>`select endpoint_id from endpoint_health where well_since is null limit ${unwellMax}`,
            (rows) => unwell.hear(new Set(rows.map(({ endpoint_id }) => endpoint_id)), now)
          )
        ),
      hasTaken: (row) =>
        sqlDefects(
          Effect.map(
            sql`select 1 from (select id from deliveries where endpoint_id = ${row.endpoint_id} and status = 'succeeded'
                order by id desc limit ${lookedThrough}) as newest
              join delivery_attempts a on a.delivery_id = newest.id
              where a.at >= ${at(row.failing_since)} and a.status_code between 200 and 299 limit 1`,
            (rows) => rows.length > 0
          )
        ),
      looked: (row, { dueAt, isOver = false, isTold, toldAt }, now) =>
        sqlDefects(
          Effect.asVoid(sql`update endpoint_health set is_told = ${isTold}, told_at = ${at(toldAt)}, attempts = 0,
              first_failures = case when ${isOver} then '{}' else first_failures end,
              due_at = case when ${isAsSeen(row)} then ${at(dueAt)} else ${isoText(now)}::text::timestamptz end
            where endpoint_id = ${row.endpoint_id}`)
        ),
      forget: (row) =>
        sqlDefects(
          Effect.asVoid(sql`delete from endpoint_health where endpoint_id = ${row.endpoint_id} and ${isAsSeen(row)}`)
        )
    })
  })
)
