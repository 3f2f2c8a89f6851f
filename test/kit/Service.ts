/**
 * The whole service inside the test: the real wiring on a database of its own, behind a real socket. With the test's
 * clock, a day passes when the test says so; sockets, Postgres and the cluster's locks keep real time.
 */
import { createHash } from "node:crypto"
import { randomBytes, randomUUID } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import path from "node:path"
import { Clock, ConfigProvider, Context, Duration, Effect, Layer, Logger, Option, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { inject } from "vitest"
import * as Faults from "../../src/platform/runtime/Faults.ts"
import * as DataDir from "../../src/platform/runtime/DataDir.ts"
import { Instance } from "../../src/platform/runtime/Instance.ts"
import { patiently } from "../../src/platform/runtime/patience.ts"
import * as Postgres from "../../src/platform/postgres/Postgres.ts"
import * as Settings from "../../src/platform/runtime/Settings.ts"
import * as Telemetry from "../../src/platform/runtime/Telemetry.ts"
import * as Wiring from "../../src/Wiring.ts"
import { Workers } from "../../src/platform/jobs/Workers.ts"
import { Api, type Merchant } from "./Api.ts"
import { asService, databaseUrl, templates } from "./globalSetup.ts"

export const operatorToken = "operator-token-of-the-tests-long-enough"
export const secretBytes = createHash("sha256").update("a key of the tests").digest()
export const secretKey = secretBytes.toString("base64")
export const otherSecretKey = createHash("sha256").update("another key").digest("base64")

/** A clone of a migrated template, as a service uses it, dropped at the end. */
const cloneOf = (template: string) =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      const name = `test_${randomBytes(8).toString("hex")}`
      yield* onServer(`create database ${name} template ${template} strategy file_copy`)
      return asService(databaseUrl(inject("postgresUrl"), name))
    }),
    (url) => Effect.ignore(onServer(`drop database ${nameIn(url)} with (force)`))
  )

export const freshDatabase = cloneOf(templates.bare)

const nameIn = (url: string) => url.slice(url.lastIndexOf("/") + 1)

/** The same database for the superuser, who owns its tables. */
export const asOwner = (url: string) => databaseUrl(inject("postgresUrl"), nameIn(url))

/** A connection of the owner: for what a service may not do, such as to tamper. */
export const ownersConnection = (url: string) =>
  Effect.map(
    Layer.build(Postgres.layer({ url: Redacted.make(asOwner(url)), connections: 1, name: "owner" })),
    Context.get(SqlClient.SqlClient)
  )

/** What Postgres has logged as an error in a database of a test, up to now; not that it gave up a slow statement. */
export const errorsLoggedIn = (url: string): ReadonlyArray<string> =>
  readFileSync(inject("postgresLog"), "utf8")
    .split("\n")
    .filter((line) => line.includes(` ${nameIn(url)} ERROR: `) && !line.endsWith(" timeout"))

/** One connection for all databases that a worker of vitest makes and drops; the worker's end closes it. */
const server = Effect.runSync(
  Effect.cached(
    Effect.suspend(() =>
      Layer.buildWithScope(
        Postgres.layer({ url: Redacted.make(inject("postgresUrl")), connections: 1, name: "test", watched: false }),
        Scope.makeUnsafe()
      )
    )
  )
)

const onServer = (statement: string) =>
  Effect.flatMap(server, (context) =>
    patiently("5 minutes", "5 minutes")(Context.get(context, SqlClient.SqlClient).unsafe(statement))
  )

/**
 * A port that is free and stays it until it is used: each of vitest's workers has some of its own, handed out in turn,
 * and they are below those that the system gives to outgoing connections.
 */
export const freePort: Effect.Effect<number> = Effect.callback<number>((resume) => {
  const port = portsFirst + ((process.pid + portsGiven++) % portsEach)
  const server = createServer()
  server.once("error", (error: NodeJS.ErrnoException) =>
    resume(error.code === "EADDRINUSE" && portsGiven < portsEach ? freePort : Effect.die(error))
  )
  server.listen(port, "127.0.0.1", () => server.close(() => resume(Effect.succeed(port))))
})

const portsEach = 7_000
const portsFirst = 2_000 + portsEach * (Number(process.env["VITEST_POOL_ID"] ?? 1) % 4)
let portsGiven = 0

export interface Options {
  /** `test`: the service's time stands still until the test moves it. */
  readonly clock?: "live" | "test"
  /** With the test's clock: when this service begins, in milliseconds; what came before it was earlier. */
  readonly begins?: number
  /** Where another service of the test stands already; a fresh one unless given. */
  readonly database?: string
  /** How many connections to Postgres it may have; 10 unless given. */
  readonly connections?: number
  readonly faults?: Layer.Layer<Faults.Faults>
  readonly env?: Record<string, string>
  /** Where its operator's API is, if `env` says that it is at a port of its own. */
  readonly adminPort?: number
  /** What else the service stands on: references of its own. */
  readonly beneath?: Layer.Layer<never>
}

