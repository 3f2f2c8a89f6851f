/**
 * Brings the database to this program's shape. Forward only; N runners may start together, one migrates. With an
 * owner's address the service migrates as the owner, and gives its own role the rights it needs. Without one it
 * migrates if its role owns the tables, and otherwise only checks whether they are as this version needs them.
 */
import { Context, Effect, Layer, Metric, type Redacted, Schedule } from "effect"
import { SqlRunnerStorage } from "effect/cluster"
import { Migrator, SqlClient, type SqlError } from "effect/sql"
import { databaseProblem } from "./databaseProblem.ts"
import { grantTo } from "./grants.ts"
import { laterIndexes, makeBesideService, makeIndexes, makeOfEmptyTables } from "./laterIndexes.ts"
import { ownSteps, takeSteps } from "./laterSteps.ts"
import { ledgerRights } from "./ledgerRights.ts"
import {
  type Applied,
  appliedIn,
  baseline,
  ending,
  expectKnown,
  folder,
  isContraction,
  joined,
  migrations,
  notMigrated,
  numberOf,
  readableFrom,
  setOwner,
  unknownOf
} from "./migrationSteps.ts"
import * as Postgres from "./Postgres.ts"
import { ProcessName } from "./processName.ts"
import { patiently } from "../runtime/patience.ts"
import { onRealTime } from "../runtime/realTime.ts"
import { inTurn, migrationPatience as patience, withoutQueue } from "./withoutQueue.ts"

/** The address of the tables' owner; undefined where the service's own role is the one that migrates, if any. */
export const Owner = Context.Reference<Redacted.Redacted | undefined>("@coffer/platform/Migrator/Owner", {
  defaultValue: () => undefined
})

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

/** Those that a start makes. Contractions wait until no older program runs (`laterSteps.ts`). */
const ofStart = migrations.filter((name) => !isContraction(numberOf(name)))
const newestOfStart = numberOf(ofStart.at(-1)!)

/**
 * Ours, and those of the cluster's register of runners, so that no start needs to make a table. A new database gets all
 * at once, any other one the next that it lacks: each has a transaction of its own, whose locks end with it.
 */
export const migrate = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* takeBaseline(sql)
  const known = yield* expectKnown(sql)
  const newest = known.at(-1)?.id ?? 0
  const next = ofStart.find((name) => numberOf(name) > newest)
  const some = newest === 0 ? ofStart : ofStart.filter((name) => numberOf(name) <= numberOf(next ?? ofStart[0]!))
  const applied = next === undefined ? [] : yield* migrateWith(some)
  if (newestOfStart >= firstWithSteps) yield* noteSteps(sql, applied)
  const loader = SqlRunnerStorage.migrations({})
  const newestOfCluster = Math.max(...(yield* loader).map(([id]) => id))
  if ((yield* newestIn(sql, "cluster_runner_migrations")) < newestOfCluster) {
    yield* Migrator.make({})({ table: "cluster_runner_migrations", loader })
  }
  return applied
}).pipe(patiently(patience))

/** The migration that adds the column for it. */
const firstWithSteps = 220

const noteSteps = (sql: SqlClient.SqlClient, applied: Applications) => {
  const ids = applied.map(([id]) => id).filter((id) => readableFrom[id] !== undefined)
  return Effect.forEach(
    ids,
    (id) =>
      sql`update coffer_migrations set readable_from = ${readableFrom[id]!}::int4 where migration_id = ${id}::int4`,
    { discard: true }
  )
}

type Applications = ReadonlyArray<readonly [id: number, name: string]>

/** One after the other, until none is missing. */
const inSteps = <E, R>(step: Effect.Effect<Applications, E, R>) =>
  Effect.gen(function* () {
    const all: Array<Applications[number]> = []
    while (true) {
      const applied = yield* withoutQueue(step)
      all.push(...applied)
      if (applied.length === 0 || applied.at(-1)![0] >= newestOfStart) return all
    }
  })

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
          // A newer program has granted what its tables need.
          Effect.tap(migrate, () =>
            Effect.flatMap(appliedIn(sql), (applied) =>
              unknownOf(applied).length > 0 ? Effect.void : grantTo(sql, role)
            )
          )
        )
      )
      .pipe(patiently(patience))
  )

/**
 * `waits`: for the indexes of large tables and the rows to fill, too. They are made beside the service otherwise. A
 * program that is older than the tables leaves them as they are.
 */
const make = (waits: boolean) =>
  Effect.gen(function* () {
    const owner = yield* Owner
    const sql = yield* SqlClient.SqlClient
    const may = owner !== undefined || (yield* mayMigrate(sql))
    if (!may) yield* expectMigrated(sql)
    else yield* tell(yield* owner === undefined ? inSteps(migrate) : migrateAs(owner))
    const ahead = unknownOf(yield* appliedIn(sql))
    yield* Metric.update(migrationsAhead, ahead.length)
    if (ahead.length > 0) yield* tellAhead(ahead)
    else if (may) {
      const run = <A, E>(effect: OfTables<A, E>) => (owner === undefined ? effect : asOwner(owner, effect))
      yield* run(makeOfEmptyTables(laterIndexes))
      if (waits)
        yield* Effect.andThen(run(makeIndexes(laterIndexes)), Effect.flatMap(run(takeSteps(ownSteps)), tellLeft))
      else yield* Effect.forkScoped(Effect.andThen(run(makeBesideService(laterIndexes)), takeBesideService(run)))
    }
    const why = yield* ledgerRights(sql)
    if (why === undefined) return
    yield* Effect.logWarning(
      "the service's role in Postgres could change the ledger and the audit log: give it its own"
    ).pipe(Effect.annotateLogs({ why, see: "docs/operating.md" }))
  })

