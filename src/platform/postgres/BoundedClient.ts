/**
 * The library's client, with a limit on every wait: for a connection, for an answer, for the end of a listener. A
 * connection on which a statement waited too long is never used again. A transaction destroys its own at once. Where
 * statements share it, each of the others still has its own limit. An exclusive one ends when Postgres has answered, or
 * five seconds later.
 */
import { PgClient, type PgConnection, PgPool } from "@effect/sql-pg"
import { Cause, Effect, Exit, type Fiber, identity, Option, Scope, Stream } from "effect"
import { SqlClient, type SqlConnection, SqlError, Statement } from "effect/sql"
import { bounded, leftIn } from "../runtime/Deadline.ts"
import { connectionsMin } from "../runtime/Settings.ts"
import { elapsedMillis } from "../runtime/realTime.ts"
import { type Limits, lockMillis, Patience, serverShareOf, statementMillis } from "../runtime/patience.ts"
import type { Servers, Target } from "./Servers.ts"
import { isHeld, isOfOutage, isRead } from "./outage.ts"
import * as SilentConnections from "./silentConnections.ts"
import { isLost, troubleOf } from "./trouble.ts"

export interface Watch {
  /** Whether Postgres does not answer. Then nothing is sent, and no caller waits. */
  readonly isAway: () => boolean
  /** Called when a statement or a connection fails as it does when Postgres is away. */
  readonly suspect: () => void
  /** Waits for the end of a suspected outage: `DatabaseHealth.back`. */
  readonly back: (millis: number) => Effect.Effect<boolean>
  /** How one statement ended, and with which error of Postgres or of the connection. */
  readonly ended: (error: unknown) => void
  /** The pool's load at this moment. */
  readonly load: { waiting: number; readonly used: Map<object, number> }
}

type Query<A> = Effect.Effect<A, SqlError.SqlError>

/**
 * Runs one statement on a connection that no other uses meanwhile: it waits for no other statement, and no other waits
 * for it.
 */
export type RunExclusive = <Row>(text: string, params: ReadonlyArray<unknown>) => Query<ReadonlyArray<Row>>

