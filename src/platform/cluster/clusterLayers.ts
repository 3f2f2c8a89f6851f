/**
 * Gives `@coffer/cluster` the parts of Coffer that it needs: this runner's settings, version and clock, its session in
 * Postgres, its keys, and its metrics for operators. How runners form a cluster is in `packages/cluster`.
 */
import { Drain } from "@coffer/cluster/Drain"
import * as Roster from "@coffer/cluster/Roster"
import * as Runner from "@coffer/cluster/Runner"
import * as RunnerTls from "@coffer/cluster/RunnerTls"
import * as RunnerVitals from "@coffer/cluster/RunnerVitals"
import * as Runs from "@coffer/cluster/Runs"
import * as Tenancy from "@coffer/cluster/Tenancy"
import { type Application, TakesPart, ThisRunner } from "@coffer/cluster/ThisRunner"
import { Array, DateTime, Effect, Layer, Metric, type Redacted } from "effect"
import { Wakeups } from "../commit/Wakeups.ts"
import { ClockSkew, MachineTime } from "../postgres/ClockSkew.ts"
import { expectKnown, newestMigration } from "../postgres/migrationSteps.ts"
import * as Postgres from "../postgres/Postgres.ts"
import { application, ProcessName } from "../postgres/processName.ts"
import { BadSetting, type RunnerPlace } from "../runtime/places.ts"
import { buildVersion, Instance } from "../runtime/Vitals.ts"
import { SqlClient } from "effect/sql"
import { bytesOf, lockOf } from "../runtime/Secrets.ts"
import { Settings } from "../runtime/Settings.ts"
import { shapes } from "./messages.ts"

export const coffer: Application = { application, messages: shapes }

const build = Metric.gauge("coffer_build_info", { description: "1; the labels identify the program" })

export const thisRunner = Layer.effect(
  ThisRunner,
  Effect.gen(function* () {
    const { runner: place } = yield* Settings
    const labels = { version: buildVersion, messages: shapes.join(" "), node: process.versions.node }
    yield* Metric.update(Metric.withAttributes(build, labels), 1)
    return ThisRunner.of({ ...coffer, version: buildVersion, newestMigration, process: yield* ProcessName, place })
  })
)

/** Refuses to start beside a running runner that cannot talk to this one. */
export const talkable = Roster.layerBeforeMigration.pipe(Layer.provide(thisRunner))

/** The runs of the program that have ended. */
export const runs = Runs.layer.pipe(Layer.provide(thisRunner))

/** A runner with a wrong clock takes no shards, and neither does one that is to leave. */
export const takesPart = Layer.effect(
  TakesPart,
  Effect.map(Effect.all([ClockSkew, Drain]), ([{ isTooLarge }, { requested }]) => ({
    now: () => !isTooLarge() && !requested.isOpen(),
    otherwise: "its clock is wrong or it is to stop"
  }))
)

/** This process as a member of a cluster, or as a single process. */
export const runner = (parts: { readonly remoteSerialization: boolean } = { remoteSerialization: false }) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const settings = yield* Settings
      const { runnerLeft } = yield* Wakeups
      const { runner: place } = settings
      return Runner.layer({
        ...parts,
        tls: place === undefined ? "none" : yield* tlsOf(place, settings),
        ...(place === undefined ? {} : { listenHost: place.listenHost }),
        onLeft: runnerLeft
      })
    })
  ).pipe(Layer.provide([thisRunner, takesPart, readable]))

/** The tables may have lost what this version needs since its start looked at them. */
export const readable = Layer.effect(
  Roster.ExpectReadable,
  Effect.map(SqlClient.SqlClient, (sql) =>
    expectKnown(sql).pipe(
      Effect.catchTags({
        NotMigrated: ({ message }) => Effect.fail(new Roster.CannotTalk({ message }))
      }),
      Effect.asVoid
    )
  )
)

const tlsOf = (
  place: RunnerPlace,
  { secretKey, secretKeyPrevious }: Pick<Settings["Service"], "secretKey" | "secretKeyPrevious">
) => {
  if (place.auth === "none") return Effect.succeed("none" as const)
  if (place.auth === "secret_key") {
    const secrets = [secretKey, ...Array.fromNullishOr(secretKeyPrevious)]
    return Effect.succeed(RunnerTls.ofSecrets(coffer, place, secrets))
  }
  const names = { cert: "RUNNER_TLS_CERT_FILE", key: "RUNNER_TLS_KEY_FILE", ca: "RUNNER_TLS_CA_FILE" }
  return Effect.catchTags(RunnerTls.ofCertificates(coffer, place.auth, names), {
    BadCertificates: ({ message }) => Effect.fail(new BadSetting({ message }))
  })
}

/** The metrics of each process for operators (docs/decisions/0026). */
const shownMetrics: ReadonlySet<string> = new Set([
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

export const vitals = Layer.unwrap(
  Effect.gen(function* () {
    const clock = yield* ClockSkew
    const now = Effect.map(yield* MachineTime, (millis) =>
      DateTime.makeUnsafe(Math.round(millis - clock.seconds() * 1_000))
    )
    return RunnerVitals.layer({ instance: yield* Instance, metrics: shownMetrics, now })
  })
).pipe(Layer.provide(thisRunner))

export interface Entering<E> {
  readonly url: Redacted.Redacted
  readonly isSingle: boolean
  /** The values of `SECRET_KEY` that this process has. */
  readonly keys?: ReadonlyArray<Redacted.Redacted>
  /** Runs with the reason while this process has to wait. It is interrupted afterwards. */
  readonly whileWaiting: (reason: string) => Effect.Effect<never, E>
}

/** Succeeds with the number of this run when the process may use the database. */
export const enterDatabase = Effect.fnUntraced(function* <E>({ isSingle, keys = [], url, whileWaiting }: Entering<E>) {
  return yield* Tenancy.acquire({
    session: Postgres.layer({ url, connections: 1, name: yield* ProcessName, watched: false }),
    isSingle,
    marks: keys.map((key) => lockOf(bytesOf(key))),
    whileWaiting: (holder) =>
      whileWaiting(
        `Another Coffer (${holder}) uses this database. Waiting until it ends. ` +
          `To run both together, set RUNNER_HOST and RUNNER_PORT for each.`
      )
  })
})