type OfTables<A, E> = Effect.Effect<A, E, SqlClient.SqlClient | Postgres.Pool>

/** Until nothing is left. A connection of the owner's is open while something is done, not while it waits. */
type Run = <A, E>(
  effect: OfTables<A, E>
) => Effect.Effect<A, E | SqlError.SqlError, SqlClient.SqlClient | Postgres.Pool>

const takeBesideService = (run: Run) =>
  Effect.gen(function* () {
    const process = yield* ProcessName
    let lastReason: string | undefined
    const look = run(takeSteps(ownSteps, process)).pipe(
      Effect.tap((left) => (left === undefined || left === lastReason ? Effect.void : tellLeft((lastReason = left)))),
      Effect.catchCause((cause) => Effect.as(Effect.logWarning("a step of the migration is tried again", cause), "")),
      onRealTime
    )
    const isNothing = ownSteps.fills.length + ownSteps.contractions.length === 0
    if (isNothing) return
    yield* Effect.repeat(look, { until: (left) => left === undefined, schedule: Schedule.spaced(lookAgainEvery) })
  })

const lookAgainEvery = "10 seconds"

const tellLeft = (left: string | undefined) =>
  left === undefined ? Effect.void : Effect.logInfo(`the upgrade is not complete: ${left}`)

const migrationsAhead = Metric.gauge("coffer_migrations_ahead", {
  description: "Migrations of newer versions that the database has; this program works with them"
})

const tellAhead = (ahead: ReadonlyArray<Applied>) =>
  Effect.logWarning(
    "the database has migrations of a newer version, with which this one works; start the newer one soon"
  ).pipe(Effect.annotateLogs({ migrations: ahead.map(({ id, name }) => `${id}_${name}`).join(", ") }))

export const layer = Layer.effectDiscard(make(false))
/** For `coffer migrate`, after which no index is missing. */
export const layerWaiting = Layer.effectDiscard(make(true))

/** On one connection of the owner's. */
export const asOwner = <A, E>(
  url: Redacted.Redacted,
  effect: Effect.Effect<A, E, SqlClient.SqlClient | Postgres.Pool>
) =>
  Effect.scoped(
    Effect.flatMap(
      Layer.build(Postgres.layer({ url, connections: 1, name: "coffer-migrate", watched: false })),
      (own) => Effect.provideContext(effect, Context.pick(SqlClient.SqlClient, Postgres.Pool)(own))
    )
  )

/** A failure of the service's own connection must not name the owner's address. */
const migrateAs = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const service = yield* SqlClient.SqlClient
  const [row] = yield* service<{ readonly role: string }>`select current_user as role`
  const { role } = row!
  const migrating = Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.flatMap(sql<{ readonly same: boolean }>`select current_user = ${role} as same`, ([is]) =>
      inSteps(is!.same ? migrate : migrateFor(role))
    )
  )
  return yield* Effect.catchTags(asOwner(url, migrating), {
    SqlError: (error) => notMigrated(databaseProblem(url, error, "MIGRATION_DATABASE_URL"))
  })
})

/** Whether the connection's role owns the tables, or may make them where there are none. */
export const mayMigrate = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly may: boolean }>`select coalesce(
        (select pg_has_role(relowner, 'usage') from pg_class where oid = to_regclass('coffer_migrations')),
        has_schema_privilege(current_schema(), 'create'), false) as may`,
    ([row]) => row!.may
  )

/** Fails with what the database lacks, for people. */
export const expectMigrated = Effect.fnUntraced(
  function* (sql: SqlClient.SqlClient) {
    const [there] = yield* sql<{ readonly is: boolean; readonly readable: boolean }>`
    select oid is not null as is, coalesce(has_table_privilege(oid, 'select'), false) as readable
    from to_regclass('coffer_migrations') oid`
    if (!there!.is)
      return yield* notMigrated(`The database has no tables yet, and this role can't create them. ${setOwner}`)
    if (!there!.readable) return yield* notMigrated(`This role has no permissions on the tables yet. ${setOwner}`)
    const known = yield* expectKnown(sql)
    const missing = ofStart.filter((name) => numberOf(name) > (known.at(-1)?.id ?? 0))
    if (missing.length === 0) return
    return yield* notMigrated(
      `The database needs ${missing.length === 1 ? "the migration" : "the migrations"} ${missing.join(", ")}, ` +
        `and this role does not own its tables. ${setOwner}`
    )
  },
  patiently(patience, patience)
)

const tell = (applied: ReadonlyArray<readonly [id: number, name: string]>) => {
  if (applied.length === 0) return Effect.void
  // A new database is not worth a log line, and the first start on a laptop shows a banner instead.
  const log = applied.length === ofStart.length ? Effect.logDebug : Effect.logInfo
  return log("database migrated", { applied: applied.map(([, name]) => name) })
}
