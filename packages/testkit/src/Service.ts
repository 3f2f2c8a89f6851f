/**
 * The whole service in this process: the real wiring on a database of its own, behind a real socket. With a test's
 * clock a day passes when the test says so; sockets, Postgres and the cluster's locks keep real time.
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
  /** Its address for the service's role. */
  readonly database: string
  readonly port: number
  /** The service's settings by their names in the environment; `SECRET_KEY` and `OPERATOR_TOKEN` at least. */
  readonly env: Readonly<Record<string, string>>
  /** The clock of the service; the one of its starter unless given. */
  readonly clock?: Layer.Layer<never>
  /** How many connections to Postgres it may have; 10 unless given. */
  readonly connections?: number
  readonly faults?: Layer.Layer<Faults.Faults>
  /** Where its log goes; nowhere unless given. */
  readonly logger?: Layer.Layer<never>
  /** Whether `pass` and `leap` let workers look for rows that did not wake them. Otherwise their poll finds these. */
  readonly looks?: boolean
  /** Where its home is made; the system's folder for temporary files unless given. */
  readonly folder?: string
  /** Channels besides its own. */
  readonly channels?: Parameters<typeof Wiring.layer>[0]["channels"]
  /** References that the service stands on besides. */
  readonly beneath?: Layer.Layer<never>
}

export interface Service {
  readonly baseUrl: string
  readonly database: string
  readonly sql: SqlClient.SqlClient
  /** Milliseconds since 1970, by its own clock. */
  readonly now: () => number
  /** Moves the clock to each moment at which something is due, and lets it be done, until `duration` has passed. */
  readonly pass: (duration: Duration.Input) => Effect.Effect<void>
  /** To that moment at once, whatever would have been due on the way. */
  readonly leap: (duration: Duration.Input) => Effect.Effect<void>
  /** Waits until the workers have nothing to do at this moment, as far as they know. */
  readonly atRest: Effect.Effect<void>
  /** Lets the workers look for all that is due at this moment, and waits until it is done. */
  readonly settle: Effect.Effect<void>
  readonly context: Context.Context<Wiring.Services>
}

/** A clock that stands still until a test moves it. `millis`: what time it is at first. */
export const clockAt = (millis: number) =>
  Layer.effectDiscard(TestClock.setTime(millis)).pipe(Layer.provideMerge(TestClock.layer()))

const defaults = {
  HOST: "127.0.0.1",
  ALLOW_PRIVATE_WEBHOOKS: "true",
  // Nothing listens there, so no test reaches Stripe.
  STRIPE_API: "http://127.0.0.1:1",
  // A clock that passes a month would audit every hour of it.
  AUDIT_INTERVAL: "365 days"
}

const newHome = (folder: string) =>
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(path.join(folder, "coffer-test-home-"))),
    (home) => Effect.sync(() => rmSync(home, { recursive: true, force: true }))
  )

/** The process cuts a stop short that takes too long (`stopping.ts`). So does this one, after a real minute. */
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
 * Not every new row wakes its worker, which would find it after its poll: the expiry of an order, for one. No such row
 * is due within an hour of being written.
 */
const unseenMillis = 3_600_000

/** Work that is due again at each moment would be waited for for ever. */
const restless = Effect.sleep("5 minutes").pipe(
  onRealTime,
  Effect.andThen(
    Effect.die(new Error("Coffer did not come to rest within 5 minutes: there was always work that is due."))
  )
)

/** Why it did not start: each of its errors has a message for people. */
export interface BuildFailure {
  readonly message: string
  readonly cause?: unknown
}
