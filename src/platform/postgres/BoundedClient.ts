/**
 * The library's client, with a limit on everything that is waited for: a connection, an answer, the end of a listener.
 * A connection that let a statement wait for too long is never used again. What shares it meets its own limit; what
 * holds it for itself, a transaction, destroys it at once.
 */
import { PgClient, type PgConnection, PgPool } from "@effect/sql-pg"
import { Effect, Exit, Scope, Stream } from "effect"
import { SqlClient, type SqlConnection, SqlError, Statement } from "effect/sql"
import { bounded } from "../runtime/bounded.ts"
import { type Limits, lockMillis, Patience, serverShareOf, statementMillis } from "../runtime/patience.ts"
import { troubleOf } from "./trouble.ts"

export interface Watch {
  /** Postgres is known not to answer: nothing is sent, and nobody waits. */
  readonly isAway: () => boolean
  /** A statement or a connection failed as it does when Postgres is away. */
  readonly suspect: () => void
  /** What the pool is doing at this moment. */
  readonly load: { waiting: number; readonly used: Map<object, number> }
}

type Query<A> = Effect.Effect<A, SqlError.SqlError>

export const make = Effect.fnUntraced(function* (config: PgClient.PgPoolConfig, watch: Watch) {
  const pool = yield* PgPool.make(config)
  const { load } = watch

  const watched = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.tapError(effect, (error) => Effect.sync(() => troubleOf(error) === "lost" && watch.suspect()))
  const unlessAway = <A, E, R>(effect: Effect.Effect<A, E | SqlError.SqlError, R>) =>
    Effect.suspend(() => (watch.isAway() ? Effect.fail(late("Postgres does not answer")) : effect))

  const use = (connection: object, by: 1 | -1) => {
    const count = (load.used.get(connection) ?? 0) + by
    if (count === 0) load.used.delete(connection)
    else load.used.set(connection, count)
  }

  /** One statement, beside others on the same connection. */
  const share = <A, E, R>(f: (connection: SqlConnection.Connection) => Effect.Effect<A, E, R>, millis: number) => {
    let lent: PgConnection.PgConnection | undefined
    load.waiting++
    const query = pool.use((connection) => {
      load.waiting--
      lent = connection
      use(connection, 1)
      return f(adapted(connection, (query) => query))
    })
    const ended = Effect.sync(() => (lent === undefined ? void load.waiting-- : use(lent, -1)))
    return bounded<A, E | SqlError.SqlError, R>(Effect.ensuring(query, ended), millis, () => {
      if (lent !== undefined) Effect.runFork(pool.invalidate(lent))
      return late(lent === undefined ? "No connection to Postgres was free in time" : "Postgres did not answer in time")
    })
  }

  /** A connection for one alone until the scope closes. */
  const reserve: SqlConnection.Acquirer = Effect.withFiber((fiber) => {
    const limits = fiber.getRef(Patience)
    return Effect.gen(function* () {
      const scope = yield* Scope.fork(yield* Effect.scope)
      load.waiting++
      const pinned = yield* bounded(Scope.provide(pool.reserve, scope), statementMillis, () =>
        late("No connection to Postgres was free in time")
      ).pipe(
        Effect.ensuring(Effect.sync(() => load.waiting--)),
        Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
      )
      use(pinned, 1)
      yield* Scope.addFinalizer(
        scope,
        Effect.sync(() => use(pinned, -1))
      )
      const within = <A>(query: Query<A>) =>
        watched(
          bounded(query, limits.statement, () => {
            // A pin that is given back while a statement runs on it takes its connection with it.
            Effect.runFork(Scope.close(scope, Exit.void))
            return late("Postgres did not answer in time")
          })
        )
      const connection = adapted(pinned, within)
      if (limits.statement !== statementMillis) yield* longer(connection, scope, limits)
      return connection
    }).pipe(watched, unlessAway)
  })

  const listen = (channel: string) =>
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const pin = yield* Scope.fork(scope)
      const listening = Effect.flatMap(Scope.provide(pool.reserve, pin), (connection) => connection.listen(channel))
      const queue = yield* bounded(listening, statementMillis, () => late("Postgres did not answer in time"))
      // Closed before the listener says goodbye, which a dead connection never answers.
      yield* Scope.addFinalizer(scope, Scope.close(pin, Exit.void))
      return queue
    }).pipe(watched, unlessAway)

  const client = yield* SqlClient.make({
    driver: "@effect/sql-pg",
    acquirer: reserve,
    borrower: (f) =>
      Effect.withFiber((fiber) => {
        const { statement: millis } = fiber.getRef(Patience)
        if (millis !== statementMillis) return Effect.scoped(Effect.flatMap(reserve, f))
        return watch.isAway() ? Effect.fail(late("Postgres does not answer")) : watched(share(f, millis))
      }),
    transactionAcquirer: reserve,
    compiler: PgClient.makeCompiler(),
    prepareTransactionControls: true,
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [["db.system.name", "postgresql"]]
  })
  const pg: PgClient.PgClient = Object.assign(client, {
    [PgClient.TypeId]: PgClient.TypeId,
    config,
    json: (value: unknown) => Statement.fragment([json(value, undefined, undefined)]),
    listen,
    notify: (channel: string, payload: string) => Effect.asVoid(client`select pg_notify(${channel}, ${payload})`)
  })
  return pg
})

