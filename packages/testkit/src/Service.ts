/**
 * The whole service in this process: the real wiring on a database of its own, behind a real socket. With a test clock
 * a day passes on command; sockets, Postgres and the cluster's locks keep real time.
 */
import { randomUUID } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import {
  Clock,
  ConfigProvider,
  Context,
  Duration,
  Effect,
  type Exit,
  Layer,
  Logger,
  Option,
  Redacted,
  Scope
} from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as Faults from "../../../src/platform/runtime/Faults.ts"
import * as DataDir from "../../../src/platform/runtime/DataDir.ts"
import { Instance } from "../../../src/platform/runtime/Vitals.ts"
import * as Postgres from "../../../src/platform/postgres/Postgres.ts"
import { onRealTime } from "../../../src/platform/runtime/realTime.ts"
import * as Settings from "../../../src/platform/runtime/Settings.ts"
import * as Telemetry from "../../../src/platform/runtime/Telemetry.ts"
import * as Wiring from "../../../src/Wiring.ts"
import { TidiesWhenTold, Workers } from "../../../src/platform/jobs/Workers.ts"
import { bounded } from "../../../src/platform/runtime/Deadline.ts"

export interface Options {
  /** The database's URL for the service's role. */
  readonly database: string
  readonly port: number
  /** The service's settings as environment variables; at least `SECRET_KEY` and `OPERATOR_TOKEN`. */
  readonly env: Readonly<Record<string, string>>
  /** The clock of the service; default: the caller's. */
  readonly clock?: Layer.Layer<never>
  /** The maximum of connections to Postgres; default: 10. */
  readonly connections?: number
  readonly faults?: Layer.Layer<Faults.Faults>
  /** Where its log goes; default: nowhere. */
  readonly logger?: Layer.Layer<never>
  /** Whether `pass` and `leap` make workers look for rows that did not wake them. Otherwise their poll finds these. */
  readonly looks?: boolean
  /** Where its home is created; default: the system's temporary folder. */
  readonly folder?: string
  /** Additional channels. */
  readonly channels?: Parameters<typeof Wiring.layer>[0]["channels"]
  /** Additional references for the service. */
  readonly beneath?: Layer.Layer<never>
}

export interface Service {
  readonly baseUrl: string
  readonly database: string
  readonly sql: SqlClient.SqlClient
  /** Milliseconds since 1970, by its own clock. */
  readonly now: () => number
  /** Moves the clock from one due time to the next, running what is due, until `duration` has passed. */
  readonly pass: (duration: Duration.Input) => Effect.Effect<void>
  /** Jumps to that time, skipping what would come due on the way. */
  readonly leap: (duration: Duration.Input) => Effect.Effect<void>
  /** Waits until the workers are idle, as far as they know. */
  readonly atRest: Effect.Effect<void>
  /** Makes the workers look for everything due now, and waits until it is done. */
  readonly settle: Effect.Effect<void>
  readonly context: Context.Context<Wiring.Services>
}

/** A clock that is stopped until a test moves it. `millis`: the initial time. */
export const clockAt = (millis: number) =>
  Layer.effectDiscard(TestClock.setTime(millis)).pipe(Layer.provideMerge(TestClock.layer()))

const defaults = {
  HOST: "127.0.0.1",
  ALLOW_PRIVATE_WEBHOOKS: "true",
  // Nothing listens there, so tests never reach an acquirer.
  STRIPE_API: "http://127.0.0.1:1",
  ADYEN_API: "http://127.0.0.1:1",
  // A clock that passes a month would run an audit for every hour.
  AUDIT_INTERVAL: "365 days"
}

const newHome = (folder: string) =>
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(path.join(folder, "coffer-test-home-"))),
    (home) => Effect.sync(() => rmSync(home, { recursive: true, force: true }))
  )

/** The program cuts short a stop that takes too long (`stopping.ts`). So does this, after a real minute. */
const stopMillisMax = 60_000

const ended = (life: Scope.Closeable, exit: Exit.Exit<unknown, unknown>) =>
  bounded<void, string, never>(Scope.close(life, exit), stopMillisMax, () => "too long").pipe(
    Effect.catch(() => Effect.sync(() => console.error("A service of the tests did not stop in a minute")))
  )

