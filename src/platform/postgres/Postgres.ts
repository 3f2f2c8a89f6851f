/**
 * The connection pool. Its time-outs are about sockets, so they follow the real clock even where a test moves the
 * service's time by a day. `patience.ts` says what it gives up, and when.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Logger, type Redacted, Schedule } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlError } from "effect/sql"
import * as BoundedClient from "./BoundedClient.ts"
import { type DatabaseAddress, readAddress, type Server, serverNames } from "./databaseAddress.ts"
import * as DatabaseHealth from "./DatabaseHealth.ts"
import { lockMillis, serverShareOf, statementMillis } from "../runtime/patience.ts"
import { types } from "./pgTypes.ts"
import { quiet } from "./quietLoggers.ts"
import * as RealTime from "../runtime/realTime.ts"
import * as Servers from "./Servers.ts"

export interface Options {
  readonly url: Redacted.Redacted
  readonly connections: number
  readonly name: string
  /** False for a connection outside the pool: the log and the metrics show the pool's health. */
  readonly watched?: boolean
}

/** The address of the pool, with the password, and its number of connections. */
export class Pool extends Context.Service<Pool, Pick<Options, "url" | "connections">>()("@coffer/platform/Pool") {}

/** Runs one statement on a connection that no other uses meanwhile. Its rows are as the driver reads them. */
export class Exclusive extends Context.Service<Exclusive, BoundedClient.RunExclusive>()("@coffer/platform/Exclusive") {}

/** Fails when no server can be used. `databaseProblem` says why in one line. */
export const layer = (options: Options) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const address = yield* Effect.mapError(Effect.fromResult(readAddress(options.url)), (problem) =>
        Servers.unusable(problem, true)
      )
      const servers = Servers.make(address, configOf(options, address))
      yield* servers.find
      const { health, unlessAway, watch } =
        options.watched === false
          ? yield* DatabaseHealth.assumeHealthy(servers.isSingle ? Effect.void : servers.find)
          : yield* DatabaseHealth.make(serverNames(address), servers.find)
      const { pg, runExclusive } = yield* BoundedClient.make(servers, watch)
      const loggers = quiet(yield* Logger.CurrentLoggers, unlessAway)
      return Context.make(PgClient.PgClient, pg).pipe(
        Context.add(SqlClient.SqlClient, pg),
        Context.add(Exclusive, runExclusive),
        Context.add(Pool, options),
        Context.add(DatabaseHealth.DatabaseHealth, health),
        Context.add(Logger.CurrentLoggers, loggers)
      )
    })
  ).pipe(Layer.provide([Reactivity.layer, RealTime.layer]))

const startPatience = "1 hour"

/**
 * Waits until the database takes a connection. Otherwise a start before Postgres, as after a power cut, would fail.
 * Fails at once where no later try can succeed (`Servers.isForGood`), and otherwise after an hour. `whileWaiting` runs
 * with the first error, and is interrupted.
 */
export const whenReachable = <E>(
  url: Redacted.Redacted,
  whileWaiting: (error: SqlError.SqlError) => Effect.Effect<never, E>
) => {
  const look = Effect.scoped(Layer.build(layer({ url, connections: 1, name: "coffer-start", watched: false })))
  const isPassing = (error: SqlError.SqlError) => !Servers.isForGood(error)
  const untilThere = Effect.retry(look, {
    while: isPassing,
    schedule: Schedule.spaced("1 second").pipe(Schedule.upTo({ duration: startPatience }))
  })
  return look.pipe(
    Effect.catchIf(isPassing, (error) => Effect.raceFirst(untilThere, whileWaiting(error))),
    Effect.asVoid,
    RealTime.onRealTime
  )
}

const configOf =
  ({ connections, name }: Options, { anyServer }: DatabaseAddress) =>
  ({ url }: Server): PgClient.PgPoolConfig => ({
    url,
    applicationName: name,
    maxConnections: connections,
    connectTimeout: "3 seconds",
    keepAlive: "5 seconds",
    multiplex: true,
    types,
    startupParameters: {
      statement_timeout: String(serverShareOf(statementMillis)),
      lock_timeout: String(lockMillis),
      // A process that is paused in the middle of a transaction, or cut off, keeps its rows' locks; others wait.
      idle_in_transaction_session_timeout: "5s",
      // Postgres detects in about ten seconds that we are gone, and releases our locks.
      tcp_keepalives_idle: "5",
      tcp_keepalives_interval: "1",
      tcp_keepalives_count: "5",
      // Postgres keeps the plan that it made for a statement while a table was small, and reads all of it to find one
      // row when it has grown. Tables with an index are read by it from the start.
      enable_seqscan: "off",
      // Before version 18, a plan that reads a table without an index costs so much by the line above that Postgres
      // compiles it: half a second for two rows.
      jit: "off",
      // A server that takes no writes refuses a connection that asks for this.
      ...(anyServer ? {} : { transaction_read_only: "off" })
    }
  })
