/**
 * The server of `DATABASE_URL` that is used: the one that takes writes. If several do, an old primary has come back
 * without knowing its successor, and the one that was promoted last is used: it has the highest timeline, which each
 * promotion raises. A server with a lower timeline than one seen before is never used (docs/decisions/0036).
 *
 * A pooler such as PgBouncer is refused. It does not pass on the limits that each connection sets, and in transaction
 * mode neither locks nor `LISTEN` last.
 */
import { type PgClient, PgConnection } from "@effect/sql-pg"
import { Effect, Exit, Predicate, Result, Semaphore } from "effect"
import { SqlError } from "effect/sql"
import { bounded } from "../runtime/Deadline.ts"
import { type DatabaseAddress, type Server, serverName } from "./databaseAddress.ts"
import { reasonOf } from "./databaseProblem.ts"
import { codeOf, troubleOf } from "./trouble.ts"

/** A server and how it is connected to. */
export interface Target extends Server {
  readonly config: PgClient.PgPoolConfig
}

export interface Servers {
  readonly isSingle: boolean
  /** The server in use. */
  readonly current: () => Target
  /**
   * Asks each server on a connection of its own, and moves to the one that takes writes. Fails when none can be used.
   * A server that refuses the connection, as when it has too many, is there: it is not moved away from.
   */
  readonly find: Effect.Effect<void, SqlError.SqlError>
  /** Runs whenever the server in use changes. */
  readonly onMove: (listener: (target: Target) => Effect.Effect<void, SqlError.SqlError>) => void
}

/** How long a search waits for one server; all are asked at the same time. */
export const lookMillis = 1_500
/** A busy server may take longer. Its answer still counts for the searches of this time. */
const answerMillis = 3 * lookMillis

interface Look {
  readonly target: Target
  readonly looked: Result.Result<number, SqlError.SqlError>
}

export const make = (
  { anyServer, servers }: DatabaseAddress,
  configOf: (server: Server) => PgClient.PgPoolConfig
): Servers => {
  const targets = servers.map((server): Target => ({ ...server, config: configOf(server) }))
  const isSingle = targets.length === 1
  const oneAtATime = Semaphore.makeUnsafe(1).withPermits(1)
  const listeners: Array<(target: Target) => Effect.Effect<void, SqlError.SqlError>> = []
  let current = targets[0]!
  let highest = 0
  let isFound = false

  const askOnce = ({ config }: Target) => {
    const asking = Effect.scoped(
      Effect.flatMap(PgConnection.make({ ...config, multiplex: false, connectTimeout: answerMillis }), (connection) =>
        isSingle || anyServer
          ? Effect.as(accepts(connection, anyServer), 0)
          : Effect.andThen(accepts(connection, anyServer), timelineOf(connection))
      )
    )
    return bounded(Effect.mapError(asking, inOurWords), answerMillis, noAnswer)
  }
  const looks = new Map(targets.map((target) => [target, patiently(askOnce(target))]))
  const look = (target: Target) => bounded(looks.get(target)!, lookMillis, noAnswer)

  const move = Effect.fnUntraced(function* (target: Target) {
    if (target === current) return
    const before = current
    current = target
    for (const listener of listeners) yield* listener(target)
    if (!isFound) return
    yield* Effect.logWarning(
      `Postgres is used at ${serverName(target)} from now on, and no longer at ${serverName(before)}`
    )
  }, Effect.uninterruptible)

  const find = Effect.gen(function* () {
    const looks = yield* Effect.forEach(
      targets,
      (target) => Effect.map(Effect.result(look(target)), (looked): Look => ({ target, looked })),
      { concurrency: targets.length }
    )
    const best = bestOf(looks, current)
    if (best !== undefined && best.timeline >= highest) {
      highest = best.timeline
      yield* move(best.target)
      isFound = true
      return
    }
    const own = looks.find(({ target }) => target === current)!.looked
    if (Result.isFailure(own) && isRefusal(own.failure)) return
    return yield* isSingle && Result.isFailure(own) ? own.failure : noneOf(looks)
  })

  return {
    isSingle,
    current: () => current,
    find: oneAtATime(find),
    onMove: (listener) => void listeners.push(listener)
  }
}