/** Runs for the length of the surrounding scope. Its port is open when this has succeeded. */
export const run = Effect.fnUntraced(function* (options: Options) {
  const outerClock = yield* Clock.Clock
  const env = { PORT: String(options.port), ...defaults, ...options.env }
  const app = Wiring.layer({
    remoteSerialization: true,
    ...(options.channels === undefined ? {} : { channels: options.channels })
  }).pipe(
    Layer.provideMerge(Wiring.outbound),
    Layer.provideMerge(options.faults ?? Faults.layer),
    Layer.provideMerge(
      Postgres.layer({ url: Redacted.make(options.database), connections: options.connections ?? 10, name: "test" })
    ),
    Layer.provideMerge(Settings.layer({ embedded: false })),
    Layer.provideMerge(DataDir.layer(yield* newHome(options.folder ?? tmpdir()))),
    Layer.provideMerge(Wiring.platform),
    Layer.provideMerge(ConfigProvider.layer(ConfigProvider.fromEnv({ env }))),
    Layer.provideMerge(options.logger ?? Logger.layer([])),
    Layer.provideMerge(options.beneath ?? Layer.empty),
    Layer.provideMerge(Layer.succeed(TidiesWhenTold, options.looks === true)),
    // Two services of one process are two instances.
    Layer.provideMerge(Layer.succeed(Instance, randomUUID())),
    // As in a process without a collector.
    Layer.provideMerge(Telemetry.layer(Option.none())),
    Layer.provideMerge(options.clock ?? Layer.empty)
  )
  const life = yield* Scope.make()
  yield* Effect.addFinalizer((exit) => ended(life, exit))
  const context = yield* Scope.provide(Layer.build(app as Layer.Layer<Wiring.Services, BuildFailure>), life)
  const workers = Context.get(context, Workers)
  const atRest = Effect.raceFirst(workers.atRest, restless)
  const settle = Effect.andThen(workers.lookAgain, atRest)
  const atEnd = options.looks === true ? settle : atRest
  const nextWake = Effect.map(
    workers.nextWake,
    Option.getOrElse(() => Infinity)
  )

  const pass = (duration: Duration.Input) =>
    Effect.gen(function* () {
      const end = (yield* Clock.currentTimeMillis) + Duration.toMillis(duration)
      let lookedAt = -Infinity
      while (true) {
        yield* atRest
        if (options.looks === true && (yield* nextWake) - lookedAt >= unseenMillis) {
          lookedAt = yield* Clock.currentTimeMillis
          yield* settle
        }
        const wake = yield* nextWake
        if (wake > end) break
        yield* TestClock.setTime(wake)
      }
      yield* TestClock.setTime(end)
      yield* atEnd
    }).pipe(Effect.provideContext(context))

  const leap = (duration: Duration.Input) =>
    Effect.gen(function* () {
      yield* atRest
      yield* TestClock.adjust(duration)
      yield* atEnd
    }).pipe(Effect.provideContext(context))

  const clock = Context.getOrElse(context, Clock.Clock, () => outerClock)
  const running: Service = {
    now: () => clock.currentTimeMillisUnsafe(),
    baseUrl: `http://127.0.0.1:${options.port}`,
    database: options.database,
    sql: Context.get(context, SqlClient.SqlClient),
    pass,
    leap,
    atRest,
    settle,
    context
  }
  return running
})

/**
 * Not every new row wakes its worker, which finds it at its next poll, for example the expiry of an order. No such row
 * is due within an hour of being written.
 */
const unseenMillis = 3_600_000

/** Work that is always due again would be awaited for ever. */
const restless = Effect.sleep("5 minutes").pipe(
  onRealTime,
  Effect.andThen(
    Effect.die(new Error("Coffer did not come to rest within 5 minutes: there was always work that is due."))
  )
)

/** Why it did not start; each error has a message for people. */
export interface BuildFailure {
  readonly message: string
  readonly cause?: unknown
}
