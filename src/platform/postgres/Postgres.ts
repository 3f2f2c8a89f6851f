/**
 * The connection pool. Its time-outs are about sockets, so they follow the real clock even where a test moves the
 * service's time by a day. What it gives up, and when, is in `patience.ts`.
 */
import { PgClient, PgConnection } from "@effect/sql-pg"
import { Context, Effect, Layer, Logger, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import * as BoundedClient from "./BoundedClient.ts"
import * as DatabaseHealth from "./DatabaseHealth.ts"
import { lockMillis, serverShareOf, statementMillis } from "../runtime/patience.ts"
import { types } from "./pgTypes.ts"
import { quiet } from "./quietLoggers.ts"
import * as RealTime from "../runtime/realTime.ts"
import { codeOf } from "./trouble.ts"

export interface Options {
  readonly url: Redacted.Redacted
  readonly connections: number
  readonly name: string
  /** False for a connection beside the pool's: the pool's health is what the log and the metrics show. */
  readonly watched?: boolean
}

export const layer = (options: Options) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const config = configOf(options)
      const { health, watch } =
        options.watched === false
          ? DatabaseHealth.unwatched
          : yield* DatabaseHealth.make(placeOf(options.url), probe(config))
      const client = yield* BoundedClient.make(config, watch)
      const loggers = quiet(yield* Logger.CurrentLoggers, watch.isAway)
      return Context.make(PgClient.PgClient, client).pipe(
        Context.add(SqlClient.SqlClient, client),
        Context.add(DatabaseHealth.DatabaseHealth, health),
        Context.add(Logger.CurrentLoggers, loggers)
      )
    })
  ).pipe(Layer.provide([Reactivity.layer, RealTime.layer]))

const configOf = ({ connections, name, url }: Options): PgClient.PgPoolConfig => ({
  url,
  applicationName: name,
  maxConnections: connections,
  minConnections: Math.min(4, connections),
  connectTimeout: "3 seconds",
  keepAlive: "5 seconds",
  multiplex: true,
  types,
  startupParameters: {
    statement_timeout: String(serverShareOf(statementMillis)),
    lock_timeout: String(lockMillis),
    // A process that is paused in the middle of a transaction, or cut off, keeps its rows' locks; others wait.
    idle_in_transaction_session_timeout: "5s",
    // Postgres finds out in about ten seconds that we are gone, and lets go of what we held.
    tcp_keepalives_idle: "5",
    tcp_keepalives_interval: "1",
    tcp_keepalives_count: "5",
    // Postgres keeps the plan that it made for a statement while a table was small, and reads all of it to find one
    // row when it has grown. What has an index goes by it from the start.
    enable_seqscan: "off"
  }
})

/** A refusal is an answer too, unless it says that Postgres is starting or stopping. */
const probe = (config: PgClient.PgPoolConfig) =>
  Effect.scoped(
    Effect.flatMap(PgConnection.make({ ...config, multiplex: false }), (connection) => connection.query("select 1"))
  ).pipe(
    Effect.asVoid,
    Effect.catchIf(
      (error) => error.reason._tag !== "ConnectionError" && codeOf(error)?.startsWith("57P") === false,
      () => Effect.void
    )
  )

/** For people: never with the password. */
const placeOf = (url: Redacted.Redacted): string => {
  const parsed = URL.parse(Redacted.value(url))
  if (parsed === null) return "an unreadable address"
  return `${parsed.searchParams.get("host") ?? parsed.hostname}:${parsed.port || "5432"}`
}
