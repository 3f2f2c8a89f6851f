/**
 * What each process of this database tells of itself: a row with some of its metrics every five seconds, and who of
 * them is alive (docs/decisions/0037). Whether a process is there is not a question of time alone: its lock says so,
 * which Postgres frees when its connection is gone (`Tenancy.ts`).
 *
 * All times are those of Postgres, as each process knows them by the difference that it has measured. So a process
 * whose clock is wrong looks no younger and no older than it is.
 */
import { Context, DateTime, Effect, Layer, Metric, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ClockSkew, MachineTime } from "../postgres/ClockSkew.ts"
import { sqlDefects } from "../postgres/sqlDefect.ts"
import { isoText, jsonText, TimeColumn } from "../runtime/codecs.ts"
import { Instance } from "../runtime/Instance.ts"
import { onRealTime } from "../runtime/realTime.ts"
import { Settings } from "../runtime/Settings.ts"
import { version } from "../runtime/Vitals.ts"
import { Doubt } from "./Doubt.ts"
import * as Tenancy from "./Tenancy.ts"

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
  node: Schema.String,
  started_at: TimeColumn,
  heard_at: TimeColumn,
  vitals: Schema.Array(Reading),
  is_there: Schema.Boolean,
  own_session: Schema.NullOr(Schema.Int)
})

/** `silent`: its connection stands, and it has told nothing for too long. */
export type RunnerState = "alive" | "silent" | "gone"

export interface KnownRunner extends Pick<
  typeof Row.Type,
  "instance" | "address" | "version" | "node" | "started_at" | "heard_at" | "vitals"
> {
  readonly state: RunnerState
}

export class RunnerVitals extends Context.Service<
  RunnerVitals,
  {
    /** The processes of the last hour, the oldest first, at most `knownMax`. One that was stopped is not among them. */
    readonly runners: Effect.Effect<ReadonlyArray<KnownRunner>>
    /** Tells now what is told every five seconds. */
    readonly tell: Effect.Effect<void>
  }
>()("@coffer/platform/RunnerVitals") {}

const tellEvery = "5 seconds"
/** A process reports every five seconds: three reports in a row are missing. */
export const silentMillisMax = 15_000
const keptFor = { hours: 1 }
const knownMax = 200
/** A stop does not wait longer to take the row away. */
const leavingMax = "1 second"

/** What is told: these metrics, with all their labels. */
const told: ReadonlySet<string> = new Set([
  "effect_cluster_shards",
  "effect_cluster_entities",
  "coffer_objects_busy",
  "coffer_commands_waiting",
  "coffer_lane_waiting",
  "coffer_batch_size",
  "coffer_batch_duration_seconds",
  "coffer_database_pool_in_use",
  "coffer_database_pool_waiting",
  "coffer_event_loop_delay_seconds",
  "coffer_heap_used_bytes",
  "coffer_heap_limit_bytes",
  "coffer_resident_memory_bytes",
  "coffer_clock_skew_seconds"
])

export const layer = Layer.effect(
  RunnerVitals,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { runner } = yield* Settings
    const clock = yield* ClockSkew
    const machineTime = yield* MachineTime
    const instance = yield* Instance
    const run = yield* Tenancy.Run
    const doubt = yield* Doubt
    const address = runner === undefined ? null : `${runner.host}:${runner.port}`

    /** By Postgres' clock. */
    const now = Effect.map(machineTime, (millis) => DateTime.makeUnsafe(Math.round(millis - clock.seconds() * 1_000)))
    const started = isoText(yield* now)

    const tell = Effect.gen(function* () {
      const at = yield* now
      const heard = isoText(at)
      const readings = jsonText((yield* Metric.snapshot).flatMap(readingsOf))
      yield* sqlDefects(sql`with forgotten as (delete from runner_vitals
          where heard_at < ${isoText(DateTime.subtract(at, keptFor))}::text::timestamptz)
        insert into runner_vitals (instance, run, address, version, node, started_at, heard_at, vitals)
        values (${instance}, ${run}::int4, ${address}, ${version}, ${process.versions.node},
          ${started}::text::timestamptz, ${heard}::text::timestamptz, ${readings}::text::jsonb)
        on conflict (instance) do update set heard_at = excluded.heard_at, vitals = excluded.vitals`)
    })
    const leave = sqlDefects(sql`delete from runner_vitals where instance = ${instance}`)

    yield* Effect.addFinalizer(() => leave.pipe(Effect.timeoutOption(leavingMax), Effect.ignoreCause, onRealTime))
    // DatabaseHealth reports that Postgres is away.
    yield* Effect.ignoreCause(tell).pipe(Effect.repeat(Schedule.spaced(tellEvery)), onRealTime, Effect.forkScoped)

    const runners = Effect.gen(function* () {
      const rows = yield* sqlDefects(
        Effect.flatMap(
          sql.unsafe(
            `select v.*, coalesce(v.run::oid = any(${Tenancy.standingRuns}), false) as is_there,
                ${Tenancy.sessionOfRun("$1::int4::oid")} as own_session
              from runner_vitals v order by started_at, instance limit ${knownMax}`,
            [run]
          ),
          decodeRows
        )
      )
      const at = DateTime.toEpochMillis(yield* now)
      const [first] = rows
      if (run !== null && first !== undefined) doubt.saw(first.own_session)
      return rows.map(({ is_there, own_session: _, ...row }) => {
        const silentMillis = at - DateTime.toEpochMillis(row.heard_at)
        return {
          ...row,
          state: stateOf({ isLocked: row.run === null ? undefined : is_there || doubt.isOpen(), silentMillis })
        }
      })
    })

    return RunnerVitals.of({ runners, tell })
  })
)

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))

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
  if (!told.has(id)) return []
  const reading = (name: string, value: number | bigint) => ({ name, labels: { ...attributes }, value: Number(value) })
  if (type === "Gauge") return [reading(id, state.value)]
  if (type !== "Histogram") return []
  const { count, max, sum } = state
  return [
    reading(`${id}_count`, count),
    reading(`${id}_sum`, sum),
    // Of nothing the maximum is no number.
    reading(`${id}_max`, count === 0 ? 0 : max)
  ]
}