/**
 * Asks again each time, in parallel to unanswered questions. So a server that takes longer than one search is found,
 * and a connection that hangs blocks nothing.
 */
const patiently = (ask: Effect.Effect<number, SqlError.SqlError>): typeof ask => {
  let answer: (timeline: number) => void = () => {}
  return Effect.withFiber(({ context }) =>
    Effect.callback((resume) => {
      answer = (timeline) => resume(Effect.succeed(timeline))
      Effect.runForkWith(context)(ask).addObserver((exit) => (Exit.isSuccess(exit) ? answer(exit.value) : resume(exit)))
    })
  )
}

/** The server that is used already wins among equals. */
const bestOf = (looks: ReadonlyArray<Look>, current: Target) => {
  const good = looks.flatMap(({ looked, target }) =>
    Result.isSuccess(looked) ? [{ target, timeline: looked.success }] : []
  )
  const newest = Math.max(...good.map(({ timeline }) => timeline))
  const best = good.filter(({ timeline }) => timeline === newest)
  return best.find(({ target }) => target === current) ?? best[0]
}

const accepts = Effect.fnUntraced(function* (connection: PgConnection.PgConnection, anyServer: boolean) {
  const [[pid, readOnly] = []] = yield* connection.queryValues(
    "select pg_backend_pid(), current_setting('transaction_read_only')"
  )
  // A pooler has connections of its own to Postgres.
  if (pid !== connection.processId) return yield* unusable(pooler, true)
  if (readOnly === "on" && !anyServer) return yield* takesNoWrites()
})

/** 0 if the server does not report it, as some services that imitate Postgres. */
const timelineOf = Effect.fnUntraced(
  function* (connection: PgConnection.PgConnection) {
    const rows = yield* connection.queryValues(
      "select ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int4"
    )
    return Number(rows[0]?.[0] ?? 0)
  },
  Effect.catchIf(
    (error) => codeOf(error) !== undefined,
    () => Effect.succeed(0)
  )
)

/** A refusal is an answer, unless it says that Postgres is starting or stopping, or takes no writes. */
const isRefusal = (error: SqlError.SqlError) =>
  error.reason._tag !== "ConnectionError" &&
  troubleOf(error) !== "readOnly" &&
  codeOf(error)?.startsWith("57P") === false

const noneOf = (looks: ReadonlyArray<Look>) =>
  unusable(
    looks
      .map(
        ({ looked, target }) =>
          `${serverName(target)}: ${Result.isFailure(looked) ? reasonOf(looked.failure) : "an old primary"}`
      )
      .join("; "),
    looks.every(({ looked }) => Result.isFailure(looked) && isForGood(looked.failure))
  )

/** The messages of Postgres and PgBouncer do not say why that matters here. */
const inOurWords = (error: SqlError.SqlError): SqlError.SqlError => {
  if (troubleOf(error) === "readOnly") return takesNoWrites()
  return reasonOf(error).startsWith("unsupported startup parameter") ? unusable(pooler, true) : error
}

const noAnswer = () => unusable("no answer in time")

const pooler =
  "This is a pooler such as PgBouncer, in session or in transaction mode. Coffer has a pool of its own " +
  "(DATABASE_CONNECTIONS): give it the address of PostgreSQL itself."

const takesNoWrites = () => {
  const message = "it takes no writes: it is a standby, or was made read-only"
  const cause = Object.assign(new Error(message), { code: "25006" })
  return new SqlError.SqlError({ reason: new SqlError.UnknownError({ cause, message, operation: "connect" }) })
}

export const unusable = (message: string, isForGood = false) =>
  new SqlError.SqlError({
    reason: new SqlError.ConnectionError({
      cause: Object.assign(new Error(message), { isForGood }),
      message,
      operation: "connect"
    })
  })

/**
 * Whether no retry can succeed: the password, the role, the database or the address is wrong, or another program
 * listens there. A server that is down, starting, full or not found yet may be there in a moment.
 */
export const isForGood = (error: SqlError.SqlError): boolean => {
  const code = codeOf(error)
  if (code !== undefined && /^(28|3D)/.test(code)) return true
  if (troubleOf(error) === "readOnly") return true
  return Predicate.hasProperty(error.reason.cause, "isForGood") && error.reason.cause.isForGood === true
}
