/**
 * Each process of this database reports a row with some of its metrics every five seconds, and reads which others are
 * alive. A process is there while it holds its lock, which Postgres frees when its connection is gone (`Tenancy.ts`). A
 * late report alone says nothing of that.
 *
 * All times are those of Postgres, as each process knows them by the difference that it has measured. So a process
 * whose clock is wrong looks no younger and no older than it is.
 */
import { Context, DateTime, Effect, Layer, Metric, Schedule, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Doubt } from "./Doubt.ts"
import { Drain } from "./Drain.ts"
import { onRealTime } from "./realTime.ts"
import * as Tenancy from "./Tenancy.ts"
import { addressOf, ThisRunner } from "./ThisRunner.ts"

/** One value of a metric. A histogram is three: `…_count`, `…_sum` and `…_max`. */
const Reading = Schema.Struct({
  name: Schema.String,
  labels: Schema.Record(Schema.String, Schema.String),
  value: Schema.Number
})
export type Reading = typeof Reading.Type

const Row = Schema.Struct({
  instance: Schema.String,
  run: Schema.NullOr(Schema.Int),
  address: Schema.NullOr(Schema.String),
  version: Schema.String,
  /** Those that it understands; null for a process that is alone. */
  messages: Schema.NullOr(Schema.Array(Schema.Int)),
  node: Schema.String,
  started_at: Schema.DateTimeUtcFromMillis,
  heard_at: Schema.DateTimeUtcFromMillis,
  vitals: Schema.Array(Reading),
  drains: Schema.Boolean,
  is_there: Schema.Boolean,
  process: Schema.NullOr(Schema.String),
  own_session: Schema.NullOr(Schema.Int)
})

/** `silent`: its connection is open, but it has not reported for too long. */
export type RunnerState = "alive" | "silent" | "gone"

export interface KnownRunner extends Pick<
  typeof Row.Type,
  "instance" | "address" | "version" | "messages" | "node" | "started_at" | "heard_at" | "vitals" | "drains"
> {
  readonly state: RunnerState
  /** On its own machine; undefined for a process that is alone. */
  readonly pid: number | undefined
}

export class RunnerVitals extends Context.Service<
  RunnerVitals,
  {
    /** The processes of the last hour, the oldest first, at most `knownMax`. One that was stopped is not among them. */
    readonly runners: Effect.Effect<ReadonlyArray<KnownRunner>, SqlError.SqlError | Schema.SchemaError>
    /**
     * Asks a process to give up its shards and stop; it learns of it with its next report. False if it is not alive, or
     * if no other one would keep the shards: of the last two that are asked at once one stays.
     */
    readonly drain: (instance: string) => Effect.Effect<boolean, SqlError.SqlError>
    /** The same of this process, at once. */
    readonly drainSelf: Effect.Effect<boolean, SqlError.SqlError>
    /** Reports now what is reported every five seconds. */
    readonly report: Effect.Effect<void, SqlError.SqlError>
  }
>()("@coffer/cluster/RunnerVitals") {}

const reportEvery = "5 seconds"
/** A process reports every five seconds: three reports in a row are missing. */
export const silentMillisMax = 15_000
const keptFor = { hours: 1 }
const knownMax = 200
/** A stop does not wait longer to take the row away. */
const leavingMax = "1 second"

export interface Options {
  /** Another one for each start of a process. */
  readonly instance: string
  /** Which metrics are reported, with all their labels. */
  readonly metrics: ReadonlySet<string>
  /** The time by Postgres' clock. */
  readonly now: Effect.Effect<DateTime.Utc>
}