export const make = Effect.fnUntraced(function* (servers: Servers, watch: Watch) {
  const pools = yield* makePools(servers)
  const guard = makeGuard(watch)
  const borrow = makeBorrow(pools, watch, guard)
  const reserve = makeReserve(pools, watch, guard)
  const lent = <A, E, R>(place: Place, use: Use<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
    Effect.withFiber((fiber) => {
      const { statement: millis } = fiber.getRef(Patience)
      // A patient statement sets the limits of its connection, so it needs one for itself.
      if (millis !== statementMillis) return Effect.scoped(Effect.flatMap(reserve, use))
      const left = leftIn(fiber, millis)
      if (left <= 0) return Effect.fail(unsent(noTimeLeft))
      const again = isHeld(fiber) ? lentOnceBack(place, use, left) : undefined
      if (!watch.isAway()) return borrow(place, use, left, again)
      return again ?? Effect.fail(unsent(noAnswer))
    })
  const lentOnceBack = <A, E, R>(place: Place, use: Use<A, E, R>, left: number): ReturnType<typeof lent<A, E, R>> =>
    Effect.flatMap(watch.back(left), (isBack) => (isBack ? lent(place, use) : Effect.fail(unsent(noAnswer))))

  const client = yield* SqlClient.make({
    driver: "@effect/sql-pg",
    acquirer: reserve,
    borrower: (use) => lent("shared", use),
    transactionAcquirer: reserve,
    compiler: PgClient.makeCompiler(),
    prepareTransactionControls: true,
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [["db.system.name", "postgresql"]]
  })
  const pg: PgClient.PgClient = Object.assign(client, {
    [PgClient.TypeId]: PgClient.TypeId,
    config: servers.current().config,
    json: (value: unknown) => Statement.fragment([json(value, undefined, undefined)]),
    listen: makeListen(pools, guard),
    notify: (channel: string, payload: string) => Effect.asVoid(client`select pg_notify(${channel}, ${payload})`)
  })
  const runExclusive: RunExclusive = <Row>(text: string, params: ReadonlyArray<unknown>) =>
    lent(
      "exclusive",
      (connection) => connection.execute(text, params, undefined) as unknown as Query<ReadonlyArray<Row>>
    )
  return { pg: Object.defineProperty(pg, "config", { get: () => servers.current().config }), runExclusive }
})

type Place = "shared" | "exclusive"
type Use<A, E, R> = (connection: SqlConnection.Connection) => Effect.Effect<A, E, R>

/** Two lanes write, two attempts wait for locked rows, and one insert brings API logs. */
const exclusiveMax = 5
/** Open from the start. The cluster's locks permanently hold one of the shared ones. */
const openAlways = { shared: 3, exclusive: 2 }

/**
 * Statements share the connections of one place, and have one each in the other. The library can take a shared one out
 * of circulation, too; that costs a hundred steps for each statement (docs/decisions/0010).
 */
const placesOf = (config: PgClient.PgPoolConfig): Readonly<Record<Place, PgClient.PgPoolConfig>> => {
  const { maxConnections: all = 1 } = config
  // A program with fewer is not a service and writes no batches: it shares all that it has.
  const isService = all >= connectionsMin
  // Transactions and patient statements take theirs from the shared ones.
  const exclusive = isService ? Math.min(exclusiveMax, Math.floor(all / 2)) : exclusiveMax
  const shared = isService ? all - exclusive : all
  return {
    shared: { ...config, maxConnections: shared, minConnections: Math.min(openAlways.shared, shared) },
    exclusive: {
      ...config,
      multiplex: false,
      maxConnections: exclusive,
      minConnections: isService ? openAlways.exclusive : 0
    }
  }
}

/** The connections to the server that is used. When another is used, all to the one before are given up. */
interface Open {
  readonly pools: Readonly<Record<Place, PgPool.PgPool>>
  readonly scopes: ReadonlyArray<Scope.Closeable>
  /** Connections that one user has alone. */
  readonly reserved: Set<Scope.Closeable>
  /** Ends the wait for each statement with an exclusive connection. */
  readonly endings: Set<() => void>
}

interface Pools {
  current: Open
  /** Runs an effect in the background. */
  readonly fork: (effect: Effect.Effect<unknown>) => unknown
  /** Fails callers that wait for a connection to a server that is given up. */
  readonly orMoved: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SqlError.SqlError, R>
}

const makePools = Effect.fnUntraced(function* (servers: Servers) {
  const parent = yield* Effect.scope
  const open = Effect.fnUntraced(function* ({ config }: Target) {
    const { exclusive, shared } = placesOf(config)
    const scopes = [yield* Scope.fork(parent), yield* Scope.fork(parent)] as const
    const pools = {
      shared: yield* Scope.provide(PgPool.make(shared), scopes[0]),
      exclusive: yield* Scope.provide(PgPool.make(exclusive), scopes[1])
    }
    const opened: Open = { pools, scopes, reserved: new Set(), endings: new Set() }
    return opened
  })
  const pools: Pools = {
    current: yield* open(servers.current()),
    fork: Effect.runForkWith(yield* Effect.context<never>()),
    orMoved: servers.isSingle
      ? identity
      : (effect) => Effect.catchCauseIf(effect, Cause.hasInterruptsOnly, () => Effect.fail(late(noAnswer)))
  }
  servers.onMove((target) =>
    Effect.gen(function* () {
      const { endings, reserved, scopes } = pools.current
      pools.current = yield* open(target)
      // Pools close first, so that they lend no connection that is given back. They wait for running statements.
      for (const each of [...scopes, ...reserved])
        yield* Effect.forkIn(Scope.close(each, Exit.void), parent, { startImmediately: true })
      for (const end of endings) end()
    })
  )
  return pools
})

/** The watch over every use of the pool. */
const makeGuard = (watch: Watch) => {
  /** `discard` gives up the connection, whose server takes no writes. */
  const note = (error: unknown, discard?: () => void) => {
    watch.ended(error)
    const trouble = troubleOf(error)
    if (trouble === "readOnly") discard?.()
    if (trouble === "readOnly" || trouble === "lost") watch.suspect()
  }
  return {
    note,
    watched: <A, E, R>(effect: Effect.Effect<A, E, R>, discard?: () => void): Effect.Effect<A, E, R> =>
      Effect.onExit(effect, (exit) =>
        Effect.sync(() =>
          Exit.isFailure(exit)
            ? note(Option.getOrUndefined(Cause.findErrorOption(exit.cause)), discard)
            : watch.ended(undefined)
        )
      ),
    unlessAway: <A, E, R>(effect: Effect.Effect<A, E | SqlError.SqlError, R>) =>
      Effect.suspend(() => (watch.isAway() ? Effect.fail(unsent(noAnswer)) : effect))
  }
}

type Guard = ReturnType<typeof makeGuard>

const countUse = ({ used }: Watch["load"], connection: object, by: 1 | -1) => {
  const count = (used.get(connection) ?? 0) + by
  if (count === 0) used.delete(connection)
  else used.set(connection, count)
}

/** Runs one statement on a connection of this place. */
const makeBorrow = (pools: Pools, { ended, load }: Watch, { note }: Guard) => {
  const silent = SilentConnections.make(pools.fork)
  return <A, E, R>(
    place: Place,
    use: Use<A, E, R>,
    millis: number,
    /** In place of reads whose connection is lost. */
    again?: Effect.Effect<A, E | SqlError.SqlError, R>
  ) => {
    const { endings, pools: open } = pools.current
    const pool = open[place]
    let borrowed: PgConnection.PgConnection | undefined
    const sent: Array<string> = []
    const began = elapsedMillis()
    load.waiting++
    const query = pool.use((connection) => {
      load.waiting--
      borrowed = connection
      countUse(load, connection, 1)
      if (place === "shared") silent.sent(connection)
      return use(adapt(connection, identity, (text) => sent.push(text)))
    })
    const discard = () => {
      if (borrowed !== undefined) pools.fork(pool.invalidate(borrowed))
    }
    const onEnd = (exit: Exit.Exit<A, E | SqlError.SqlError>) => {
      if (borrowed === undefined) load.waiting--
      else {
        countUse(load, borrowed, -1)
        if (place === "shared") silent.answered(borrowed)
      }
      if (Exit.isFailure(exit)) note(Option.getOrUndefined(Cause.findErrorOption(exit.cause)), discard)
      else ended(undefined)
    }
    const outOfTime = () => {
      // Even if only the request ran out of time: no later use would find a dead connection (`silentConnections.ts`).
      discard()
      const error = borrowed === undefined ? unsent(noConnection) : late(noAnswerInTime)
      note(error)
      return error
    }
    return bounded<A, E | SqlError.SqlError, R>(pools.orMoved(query), millis, outOfTime, {
      endings: place === "exclusive" ? endings : undefined,
      onEnd,
      instead: (exit) =>
        again !== undefined && elapsedMillis() - began < millis && isOfOutage(exit) && sent.every(isRead)
          ? again
          : undefined
    })
  }
}

/** For one user alone, until the scope closes. If its last statement failed it may still hold locks, and is closed. */
const makeReserve = (pools: Pools, { back, isAway, load }: Watch, { watched }: Guard): SqlConnection.Acquirer =>
  Effect.withFiber((fiber) => {
    const limits = fiber.getRef(Patience)
    const isPatient = limits.statement !== statementMillis
    /** The rest of a request's time does not concern patient work, which is long by nature. */
    const left = (fiber: Fiber.Fiber<unknown, unknown>) =>
      isPatient ? limits.statement : leftIn(fiber, statementMillis)
    return Effect.gen(function* () {
      if (isAway() && isHeld(fiber)) yield* back(left(fiber))
      if (isAway()) return yield* Effect.fail(unsent(noAnswer))
      if (left(fiber) <= 0) return yield* Effect.fail(unsent(noTimeLeft))
      const {
        pools: { shared: pool },
        reserved
      } = pools.current
      const scope = yield* Scope.fork(yield* Effect.scope)
      yield* trackReserved(reserved, scope)
      load.waiting++
      const reserving = pools.orMoved(Scope.provide(pool.reserve, scope))
      const pinned = yield* bounded(reserving, Math.min(statementMillis, left(fiber)), () => unsent(noConnection)).pipe(
        Effect.ensuring(Effect.sync(() => load.waiting--)),
        Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
      )
      countUse(load, pinned, 1)
      let [isGivenUp, hasFailed] = [false, false]
      const giveBack = Effect.suspend(() => {
        countUse(load, pinned, -1)
        return hasFailed ? pool.invalidate(pinned) : Effect.void
      })
      yield* Scope.addFinalizer(scope, giveBack)
      const within: Within = (query, limit) =>
        watched(
          Effect.withFiber((fiber) => {
            const millis = limit ?? left(fiber)
            if (isGivenUp) return Effect.fail(late(noAnswerInTime))
            if (millis <= 0) return Effect.fail(late(noTimeLeft))
            const outOfTime = () => {
              isGivenUp = true
              // Releasing a connection while a statement runs on it destroys the connection.
              pools.fork(Scope.close(scope, Exit.void))
              return late(noAnswerInTime)
            }
            return bounded(query, millis, outOfTime, { onEnd: (exit) => void (hasFailed = Exit.isFailure(exit)) })
          }),
          () => pools.fork(pool.invalidate(pinned))
        )
      if (isPatient) yield* withLimits(pinned, within, scope, limits)
      return adapt(pinned, within)
    }).pipe(watched)
  })

/** Notes a connection with a single user, until its scope closes. */
const trackReserved = (reserved: Set<Scope.Closeable>, scope: Scope.Closeable) =>
  Effect.suspend(() => {
    reserved.add(scope)
    return Scope.addFinalizer(
      scope,
      Effect.sync(() => reserved.delete(scope))
    )
  })

const makeListen =
  (pools: Pools, { unlessAway, watched }: Guard) =>
  (channel: string) =>
    Effect.gen(function* () {
      const {
        pools: { shared: pool },
        reserved
      } = pools.current
      const scope = yield* Effect.scope
      const pin = yield* Scope.fork(scope)
      yield* trackReserved(reserved, pin)
      const listening = Effect.flatMap(Scope.provide(pool.reserve, pin), (connection) => connection.listen(channel))
      const queue = yield* bounded(listening, statementMillis, () => late(noAnswerInTime))
      // Closed before the listener sends UNLISTEN, which a dead connection never answers.
      yield* Scope.addFinalizer(scope, Scope.close(pin, Exit.void))
      return queue
    }).pipe(watched, unlessAway)

/**
 * Sets the connection's limits on the server, until the scope closes. Postgres acknowledges that at once, or is away.
 */
const withLimits = (connection: PgConnection.PgConnection, within: Within, scope: Scope.Scope, limits: Limits) => {
  const set = (statement: number, lock: number) =>
    within(
      connection.query("select set_config('statement_timeout', $1, false), set_config('lock_timeout', $2, false)", [
        String(statement),
        String(lock)
      ]),
      statementMillis
    )
  return Effect.andThen(
    Scope.addFinalizer(scope, Effect.ignore(set(serverShareOf(statementMillis), lockMillis))),
    set(serverShareOf(limits.statement), limits.lock)
  )
}

/** Ends a statement after `millis`, by default after the time that its user has left. */
type Within = <A>(query: Query<A>, millis?: number) => Query<A>

const adapt = (
  connection: PgConnection.PgConnection,
  within: Within,
  sending: (text: string) => void = ignore
): SqlConnection.Connection => {
  const rows = (sql: string, params: ReadonlyArray<unknown>, prepare?: boolean) => {
    sending(sql)
    const query = Effect.map(connection.query(sql, params, prepare), (result) => result.rows)
    if (sql !== "ROLLBACK") return within(query)
    // Nothing can interrupt it, so patient work waits no longer either. Without the connection Postgres rolls back.
    return Effect.catchIf(within(query, statementMillis), isLost, () => Effect.succeed([]))
  }
  return {
    execute: (sql, params) => rows(sql, params),
    executeUnprepared: (sql, params) => rows(sql, params, false),
    executeRaw: (sql, params) => (sending(sql), within(connection.query(sql, params))),
    executeValues: (sql, params) => (sending(sql), within(connection.queryValues(sql, params))),
    executeValuesUnprepared: (sql, params) => (sending(sql), within(connection.queryValues(sql, params, false))),
    executeStream: (sql, params) => Stream.fromIterableEffect(rows(sql, params))
  }
}

const ignore = () => undefined

const json = Statement.custom("PgJson")

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

const noAnswer = "Postgres does not answer"
const noAnswerInTime = "Postgres did not answer in time"
const noTimeLeft = "The request had no time left for Postgres"
const noConnection = "No connection to Postgres was free in time"

const late = (message: string, operation = "query") =>
  new SqlError.SqlError({ reason: new SqlError.ConnectionError({ cause: new Error(message), message, operation }) })
const unsent = (message: string) => late(message, "connect")