/** The connection's own limits, for as long as a patient job holds it. */
const longer = (connection: SqlConnection.Connection, scope: Scope.Scope, limits: Limits) => {
  const set = (statement: number, lock: number) =>
    connection.execute(
      "select set_config('statement_timeout', $1, false), set_config('lock_timeout', $2, false)",
      [String(statement), String(lock)],
      undefined
    )
  return Effect.andThen(
    Scope.addFinalizer(scope, Effect.ignore(set(serverShareOf(statementMillis), lockMillis))),
    set(serverShareOf(limits.statement), limits.lock)
  )
}

const adapted = (
  connection: PgConnection.PgConnection,
  within: <A>(query: Query<A>) => Query<A>
): SqlConnection.Connection => {
  const rows = (sql: string, params: ReadonlyArray<unknown>, prepare?: boolean) => {
    const query = within(Effect.map(connection.query(sql, params, prepare), (result) => result.rows))
    // A connection that is gone has rolled back.
    return sql === "ROLLBACK" ? Effect.catchIf(query, isLost, () => Effect.succeed([])) : query
  }
  return {
    execute: (sql, params) => rows(sql, params),
    executeUnprepared: (sql, params) => rows(sql, params, false),
    executeRaw: (sql, params) => within(connection.query(sql, params)),
    executeValues: (sql, params) => within(connection.queryValues(sql, params)),
    executeValuesUnprepared: (sql, params) => within(connection.queryValues(sql, params, false)),
    executeStream: (sql, params) => Stream.fromIterableEffect(rows(sql, params))
  }
}

const json = Statement.custom("PgJson")

const isLost = (error: SqlError.SqlError) => troubleOf(error) === "lost"

/** Postgres answers ROLLBACK to a COMMIT of a transaction that had failed. */
const commit = (connection: SqlConnection.Connection): Effect.Effect<void, SqlError.SqlError> =>
  Effect.flatMap(connection.executeRaw("COMMIT", []) as Query<PgConnection.Result>, ({ command }) =>
    command === "ROLLBACK"
      ? Effect.fail(
          new SqlError.SqlError({
            reason: new SqlError.UnknownError({
              cause: new Error("COMMIT of an aborted transaction"),
              message: "COMMIT of an aborted transaction",
              operation: "commit"
            })
          })
        )
      : Effect.void
  )

const late = (message: string) =>
  new SqlError.SqlError({
    reason: new SqlError.ConnectionError({ cause: new Error(message), message, operation: "query" })
  })
