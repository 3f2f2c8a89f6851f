/**
 * Brings the database to this program's shape. Forward only; N runners may start together, one migrates. With an
 * owner's address the service migrates as the owner, and gives its own role the rights it needs. Without one it
 * migrates if its role owns the tables, and otherwise only checks whether they are as this version needs them.
 */
import { readdirSync } from "node:fs"
import path from "node:path"
import { Context, Effect, Layer, type Redacted, Schedule, Schema } from "effect"
import { SqlRunnerStorage } from "effect/cluster"
import { Migrator, SqlClient, type SqlError } from "effect/sql"
import { databaseProblem } from "./databaseProblem.ts"
import { grantTo } from "./grants.ts"
import { laterIndexes, makeBesideService, makeIndexes, makeOfEmptyTables } from "./laterIndexes.ts"
import { ledgerRights } from "./ledgerRights.ts"
import * as Postgres from "./Postgres.ts"
import { patiently } from "../runtime/patience.ts"
import { onRealTime } from "../runtime/realTime.ts"
import { troubleOf } from "./trouble.ts"

/** A migration may rewrite a table, and another runner's may have to end first. */
const patience = "1 hour"
/**
 * All other statements queue behind one that waits for a lock: payments, too, until a dump ends. So a migration waits
 * for a lock as long as a payment does, releases all of its locks, and retries after this.
 */
const pause = "2 seconds"

/** A bundle or a package of the program has this folder beside the file that came from this one. */
const folder = new URL("./migrations/", import.meta.url)
const ending = path.extname(import.meta.url)

/** The files of `migrations/` without their ending, by their numbers: `0191_access`. */
export const migrations: ReadonlyArray<string> = readdirSync(folder)
  .filter((file) => path.extname(file) === ending)
  .map((file) => path.parse(file).name)
  .toSorted()

/** The address of the tables' owner; undefined where the service's own role is the one that migrates, if any. */
export const Owner = Context.Reference<Redacted.Redacted | undefined>("@coffer/platform/Migrator/Owner", {
  defaultValue: () => undefined
})

/** Why the database cannot be migrated, for people. */
export class NotMigrated extends Schema.TaggedError<NotMigrated>()("NotMigrated", { message: Schema.String }) {}

/** The newest migration that this program knows. */
export const newestMigration = Number.parseInt(migrations.at(-1)!, 10)

/**
 * The first migrations make in one step what those up to this number made in many (docs/decisions/0232). The program of
 * this commit has those, and a database that has all of them has the tables of the first ones.
 */
export const joined = { newest: 182, commit: "83dc91f323870f019854452dc153e26af4bff6da" }
export const baseline = migrations.filter((name) => Number.parseInt(name, 10) <= 197)

/** Only migrations that the database lacks are loaded. */
export const migrateWith = (some: ReadonlyArray<string>) => {
  const files = some.map((name) => {
    const file = `${name}${ending}`
    return [file, () => import(new URL(file, folder).href)] as const
  })
  return Migrator.make({})({
    table: "coffer_migrations",
    loader: Migrator.fromGlob(Object.fromEntries(files))
  }).pipe(patiently(patience))
}

/** Ours, and those of the cluster's register of runners, so that no start needs to make a table. */
export const migrate = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* takeBaseline(sql)
  yield* expectKnown(sql)
  const applied = (yield* newestIn(sql, "coffer_migrations")) < newestMigration ? yield* migrateWith(migrations) : []
  const loader = SqlRunnerStorage.migrations({})
  const newest = Math.max(...(yield* loader).map(([id]) => id))
  if ((yield* newestIn(sql, "cluster_runner_migrations")) < newest) {
    yield* Migrator.make({})({ table: "cluster_runner_migrations", loader })
  }
  return applied
}).pipe(patiently(patience))

/** A database with all joined migrations equals the baseline. */
const takeBaseline = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  if ((yield* newestIn(sql, "coffer_migrations")) !== joined.newest) return
  yield* sql`delete from coffer_migrations`
  yield* Effect.forEach(baseline, (name) => {
    const [, number, rest] = /^(\d+)_(.*)$/.exec(name)!
    return sql`insert into coffer_migrations (migration_id, name) values (${Number(number)}, ${rest})`
  })
})

/** The library locks its table before it looks. A start that has nothing to migrate would wait for a dump to end. */
const newestIn = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, table: string) {
  const [there] = yield* sql<{ readonly is: boolean }>`select to_regclass(${table}) is not null as is`
  if (!there!.is) return 0
  const [row] = yield* sql<{ readonly newest: number }>`
    select coalesce(max(migration_id), 0)::int4 as newest from ${sql(table)}`
  return row!.newest
})

/** As the owner: both, or nothing, so that no migrated table is without its grants. */
export const migrateFor = (role: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql
      .withTransaction(
        Effect.andThen(
          inTurn(sql),
          Effect.tap(migrate, () => grantTo(sql, role))
        )
      )
      .pipe(patiently(patience))
  )

