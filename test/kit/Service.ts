/** The service of the test kit with one merchant in it, on the Postgres that the global set-up has started. */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { PgClient } from "@effect/sql-pg"
import { layer, type Vitest } from "@effect/vitest"
import { Context, Effect, Layer, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import { freePort } from "../../packages/testkit/src/freePort.ts"
import * as Service from "../../packages/testkit/src/Service.ts"
import * as TestPostgres from "../../packages/testkit/src/TestPostgres.ts"
import { types } from "../../src/platform/postgres/pgTypes.ts"
import { Api, type Merchant } from "./Api.ts"
import { templates } from "./run/globalSetup.ts"
import { logWhenFailed } from "./run/logWhenFailed.ts"

export { freePort }

export const operatorToken = "operator-token-of-the-tests-long-enough"
export const secretBytes = createHash("sha256").update("a key of the tests").digest()
export const secretKey = secretBytes.toString("base64")
export const otherSecretKey = createHash("sha256").update("another key").digest("base64")

/**
 * One connection for all databases that a worker of vitest makes and drops; the worker's end closes it. A machine that
 * is busy gets several tries, since all later tests of the worker would get the same failure.
 */
const server = Effect.suspend(() =>
  Scope.provide(TestPostgres.connect(inject("postgresUrl")), Scope.makeUnsafe())
).pipe(Effect.retry({ times: 20 }), Effect.cached, Effect.runSync)

/** A clone of a migrated template, as a service uses it, dropped at the end. */
const cloneOf = (template: string) =>
  Effect.flatMap(server, (tell) => TestPostgres.clone(inject("postgresUrl"), tell, template))

export const freshDatabase = cloneOf(templates.bare)

/** The same database for the superuser, who owns its tables. */
export const asOwner = (url: string) => TestPostgres.databaseUrl(inject("postgresUrl"), TestPostgres.nameIn(url))

/**
 * A connection of the owner: for what a service may not do, such as to tamper. Its statements have no limit of time,
 * since they make and vacuum very many rows on machines that are busy. Plans are made as those of the service.
 */
export const ownersConnection = (url: string) =>
  Effect.map(
    Layer.build(
      PgClient.layer({
        url: Redacted.make(asOwner(url)),
        applicationName: "owner",
        maxConnections: 1,
        types,
        startupParameters: { enable_seqscan: "off", jit: "off" }
      })
    ),
    Context.get(SqlClient.SqlClient)
  )

/**
 * The lines that Postgres has logged as errors in a database of a test, up to now; not those about a slow statement
 * that it gave up.
 */
export const errorsLoggedIn = (url: string): ReadonlyArray<string> =>
  readFileSync(inject("postgresLog"), "utf8")
    .split("\n")
    .filter((line) => line.includes(` ${TestPostgres.nameIn(url)} ERROR: `) && !line.endsWith(" timeout"))

export interface Options extends Partial<Omit<Service.Options, "port" | "clock">> {
  /** `test`: the service's time stands still until the test moves it. */
  readonly clock?: "live" | "test"
  /** A free one unless given: PUBLIC_URL may have to name it. */
  readonly port?: number
  /** With the test's clock: when this service begins, in milliseconds; what came before it was earlier. */
  readonly begins?: number
  /** Where its operator's API is, if `env` says that it is at a port of its own. */
  readonly adminPort?: number
}

export interface Running extends Service.Service {
  readonly api: Api
  readonly merchant: Merchant
}

/** The environment of one of several runners on the same database. */
export const asRunner = Effect.map(freePort, (port) => ({ RUNNER_HOST: "127.0.0.1", RUNNER_PORT: String(port) }))

/** Runs the service for the length of the surrounding scope, with one merchant in it. */
export const start = Effect.fnUntraced(function* ({ adminPort, begins = 0, clock = "live", ...options }: Options = {}) {
  const isTest = clock === "test"
  const service = yield* Service.run({
    ...options,
    database: options.database ?? (yield* cloneOf(templates[clock])),
    port: options.port ?? (yield* freePort),
    env: {
      SECRET_KEY: secretKey,
      OPERATOR_TOKEN: operatorToken,
      // Where time stands, a look at each due moment finds what a poll would find, and days pass in fewer steps.
      WORKER_POLL: isTest ? "365 days" : "1 second",
      ...options.env
    },
    ...(isTest ? { clock: Service.clockAt(begins), looks: true } : {}),
    logger: options.logger ?? (yield* logWhenFailed)
  }).pipe(Effect.mapError((failure) => failure as never))
  const api = new Api(service.baseUrl, operatorToken)
  yield* api.ready
  const operator = adminPort === undefined ? api : new Api(`http://127.0.0.1:${adminPort}`, operatorToken)
  const running: Running = { ...service, api, merchant: yield* operator.newMerchant() }
  return running
})

/** For tests that share a service: the same one, with a merchant of a test's own. */
export const withNewMerchant = (running: Running) =>
  Effect.map(running.api.newMerchant(), (merchant): Running => ({ ...running, merchant }))

class Shared extends Context.Service<Shared, Running>()("test/Shared") {}

/** For tests that need nothing of their own but a merchant: a start takes half a second of the processor. */
export const onOneService = (tests: (it: Vitest.MethodsNonLive<Shared>) => void, options: Options = {}) =>
  layer(Layer.effect(Shared, start(options)), { excludeTestServices: true })(tests)
export const sharedService = Effect.flatMap(Shared, withNewMerchant)
