/**
 * What a migration leaves for later, since it takes long or would break older programs (docs/decisions/0260). It is
 * done beside the service, as the owner of the tables:
 *
 * - Rows are filled in slices. Each is a transaction that also notes how far it came, so another runner continues after
 *   a kill. The log and `coffer doctor` show how far it is.
 * - A contraction takes away what only older programs use, when none of them runs and every row before it is filled.
 *   The way back to them is closed by it. A runner of an older version that joins at the same moment either is seen
 *   here or finds this migration when it has joined (`Roster.ExpectReadable`).
 */
import * as Roster from "@coffer/cluster/Roster"
import * as Tenancy from "@coffer/cluster/Tenancy"
import { Context, Effect, Layer, Schedule } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import * as Postgres from "./Postgres.ts"
import { ending, folder, isContraction, migrations, numberOf, readableFrom } from "./migrationSteps.ts"
import { elapsedMillis } from "../runtime/realTime.ts"
import { inTurn, isLocked, withoutQueue } from "./withoutQueue.ts"

/** Rows that a program reads alike before and after they are filled. */
export interface LaterFill {
  readonly name: string
  /** The migration that made the column. Contractions with higher numbers wait for the fill. */
  readonly migration: number
  readonly table: string
  /** A unique key of the table, a text. */
  readonly key: string
  /** SQL: `amount_text = amount::text`, of a row `t`. */
  readonly set: string
  /** SQL: whether a row `t` is to be filled. */
  readonly lacks: string
}

/** Only appended to. One that every installation has done leaves the list with the contraction after it. */
const laterFills: ReadonlyArray<LaterFill> = []

export interface Contraction {
  readonly id: number
  readonly name: string
  readonly from: number
  readonly load: () => Promise<{ readonly default: Effect.Effect<unknown, SqlError.SqlError, SqlClient.SqlClient> }>
}

const contractions: ReadonlyArray<Contraction> = migrations
  .filter((name) => isContraction(numberOf(name)))
  .map((name) => ({
    id: numberOf(name),
    name: name.slice(name.indexOf("_") + 1),
    from: readableFrom[numberOf(name)]!,
    load: () => import(new URL(`${name}${ending}`, folder).href)
  }))

export interface LaterSteps {
  readonly fills: ReadonlyArray<LaterFill>
  readonly contractions: ReadonlyArray<Contraction>
}
export const ownSteps: LaterSteps = { fills: laterFills, contractions }

/** Rows of a slice. Each is locked until the slice ends. */
const sliceRows = 1_000
const tellEveryMillis = 10_000

/**
 * Does what can be done now, one after the other. Returns why the rest waits, for people; undefined if nothing is left.
 * `process`: the name of this process among the sessions of Postgres, undefined for one that holds no lock there.
 */
export const takeSteps = Effect.fnUntraced(function* ({ contractions, fills }: LaterSteps, process?: string) {
  const sql = yield* SqlClient.SqlClient
  const steps = [
    ...fills.map((fill) => ({ order: fill.migration, take: fillAlone(sql, fill, process === undefined) })),
    ...contractions.map((each) => ({ order: each.id, take: contract(sql, each, process) }))
  ].toSorted((a, b) => a.order - b.order)
  for (const { take } of steps) {
    const reason = yield* take
    if (reason !== undefined) return reason
  }
  return undefined
})

/** What is left, for people: how far rows are filled, and what the contractions wait for. */
export const leftSteps = ({ contractions, fills }: LaterSteps) =>
  Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
    const filled = yield* Effect.forEach(fills, ({ name, table }) =>
      Effect.map(
        sql<{ filled: number; rows: number; is_over: boolean }>`select filled::float8 as filled, c.rows,
          is_over from later_fills
          right join (select greatest(reltuples, 0)::float8 as rows from pg_class where oid = to_regclass(${table})) c
            on name = ${name}`,
        ([row]) =>
          row?.is_over === true ? [] : [`${row?.filled ?? 0} of some ${row?.rows ?? 0} rows of ${table} are filled`]
      )
    )
    const contracted = yield* Effect.forEach(contractions, ({ from, id, name }) =>
      Effect.gen(function* () {
        if (yield* isThere(sql, id)) return []
        const older = yield* olderThan(sql, from, undefined)
        return [`the migration ${id} (${name}) ${older === undefined ? "is due" : `waits until ${older} has stopped`}`]
      })
    )
    return [...filled, ...contracted].flat()
  })

/**
 * One process at a time, on a connection of its own: the slices of several would follow each other without a pause. The
 * others look again later, or wait for it (`coffer migrate`).
 */
