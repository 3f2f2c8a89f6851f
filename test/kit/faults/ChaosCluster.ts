/**
 * Three runners on one Postgres and one Redis, all of the test's own, with a line between each two of them that can be
 * cut: to Postgres, and from the others to a runner's port.
 */
import { Effect, Redacted, Schedule, Scope } from "effect"
import { type Cable, cable } from "../servers/Cable.ts"
import { addressOf, app, newServer, postgresFolder, superuser } from "../servers/PostgresPair.ts"
import { type Coffer, connect, launch, newHome } from "../Process.ts"
import * as Redis from "../servers/Redis.ts"
import { freePort, operatorToken, secretKey } from "../Service.ts"
import type { Node } from "./SteadyLoad.ts"

export interface ChaosNode extends Node {
  readonly name: string
  readonly coffer: () => Coffer
  /** Starts it again after it has ended, at the same places, and waits until it is ready. */
  readonly restart: Effect.Effect<void>
  readonly pause: () => void
  readonly resume: () => void
  /** Its way to Postgres. */
  readonly toDatabase: Cable
  /** The others' way to it. */
  readonly toRunner: Cable
}

const connectionsEach = 10

const chaosNode = Effect.fnUntraced(function* (index: number, database: string, redisUrl: string) {
  const toDatabase = yield* cable(database)
  const runnerPort = yield* freePort
  const host = `127.0.1.${index + 1}`
  const toRunner = yield* cable(`http://127.0.0.1:${runnerPort}`, { at: { host, port: runnerPort } })
  const port = yield* freePort
  const home = yield* newHome
  const scope = yield* Effect.scope
  const start = launch({
    port,
    env: {
      DATABASE_URL: toDatabase.url,
      DATABASE_CONNECTIONS: String(connectionsEach),
      MIGRATION_DATABASE_URL: database.replace(`${app}@`, `${superuser}@`),
      REDIS_URL: redisUrl,
      COFFER_HOME: home,
      SECRET_KEY: secretKey,
      OPERATOR_TOKEN: operatorToken,
      ALLOW_PRIVATE_WEBHOOKS: "true",
      TRUSTED_PROXIES: "127.0.0.1",
      AUDIT_INTERVAL: "30 seconds",
      RUNNER_HOST: host,
      RUNNER_LISTEN_HOST: "127.0.0.1",
      RUNNER_PORT: String(runnerPort)
    }
  }).pipe(Scope.provide(scope))
  let coffer = yield* start
  let isPaused = false
  let pausedAt = -Infinity
  const node: ChaosNode = {
    name: `runner ${index + 1}`,
    port,
    coffer: () => coffer,
    // As a supervisor does: what it needs may be broken, too.
    restart: Effect.gen(function* () {
      while (true) {
        coffer = yield* start
        const isUp = yield* Effect.as(coffer.ready, true).pipe(Effect.catchCause(() => Effect.succeed(false)))
        if (isUp) return
        yield* Effect.sleep("500 millis")
      }
    }),
    pause: () => {
      isPaused = true
      coffer.signal("SIGSTOP")
    },
    resume: () => {
      isPaused = false
      pausedAt = performance.now()
      coffer.signal("SIGCONT")
    },
    wasPaused: (since) => isPaused || pausedAt >= since,
    toDatabase,
    toRunner
  }
  return node
})

export const chaosCluster = Effect.gen(function* () {
  const folder = yield* postgresFolder
  const postgres = yield* newServer(folder, "chaos", ["max_connections = 120"])
  const redis = yield* Redis.running
  const database = addressOf([postgres], app)
  const nodes = yield* Effect.forEach([0, 1, 2], (index) => chaosNode(index, database, Redacted.value(redis.url)))
  for (const node of nodes) yield* node.coffer().ready
  /** A connection of the superuser, for one act, as soon as Postgres lets it in. */
  const asSuperuser = (statement: string) =>
    Effect.scoped(Effect.flatMap(connect(addressOf([postgres], superuser)), (sql) => sql.unsafe(statement))).pipe(
      Effect.retry({ schedule: Schedule.spaced("200 millis"), times: 100 }),
      Effect.orDie
    )
  return { nodes, postgres, redis, database, asSuperuser, superuserUrl: addressOf([postgres], superuser) }
})

export type ChaosCluster = Effect.Success<typeof chaosCluster>