/**
 * Concurrent migrators would fail on the same rows of the catalogue. A session may remember from before the wait that a
 * table is not there, and forgets that when it opens any table.
 */
const inTurn = (sql: SqlClient.SqlClient) =>
  Effect.andThen(
    sql`select pg_advisory_xact_lock(hashtext('coffer migrations'))`,
    sql`select relname from pg_class limit 1`
  )

/** Takes its locks within a second, or releases all, logs who has them, and retries. */
const withoutQueue = <A, E, R>(migrating: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { url } = yield* Postgres.Pool
    const watch = Postgres.layer({ url, connections: 1, name: "coffer-migrate-watch", watched: false })
    const watcher = Context.get(yield* Layer.build(watch), SqlClient.SqlClient)
    const sql = yield* SqlClient.SqlClient
    let [holders, logged] = ["another session", ""]
    const watching = (pid: number) =>
      holdersBefore(watcher, pid).pipe(
        Effect.tap((found) => Effect.sync(() => void (holders = found ?? holders))),
        Effect.ignore,
        Effect.repeat(Schedule.spaced(lookEvery)),
        Effect.andThen(Effect.never)
      )
    const tellOnce = Effect.suspend(() => {
      if (logged === holders) return Effect.void
      logged = holders
      return Effect.logWarning(
        `the migration waits for a lock that ${holders} holds; it is retried for ${patience} at most`
      )
    })
    const attempt = sql
      .withTransaction(
        Effect.flatMap(sql<{ readonly pid: number }>`select pg_backend_pid() as pid`, ([row]) =>
          Effect.raceFirst(Effect.andThen(inTurn(sql), migrating), watching(row!.pid))
        )
      )
      .pipe(
        patiently(patience),
        Effect.tapError((error) => (isLocked(error) ? tellOnce : Effect.void))
      )
    return yield* Effect.retry(attempt, {
      while: isLocked,
      schedule: Schedule.spaced(pause).pipe(Schedule.upTo({ duration: patience }))
    }).pipe(
      Effect.catchIf(isLocked, () =>
        notMigrated(`The database could not be migrated within ${patience}: ${holders} holds a lock.`)
      )
    )
  }).pipe(Effect.scoped, onRealTime)

/** More often than a wait for a lock ends. */
const lookEvery = "250 millis"

/** The sessions for which this one waits, as text; not those that wait themselves. */
const holdersBefore = (sql: SqlClient.SqlClient, pid: number) =>
  Effect.map(
    sql<{ readonly pid: number; readonly name: string; readonly role: string | null }>`
      select pid, coalesce(nullif(application_name, ''), 'a session without a name') as name, usename as role
      from pg_stat_activity where pid = any (pg_blocking_pids(${pid}))
        and wait_event_type is distinct from 'Lock' order by pid`,
    (rows) =>
      rows.length === 0
        ? undefined
        : rows.map(({ name, pid, role }) => `pid ${pid} (${name}${role === null ? "" : ` of ${role}`})`).join(", ")
  )

const isLocked = (error: unknown): boolean =>
  troubleOf(error) === "locked" || (error instanceof Migrator.MigrationError && troubleOf(error.cause) === "locked")

/** `waits`: for the indexes of large tables, too. They are made beside the service otherwise. */
const make = (waits: boolean) =>
  Effect.gen(function* () {
    const owner = yield* Owner
    const sql = yield* SqlClient.SqlClient
    const ofEmptyTables = makeOfEmptyTables(laterIndexes)
    const indexing = waits ? Effect.andThen(ofEmptyTables, makeIndexes(laterIndexes)) : ofEmptyTables
    const later = waits ? Effect.void : makeBesideService(laterIndexes)
    if (owner !== undefined) {
      yield* tell(yield* migrateAs(owner, indexing))
      yield* Effect.forkScoped(asOwner(owner, later))
    } else if (yield* mayMigrate(sql)) {
      yield* tell(yield* Effect.tap(withoutQueue(migrate), indexing))
      yield* Effect.forkScoped(later)
    } else yield* expectMigrated(sql)
    const why = yield* ledgerRights(sql)
    if (why === undefined) return
    yield* Effect.logWarning(
      "the service's role in Postgres could change the ledger and the audit log: give it its own"
    ).pipe(Effect.annotateLogs({ why, see: "docs/operating.md" }))
  })

export const layer = Layer.effectDiscard(make(false))
/** For `coffer migrate`, after which no index is missing. */
export const layerWaiting = Layer.effectDiscard(make(true))

/** On one connection of the owner's. */
const asOwner = <A, E>(url: Redacted.Redacted, effect: Effect.Effect<A, E, SqlClient.SqlClient | Postgres.Pool>) =>
  Effect.scoped(
    Effect.flatMap(
      Layer.build(Postgres.layer({ url, connections: 1, name: "coffer-migrate", watched: false })),
      (own) => Effect.provideContext(effect, Context.pick(SqlClient.SqlClient, Postgres.Pool)(own))
    )
  )

