/**
 * `coffer migrate --check`: what a migration would do. Each one that is missing runs on empty copies of the tables, in
 * a schema of their own that is dropped afterwards. The locks that it then has on copies are those that it would take,
 * and a copy that has got another file is a table that it would rewrite. No table of the service is locked or changed.
 */
import { Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { olderThan } from "./laterSteps.ts"
import {
  appliedIn,
  ending,
  expectKnown,
  folder,
  isContraction,
  migrations,
  numberOf,
  readableFrom
} from "./migrationSteps.ts"
import { patiently } from "../runtime/patience.ts"

export interface PlannedLock {
  readonly table: string
  readonly bytes: number
  /** Whether reads wait for it, too. */
  readonly excludes_reads: boolean
  readonly rewrites: boolean
}

export interface Planned {
  readonly name: string
  /** The oldest program that works afterwards: 0 if any does, null if it is not known. */
  readonly from: number | null
  /** Those that hold up payments; undefined where it could not be tried on copies. */
  readonly locks: ReadonlyArray<PlannedLock> | undefined
  /** What a contraction waits for. */
  readonly waitsFor: string | undefined
}

export interface Missing {
  readonly name: string
  readonly from: number | null
  readonly load: () => Promise<{ readonly default: Effect.Effect<unknown, SqlError.SqlError, SqlClient.SqlClient> }>
}

const schema = "coffer_migration_check"

/** As the owner of the tables. Empty: nothing is missing. */
export const planOf = Effect.fnUntraced(
  function* (missing: ReadonlyArray<Missing>) {
    if (missing.length === 0) return []
    const sql = yield* SqlClient.SqlClient
    const drop = sql.unsafe(`drop schema if exists ${schema} cascade`)
    yield* drop
    yield* Effect.addFinalizer(() => Effect.ignore(drop))
    const copied = yield* Effect.isSuccess(copyTables(sql))
    return yield* Effect.forEach(missing, ({ from, load, name }) =>
      Effect.gen(function* () {
        const { default: migration } = yield* Effect.promise(load)
        const locks = copied ? yield* Effect.orElseSucceed(locksOf(sql, migration), () => undefined) : undefined
        const id = numberOf(name)
        const waitsFor = from !== null && from > 0 && from < id ? yield* olderThan(sql, from, undefined) : undefined
        return { name, from, locks, waitsFor }
      })
    )
  },
  Effect.scoped,
  patiently("10 minutes")
)

export const plan = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* expectKnown(sql)
  const done = new Set((yield* appliedIn(sql)).map(({ id }) => id))
  // In a new database there is nothing to lock.
  const missing = done.size === 0 ? [] : migrations.filter((name) => !done.has(numberOf(name)))
  return yield* planOf(
    missing.map((name) => ({
      name,
      from: readableFrom[numberOf(name)] ?? null,
      load: () => import(new URL(`${name}${ending}`, folder).href)
    }))
  )
})

const copyTables = (sql: SqlClient.SqlClient) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql.unsafe(`create schema ${schema}`)
      yield* sql.unsafe(`do $$ declare t record; begin
        for t in select c.oid::regclass as name, c.relname from pg_class c where c.relkind in ('r', 'p')
          and not c.relispartition and c.relnamespace = current_schema()::regnamespace
        loop execute format('create table ${schema}.%I (like %s including all)', t.relname, t.name); end loop;
      end $$`)
    })
  )

const filesOf = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ table: string; file: number }>`select relname as table, relfilenode::int8::float8 as file from pg_class
      where relnamespace = to_regnamespace(${schema}) and relkind = 'r'`,
    (rows) => new Map(rows.map(({ file, table }) => [table, file]))
  )

/** Only the copies are found by their names, so nothing else can be changed. */
const locksOf = (sql: SqlClient.SqlClient, migration: Effect.Effect<unknown, SqlError.SqlError, SqlClient.SqlClient>) =>
  sql.withTransaction(
    Effect.gen(function* () {
      const [place] = yield* sql<{ name: string }>`select current_schema() as name`
      const before = yield* filesOf(sql)
      yield* sql.unsafe(`set local search_path to ${schema}`)
      yield* migration
      const found = yield* sql<Omit<PlannedLock, "rewrites">>`
        select c.relname as table, bool_or(l.mode = 'AccessExclusiveLock') as excludes_reads,
          coalesce(
            (select sum(pg_total_relation_size(relid))
              from pg_partition_tree(to_regclass(format('%I.%I', ${place!.name}::text, c.relname)))),
            pg_total_relation_size(to_regclass(format('%I.%I', ${place!.name}::text, c.relname))))::float8 as bytes
        from pg_locks l join pg_class c on c.oid = l.relation
        where l.pid = pg_backend_pid() and l.granted and c.relkind = 'r'
          and c.relnamespace = to_regnamespace(${schema})
          and l.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
        group by c.relname order by c.relname`
      const after = yield* filesOf(sql)
      return found
        .filter(({ table }) => before.has(table))
        .map((lock) => ({ ...lock, rewrites: after.get(lock.table) !== before.get(lock.table) }))
    })
  )

const sizeText = (bytes: number) =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${Math.round(bytes / 1_000_000).toLocaleString("en")} MB`

/** Postgres rewrites a table with its indexes at some 30 MB a second on an ordinary disk. */
const bytesPerSecond = 30_000_000

const lockText = ({ bytes, excludes_reads, rewrites, table }: PlannedLock) => {
  const what = excludes_reads ? "reads and writes" : "writes"
  const time = rewrites
    ? `for some ${Math.ceil(bytes / bytesPerSecond)} s, since it rewrites the table`
    : "for a moment"
  return `  ${table} (${sizeText(bytes)}): ${what} wait ${time}`
}

const wayBackText = ({ from, name }: Planned) => {
  if (from === 0) return "  the way back stays open: programs without it start and work"
  return from === null || from >= numberOf(name)
    ? "  it closes the way back: programs without it do not start any more"
    : `  it closes the way back to programs that do not know the migration ${from}`
}

const whenText = ({ from, name, waitsFor }: Planned) => {
  if (!isContraction(numberOf(name), from)) return []
  return [`  it is made beside the service${waitsFor === undefined ? "" : `, once ${waitsFor} has stopped`}`]
}

/** Lines for people. */
export const planText = (planned: ReadonlyArray<Planned>): ReadonlyArray<string> =>
  planned.length === 0
    ? ["No migration is missing."]
    : planned.flatMap((each) => [
        each.name,
        ...whenText(each),
        ...(each.locks === undefined
          ? ["  its locks are not known: it could not be tried on empty copies of the tables"]
          : each.locks.length === 0
            ? ["  it holds up no reads and no writes"]
            : each.locks.map(lockText)),
        wayBackText(each)
      ])