export interface Running {
  readonly api: Api
  readonly baseUrl: string
  readonly merchant: Merchant
  readonly database: string
  readonly sql: SqlClient.SqlClient
  /** Moves the clock to each moment at which something is due, and lets it be done, until `duration` has passed. */
  readonly pass: (duration: Duration.Input) => Effect.Effect<void>
  /** To that moment at once, whatever would have been due on the way. */
  readonly leap: (duration: Duration.Input) => Effect.Effect<void>
  /** Waits until the workers have nothing to do at this moment. */
  readonly atRest: Effect.Effect<void>
  readonly context: Context.Context<Wiring.Services>
}

/** The environment of one of several runners on the same database. */
export const asRunner = Effect.map(freePort, (port) => ({ RUNNER_HOST: "127.0.0.1", RUNNER_PORT: String(port) }))

const clockAt = (millis: number) =>
  Layer.effectDiscard(TestClock.setTime(millis)).pipe(Layer.provideMerge(TestClock.layer()))

const environment = (port: number, options: Options): Record<string, string> => ({
  PORT: String(port),
  HOST: "127.0.0.1",
  SECRET_KEY: secretKey,
  OPERATOR_TOKEN: operatorToken,
  ALLOW_PRIVATE_WEBHOOKS: "true",
  WORKER_POLL: options.clock === "test" ? "1 hour" : "1 second",
  // Nobody is there, and no test reaches Stripe.
  STRIPE_API: "http://127.0.0.1:1",
  // A clock that passes a month would audit every hour of it.
  AUDIT_INTERVAL: "365 days",
  ...options.env
})

/** Runs the service for the length of the surrounding scope, with one merchant in it. */
export const start = Effect.fnUntraced(function* (options: Options = {}) {
  const url = options.database ?? (yield* cloneOf(templates[options.clock ?? "live"]))
  const port = yield* freePort
  const home = mkdtempSync(path.join(tmpdir(), "coffer-test-home-"))
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(home, { recursive: true, force: true })))

  const app = Wiring.layer({ remoteSerialization: true }).pipe(
    Layer.provideMerge(Wiring.outbound),
    Layer.provideMerge(options.faults ?? Faults.layer),
    Layer.provideMerge(
      Postgres.layer({ url: Redacted.make(url), connections: options.connections ?? 10, name: "test" })
    ),
    Layer.provideMerge(Settings.layer({ embedded: false })),
    Layer.provideMerge(DataDir.layer(home)),
    Layer.provideMerge(Wiring.platform),
    Layer.provideMerge(ConfigProvider.layer(ConfigProvider.fromEnv({ env: environment(port, options) }))),
    Layer.provideMerge(Logger.layer([])),
    Layer.provideMerge(options.beneath ?? Layer.empty),
    // Two services of one test are two instances.
    Layer.provideMerge(Layer.succeed(Instance, randomUUID())),
    // As in a process without a collector.
    Layer.provideMerge(Telemetry.layer(Option.none())),
    Layer.provideMerge(options.clock === "test" ? clockAt(options.begins ?? 0) : Layer.empty)
  )
  const context = yield* Layer.build(app as Layer.Layer<Wiring.Services>)
  const workers = Context.get(context, Workers)

  const baseUrl = `http://127.0.0.1:${port}`
  const api = new Api(baseUrl, operatorToken)
  yield* api.ready
  const operator =
    options.adminPort === undefined ? api : new Api(`http://127.0.0.1:${options.adminPort}`, operatorToken)
  const merchant = yield* operator.newMerchant()

  const pass = (duration: Duration.Input) =>
    Effect.gen(function* () {
      const end = (yield* Clock.currentTimeMillis) + Duration.toMillis(duration)
      while (true) {
        yield* workers.atRest
        const wake = Option.getOrElse(yield* workers.nextWake, () => Infinity)
        if (wake > end) break
        yield* TestClock.setTime(wake)
      }
      yield* TestClock.setTime(end)
      yield* workers.atRest
    }).pipe(Effect.provideContext(context))

  const leap = (duration: Duration.Input) =>
    Effect.gen(function* () {
      yield* workers.atRest
      yield* TestClock.adjust(duration)
      yield* workers.atRest
    }).pipe(Effect.provideContext(context))

  const running: Running = {
    api,
    baseUrl,
    merchant,
    database: url,
    sql: Context.get(context, SqlClient.SqlClient),
    pass,
    leap,
    atRest: workers.atRest,
    context
  }
  return running
})