/** A failure of the service's own connection must not name the owner's address. */
const migrateAs = Effect.fnUntraced(function* (
  url: Redacted.Redacted,
  indexing: Effect.Effect<unknown, SqlError.SqlError, SqlClient.SqlClient>
) {
  const service = yield* SqlClient.SqlClient
  const [row] = yield* service<{ readonly role: string }>`select current_user as role`
  const { role } = row!
  const migrating = Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.flatMap(sql<{ readonly same: boolean }>`select current_user = ${role} as same`, ([is]) =>
      Effect.tap(withoutQueue(is!.same ? migrate : migrateFor(role)), indexing)
    )
  )
  return yield* Effect.catchTags(asOwner(url, migrating), {
    SqlError: (error) => notMigrated(databaseProblem(url, error, "MIGRATION_DATABASE_URL"))
  })
})

const notMigrated = (message: string) => Effect.fail(new NotMigrated({ message }))

/** Whether the connection's role owns the tables, or may make them where there are none. */
export const mayMigrate = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly may: boolean }>`select coalesce(
        (select pg_has_role(relowner, 'usage') from pg_class where oid = to_regclass('coffer_migrations')),
        has_schema_privilege(current_schema(), 'create'), false) as may`,
    ([row]) => row!.may
  )

/** The library's migrator compares only the newest number: it would start with unknown migrations. */
const expectKnown = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const [there] = yield* sql<{ readonly is: boolean }>`select to_regclass('coffer_migrations') is not null as is`
  if (!there!.is) return
  const rows = yield* sql<{ readonly id: number; readonly name: string }>`
    select migration_id::int4 as id, name from coffer_migrations order by migration_id`
  const problem = mismatch(rows, migrations)
  if (problem !== undefined) return yield* notMigrated(problem)
})

/** `applied`: by their numbers. `known`: names of migrations with their numbers in front. */
export const mismatch = (
  applied: ReadonlyArray<{ readonly id: number; readonly name: string }>,
  known: ReadonlyArray<string>
): string | undefined => {
  const names = new Map(known.map((name) => [Number.parseInt(name, 10), name]))
  const stranger = applied.find(({ id }) => !names.has(id))
  if (stranger !== undefined && stranger.id <= joined.newest) {
    return applied.at(-1)!.id === joined.newest
      ? `The database has migrations that newer versions have joined into one. ${setOwner}`
      : "The database is older than the oldest one that this version migrates. " +
          `Start the program of the commit ${joined.commit} once, and then this one.`
  }
  if (stranger !== undefined) {
    return (
      `The database has the migration ${stranger.id} (${stranger.name}), which this version of the program does not ` +
      "know. Start the version that made it, or a newer one."
    )
  }
  const newest = applied.at(-1)?.id ?? 0
  const done = new Set(applied.map(({ id }) => id))
  const skipped = [...names].find(([id]) => id < newest && !done.has(id))
  return skipped === undefined
    ? undefined
    : `The migration ${skipped[1]} was never applied to this database, but newer ones were. ` +
        "Restore an earlier backup, or contact the maker of this version."
}

const expectMigrated = Effect.fnUntraced(
  function* (sql: SqlClient.SqlClient) {
    const [there] = yield* sql<{ readonly is: boolean; readonly readable: boolean }>`
    select oid is not null as is, coalesce(has_table_privilege(oid, 'select'), false) as readable
    from to_regclass('coffer_migrations') oid`
    if (!there!.is)
      return yield* notMigrated(`The database has no tables yet, and this role can't create them. ${setOwner}`)
    if (!there!.readable) return yield* notMigrated(`This role has no permissions on the tables yet. ${setOwner}`)
    yield* expectKnown(sql)
    const [row] = yield* sql<{ readonly newest: number }>`
    select coalesce(max(migration_id), 0)::int4 as newest from coffer_migrations`
    const missing = migrations.filter((name) => Number.parseInt(name, 10) > row!.newest)
    if (missing.length === 0) return
    return yield* notMigrated(
      `The database needs ${missing.length === 1 ? "the migration" : "the migrations"} ${missing.join(", ")}, ` +
        `and this role does not own its tables. ${setOwner}`
    )
  },
  patiently(patience, patience)
)

const setOwner =
  "Run coffer migrate, or set MIGRATION_DATABASE_URL, with the role that owns the tables (docs/operating.md)."

const tell = (applied: ReadonlyArray<readonly [id: number, name: string]>) => {
  if (applied.length === 0) return Effect.void
  // A new database is not worth a log line, and the first start on a laptop shows a banner instead.
  const log = applied.length === migrations.length ? Effect.logDebug : Effect.logInfo
  return log("database migrated", { applied: applied.map(([, name]) => name) })
}