export const layer = ({ instance, metrics, now }: Options) =>
  Layer.effect(
    RunnerVitals,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { place, version } = yield* ThisRunner
      const run = yield* Tenancy.Run
      const doubt = yield* Doubt
      const { requested } = yield* Drain
      const address = place === undefined ? null : addressOf(place)
      const started = DateTime.formatIso(yield* now)

      const report = Effect.gen(function* () {
        const at = yield* now
        const heard = DateTime.formatIso(at)
        const readings = encodeReadings(
          (yield* Metric.snapshot).flatMap((each) => (metrics.has(each.id) ? readingsOf(each) : []))
        )
        const [own] = yield* sql<{ drains: boolean }>`with forgotten as (delete from runner_vitals
          where heard_at < ${DateTime.formatIso(DateTime.subtract(at, keptFor))}::text::timestamptz)
        insert into runner_vitals (instance, run, address, version, node, started_at, heard_at, vitals)
        values (${instance}, ${run}::int4, ${address}, ${version}, ${process.versions.node},
          ${started}::text::timestamptz, ${heard}::text::timestamptz, ${readings}::text::jsonb)
        on conflict (instance) do update set heard_at = excluded.heard_at, vitals = excluded.vitals
        returning drains`
        if (own!.drains) requested.openUnsafe()
      })
      const heardSince = Effect.map(now, (at) =>
        DateTime.formatIso(DateTime.subtract(at, { milliseconds: silentMillisMax }))
      )
      const drain = Effect.fnUntraced(function* (wanted: string) {
        const since = sql`${yield* heardSince}::text::timestamptz`
        // One after the other, so that each sees what was asked before.
        yield* sql`select pg_advisory_xact_lock(hashtext('@coffer/cluster drains'))`
        const found = yield* sql`update runner_vitals v set drains = true
          where instance = ${wanted} and heard_at >= ${since} and (drains or exists (select from runner_vitals o
            where o.instance <> v.instance and not o.drains and o.heard_at >= ${since}
              and (o.run is null or o.run::oid = any(${sql.literal(Tenancy.standingRuns)}))))
          returning 1`
        return found.length > 0
      }, sql.withTransaction)
      const leave = sql`delete from runner_vitals where instance = ${instance}`

      yield* Effect.addFinalizer(() => leave.pipe(Effect.timeoutOption(leavingMax), Effect.ignoreCause, onRealTime))
      // Other code logs that Postgres is away.
      yield* Effect.ignoreCause(report).pipe(Effect.repeat(Schedule.spaced(reportEvery)), onRealTime, Effect.forkScoped)

      const runners = Effect.gen(function* () {
        const found = yield* sql.unsafe(
          `select v.instance, v.run, v.address, v.version, r.messages, v.node, vitals, drains,
            ${millisOf("v.started_at")} as started_at,
            ${millisOf("v.heard_at")} as heard_at,
            coalesce(v.run::oid = any(${Tenancy.standingRuns}), false) as is_there,
            r.process,
            ${Tenancy.sessionOfRun("$1::int4::oid")} as own_session
          from runner_vitals v left join runners r on r.address = v.address and r.run = v.run
          order by v.started_at, v.instance limit ${knownMax}`,
          [run]
        )
        const rows = yield* decodeRows(found)
        const at = DateTime.toEpochMillis(yield* now)
        const [first] = rows
        if (run !== null && first !== undefined) doubt.saw(first.own_session)
        return rows.map(({ is_there, own_session: _, process: name, ...row }) => {
          const silentMillis = at - DateTime.toEpochMillis(row.heard_at)
          return {
            ...row,
            pid: name === null ? undefined : Tenancy.pidIn(name),
            state: stateOf({ isLocked: row.run === null ? undefined : is_there || doubt.isOpen(), silentMillis })
          }
        })
      })

      const drainSelf = Effect.andThen(report, drain(instance)).pipe(
        Effect.tap((isAsked) => Effect.sync(() => isAsked && requested.openUnsafe()))
      )
      return RunnerVitals.of({ runners, drain, drainSelf, report: Effect.asVoid(report) })
    })
  )

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))
const encodeReadings = Schema.encodeSync(Schema.fromJsonString(Schema.Array(Reading)))
const millisOf = (column: string) => `round(extract(epoch from ${column}) * 1000)::float8`

/** `isLocked`: undefined where the process has no lock, as with the embedded database. */
export const stateOf = ({
  isLocked,
  silentMillis
}: {
  readonly isLocked: boolean | undefined
  readonly silentMillis: number
}): RunnerState => {
  if (isLocked === false) return "gone"
  if (silentMillis <= silentMillisMax) return "alive"
  return isLocked === undefined ? "gone" : "silent"
}

const readingsOf = ({ attributes = {}, id, state, type }: Metric.Metric.Snapshot): ReadonlyArray<Reading> => {
  const reading = (name: string, value: number | bigint) => ({ name, labels: { ...attributes }, value: Number(value) })
  if (type === "Gauge") return [reading(id, state.value)]
  if (type !== "Histogram") return []
  const { count, max, sum } = state
  return [
    reading(`${id}_count`, count),
    reading(`${id}_sum`, sum),
    // The maximum of nothing is not a number.
    reading(`${id}_max`, count === 0 ? 0 : max)
  ]
}