const fillAlone = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, fill: LaterFill, waits: boolean) {
  if ((yield* sql`select 1 from later_fills where name = ${fill.name} and is_over`).length > 0) return undefined
  const { url } = yield* Postgres.Pool
  const own = Postgres.layer({ url, connections: 1, name: "coffer-fill", watched: false })
  const filling = Context.get(yield* Layer.build(own), SqlClient.SqlClient)
  const taken = Effect.map(
    filling<{ readonly is: boolean }>`select pg_try_advisory_lock(hashtext('coffer fills')) as is`,
    ([row]) => row!.is
  )
  const isOwn = yield* waits
    ? Effect.repeat(taken, { until: (is) => is, schedule: Schedule.spaced("1 second") })
    : taken
  return isOwn ? yield* fillAll(filling, fill) : `another process fills rows of ${fill.table}`
}, Effect.scoped)

/** A slice that meets a lock is tried again, later each time. */
const fillAll = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, fill: LaterFill) {
  let toldAt = -Infinity
  while (true) {
    const begun = elapsedMillis()
    const { filled, isOver } = yield* Effect.retry(sliceOf(sql, fill), {
      while: isLocked,
      schedule: Schedule.min([Schedule.exponential("250 millis"), Schedule.spaced("30 seconds")])
    })
    const now = elapsedMillis()
    if (isOver) {
      if (filled > 0) yield* Effect.logInfo("rows are filled", { fill: fill.name, filled })
      return undefined
    }
    if (now - toldAt > tellEveryMillis) {
      toldAt = now
      yield* Effect.logInfo("rows are being filled; the service runs meanwhile", { fill: fill.name, filled })
    }
    // Half of the time is left to payments.
    yield* Effect.sleep(now - begun)
  }
})

interface Slice {
  readonly place: string | null
  readonly count: number
}

/** In turn even with a process that has lost its connection, and the lock with it. */
const sliceOf = (sql: SqlClient.SqlClient, { key, lacks, name, set, table }: LaterFill) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* inTurn(sql)
      yield* sql`insert into later_fills (name) values (${name}) on conflict do nothing`
      const [known] = yield* sql<{ place: string | null; filled: number; is_over: boolean }>`
        select place, filled::float8 as filled, is_over from later_fills where name = ${name}`
      const { filled, is_over, place } = known!
      if (is_over) return { filled: 0, isOver: true }
      const [slice] = yield* sql.unsafe<Slice>(
        `with slice as (select ${key} as k from ${table}
            where ${place === null ? "true" : `${key} > $1::text`} order by ${key} limit ${sliceRows}),
          filled as (update ${table} t set ${set} from slice where t.${key} = slice.k and (${lacks}) returning 1)
        select (select max(k) from slice) as place, (select count(*)::float8 from filled) as count`,
        place === null ? [] : [place]
      )
      const { count, place: reached } = slice!
      yield* reached === null
        ? sql`update later_fills set is_over = true where name = ${name}`
        : sql`update later_fills set place = ${reached}, filled = filled + ${count}::float8::bigint
            where name = ${name}`
      return { filled: filled + count, isOver: reached === null }
    })
  )

const contract = (sql: SqlClient.SqlClient, { from, id, load, name }: Contraction, process: string | undefined) =>
  Effect.gen(function* () {
    if (yield* isThere(sql, id)) return undefined
    const made = withoutQueue(
      Effect.gen(function* () {
        if (yield* isThere(sql, id)) return undefined
        // No runner joins until this transaction ends.
        yield* sql`lock table runners in share row exclusive mode`
        const older = yield* olderThan(sql, from, process)
        if (older !== undefined) return `the migration ${id} (${name}) waits until ${older} has stopped`
        const { default: migration } = yield* Effect.promise(load)
        yield* migration
        yield* sql`insert into coffer_migrations (migration_id, name, readable_from)
          values (${id}::int4, ${name}, ${from}::int4)`
        yield* Effect.logInfo("the tables no longer have what only older versions used", { migration: `${id}_${name}` })
        return undefined
      })
    )
    // A look without locks first: the service may wait for days.
    const older = yield* olderThan(sql, from, process)
    return older === undefined ? yield* made : `the migration ${id} (${name}) waits until ${older} has stopped`
  })

const isThere = (sql: SqlClient.SqlClient, id: number) =>
  Effect.map(sql`select 1 from coffer_migrations where migration_id = ${id}::int4`, ({ length }) => length > 0)

/** A process that may be of a version that does not know this migration. */
export const olderThan = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  newest: number,
  process: string | undefined
) {
  const older = yield* Roster.olderThan(sql, newest)
  if (older !== undefined) return `the runner ${older.address} (version ${older.version})`
  const holder = yield* Tenancy.holderAlone(sql, process)
  return holder === undefined ? undefined : `the process ${holder}, which uses the database alone,`
})
