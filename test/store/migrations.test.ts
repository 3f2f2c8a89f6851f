/** A program and a database that do not fit together: nothing is migrated, and the start gives the reason. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Layer, Logger, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { type LaterIndex, makeIndexes } from "../../src/platform/postgres/laterIndexes.ts"
import { baseline, joined, migrations, newestMigration } from "../../src/platform/postgres/migrationSteps.ts"
import * as Migrator from "../../src/platform/postgres/Migrator.ts"
import * as Postgres from "../../src/platform/postgres/Postgres.ts"
import { Pauses } from "../../src/platform/postgres/withoutQueue.ts"
import { lockMillis } from "../../src/platform/runtime/patience.ts"
import { eventually } from "../kit/Process.ts"
import { asOwner, freshDatabase, ownersConnection } from "../kit/Service.ts"

const starts = (url: string) =>
  Effect.exit(
    Effect.scoped(
      Layer.build(
        Migrator.layer.pipe(
          Layer.provide(Postgres.layer({ url: Redacted.make(url), connections: 1, name: "test", watched: false }))
        )
      )
    )
  )

/** The refusals of the tables' owner, and of the service's role, which migrates nothing. */
const refusals = Effect.fnUntraced(function* (change: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, unknown>) {
  const url = yield* freshDatabase
  yield* change(yield* ownersConnection(url))
  const exits = yield* Effect.forEach([asOwner(url), url], starts)
  return exits.map((exit) => (exit._tag === "Failure" ? JSON.stringify(exit.cause) : "started"))
})

describe("a start is refused", () => {
  it.live("when the database has a migration that this version does not know", () =>
    Effect.gen(function* () {
      const said = yield* refusals(
        (sql) => sql`insert into coffer_migrations (migration_id, name) values (9999, 'of_the_future')`
      )
      for (const each of said) assert.include(each, "has the migration 9999 (of_the_future), which this version")
    })
  )

  it.live("when a migration below the newest was never applied, which the library would skip", () =>
    Effect.gen(function* () {
      const said = yield* refusals((sql) => sql`delete from coffer_migrations where migration_id = 193`)
      for (const each of said) assert.include(each, "The migration 0193_money was never applied")
    })
  )

  it.live(
    "when its migrations are older than those that were joined, and it is told which program to start first",
    () =>
      Effect.gen(function* () {
        const said = yield* refusals((sql) => sql`update coffer_migrations set migration_id = migration_id - 190`)
        for (const each of said) assert.include(each, `Start the program of the commit ${joined.commit} once`)
      })
  )

  it.live("by nothing else: owner and service start on what this version has migrated", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* refusals(() => Effect.void), ["started", "started"])
    })
  )
})

describe("a database that has all migrations that were joined", () => {
  const ofBefore = Effect.gen(function* () {
    const url = yield* freshDatabase
    const sql = yield* ownersConnection(url)
    yield* sql`drop schema public cascade`
    yield* sql`create schema public`
    yield* Effect.provideService(Migrator.migrateWith(baseline), SqlClient.SqlClient, sql)
    yield* sql`grant usage on schema public to coffer_app`
    yield* sql`grant select on coffer_migrations to coffer_app`
    yield* sql`delete from coffer_migrations`
    yield* sql`insert into coffer_migrations (migration_id, name)
      values (1, 'main_job'), (${joined.newest}, 'the_last')`
    return { url, sql }
  })

  it.live("is taken for one that the baseline made, and nothing is made twice", () =>
    Effect.gen(function* () {
      const { url, sql } = yield* ofBefore
      assert.strictEqual((yield* starts(asOwner(url)))._tag, "Success")
      const rows = yield* sql<{ readonly id: number }>`
        select migration_id::int4 as id from coffer_migrations order by migration_id`
      assert.deepStrictEqual(
        rows.map(({ id }) => id),
        migrations.map((name) => Number.parseInt(name, 10))
      )
    })
  )

  it.live("refuses a start of the service's role, which says who brings it forward", () =>
    Effect.gen(function* () {
      const { url } = yield* ofBefore
      assert.include(JSON.stringify(yield* starts(url)), "Run coffer migrate")
    })
  )
})

describe("ten that start at the same time", () => {
  it.live("migrate a new database once, and all start", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const sql = yield* ownersConnection(url)
      yield* sql`drop schema public cascade`
      yield* sql`create schema public`
      const exits = yield* Effect.forEach(Array.from({ length: 10 }), () => starts(asOwner(url)), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(
        exits.filter(Exit.isFailure).map(({ cause }) => Cause.pretty(cause)),
        []
      )
      const rows = yield* sql`select migration_id from coffer_migrations`
      assert.strictEqual(rows.length, migrations.length)
    })
  )
})

for (const [who, table] of [
  ["the owner", "coffer_migrations"],
  ["the owner", "cluster_runner_migrations"],
  ["the service's role", "coffer_migrations"]
] as const) {
  it.live(`a start of ${who} waits for as long as another one holds ${table}`, () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const sql = yield* ownersConnection(url)
      const probe = yield* ownersConnection(url)
      const lock = `lock table ${table} in access exclusive mode`
      const waiting = yield* sql.unsafe(lock).pipe(
        Effect.andThen(Effect.forkScoped(starts(who === "the owner" ? asOwner(url) : url))),
        Effect.tap(() =>
          eventually(
            "the start to wait",
            Effect.map(
              probe`select from pg_locks where relation = ${table}::regclass and not granted`,
              (rows) => rows.length > 0
            )
          )
        ),
        // A statement of the service times out after this. The start has waited for longer when this one times out.
        Effect.tap(() =>
          Effect.flip(
            probe.withTransaction(
              Effect.andThen(probe.unsafe(`set local lock_timeout = ${lockMillis * 2}`), probe.unsafe(lock))
            )
          )
        ),
        sql.withTransaction
      )
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "Success")
    })
  )
}

describe("an index of a large table", () => {
  const later = [{ name: "test_later", on: "orders (out_trade_no, created_at)" }]
  const making = (url: string, indexes: ReadonlyArray<LaterIndex> = later) =>
    Effect.provide(
      makeIndexes(indexes),
      Postgres.layer({ url: Redacted.make(asOwner(url)), connections: 2, name: "test", watched: false })
    )
  const isThere = (sql: SqlClient.SqlClient) =>
    Effect.map(
      sql<{ readonly valid: boolean }>`select indisvalid as valid from pg_index
        where indexrelid = to_regclass('test_later')`,
      ([row]) => row?.valid === true
    )

  it.live("is made after the migrations and holds up no write, though an older transaction holds it up", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const [sql, older] = [yield* ownersConnection(url), yield* ownersConnection(url)]
      const begun = yield* Deferred.make<void>()
      const end = yield* Deferred.make<void>()
      yield* Effect.forkScoped(
        older.withTransaction(
          Effect.gen(function* () {
            yield* older`set local idle_in_transaction_session_timeout = 0`
            yield* older`lock table orders in row exclusive mode`
            yield* Deferred.succeed(begun, undefined)
            yield* Deferred.await(end)
          })
        )
      )
      yield* Deferred.await(begun)
      const fiber = yield* Effect.forkScoped(making(url))
      yield* eventually(
        "Postgres to wait for the older transaction",
        Effect.map(
          sql`select 1 from pg_stat_progress_create_index where datname = current_database() and phase like 'waiting%'`,
          ({ length }) => length > 0
        )
      )
      yield* sql.withTransaction(sql`lock table orders in row exclusive mode`)
      assert.isFalse(yield* isThere(sql))
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(fiber)
      assert.isTrue(yield* isThere(sql))
    })
  )

  it.live("takes the place of the one that it replaces", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const sql = yield* ownersConnection(url)
      yield* sql`create index test_before on orders (created_at)`
      yield* making(url, [{ ...later[0]!, replaces: "test_before" }])
      assert.isTrue(yield* isThere(sql))
      assert.deepStrictEqual(yield* sql`select to_regclass('test_before') as before`, [{ before: null }])
    })
  )

  it.live("takes that place at the next start, where one ended between the two", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const sql = yield* ownersConnection(url)
      yield* sql`create index test_before on orders (created_at)`
      yield* sql`create index test_later on orders (out_trade_no, created_at)`
      yield* making(url, [{ ...later[0]!, replaces: "test_before" }])
      assert.isTrue(yield* isThere(sql))
      assert.deepStrictEqual(yield* sql`select to_regclass('test_before') as before`, [{ before: null }])
    })
  )

  it.live("of a table in days is complete once each day that there was and each of later has its own", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const sql = yield* ownersConnection(url)
      yield* sql`select open_log_day('api_logs', date '2026-01-01'), open_log_day('api_logs', date '2026-01-02')`
      const wanted = [{ name: "test_later", on: "api_logs (request_id, created_at)" }]
      // As if a start had ended between two days.
      yield* sql`create index test_later on only api_logs (request_id, created_at)`
      yield* sql`create index api_logs_20260101_test_later on api_logs_20260101 (request_id, created_at)`
      yield* sql`alter index test_later attach partition api_logs_20260101_test_later`
      assert.isFalse(yield* isThere(sql))
      yield* making(url, wanted)
      assert.isTrue(yield* isThere(sql))
      yield* sql`select open_log_day('api_logs', date '2026-01-03')`
      const days = sql`select 1 from pg_inherits where inhparent = 'test_later'::regclass`
      assert.lengthOf(yield* days, 3)
    })
  )

  it.live("does not hold up a start, which makes it while the service runs", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const [sql, older] = [yield* ownersConnection(url), yield* ownersConnection(url)]
      const areThere = Effect.map(
        sql`select 1 from pg_index where indisvalid
          and indexrelid in (to_regclass('mails_refused'), to_regclass('payouts_open'))`,
        ({ length }) => length
      )
      yield* sql`drop index mails_refused, payouts_open`
      const end = yield* Deferred.make<void>()
      const begun = yield* Deferred.make<void>()
      yield* Effect.forkScoped(
        older.withTransaction(
          Effect.gen(function* () {
            yield* older`set local idle_in_transaction_session_timeout = 0`
            yield* older`insert into mails (id, version, trade_no, recipient, status, created_at)
              values ('mail', 1, 'TRD_1', 'buyer@example.com', 'due', now())`
            yield* Deferred.succeed(begun, undefined)
            yield* Deferred.await(end)
          })
        )
      )
      yield* Deferred.await(begun)
      yield* Layer.build(
        Migrator.layer.pipe(
          Layer.provide(
            Postgres.layer({ url: Redacted.make(asOwner(url)), connections: 2, name: "test", watched: false })
          )
        )
      )
      // The index of an empty table is there at once.
      assert.strictEqual(yield* areThere, 1)
      yield* Deferred.succeed(end, undefined)
      yield* eventually(
        "both indexes",
        Effect.map(areThere, (count) => count === 2)
      )
    })
  )

  it.live("is created once by ten concurrent processes, and again after one was killed halfway", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const sql = yield* ownersConnection(url)
      yield* Effect.all(
        Array.from({ length: 10 }, () => making(url)),
        { concurrency: "unbounded" }
      )
      yield* eventually("the index", isThere(sql))
      yield* sql`update pg_index set indisvalid = false where indexrelid = to_regclass('test_later')`
      yield* making(url)
      assert.isTrue(yield* isThere(sql))
    })
  )
})

describe("a migration that meets a lock", () => {
  it.live("lets payments pass, says who holds it, and goes on when it is free, not at the end of a pause", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const owner = yield* ownersConnection(url)
      yield* owner`delete from coffer_migrations where migration_id = ${newestMigration}`
      const dump = yield* Layer.build(
        Postgres.layer({ url: Redacted.make(asOwner(url)), connections: 1, name: "pg_dump", watched: false })
      )
      const dumping = Context.get(dump, SqlClient.SqlClient)
      const [begun, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      yield* Effect.forkScoped(
        dumping.withTransaction(
          Effect.gen(function* () {
            yield* dumping`set local idle_in_transaction_session_timeout = 0`
            yield* dumping`lock table coffer_migrations in access share mode`
            yield* Deferred.succeed(begun, undefined)
            yield* Deferred.await(end)
          })
        )
      )
      yield* Deferred.await(begun)
      const lines: Array<string> = []
      const logger = Logger.make(({ message }) => void lines.push(String(message)))
      const migrating = yield* starts(asOwner(url)).pipe(
        Effect.provideService(Logger.CurrentLoggers, new Set([logger])),
        Effect.provideService(Pauses, { first: "1 hour", longest: "1 hour" }),
        Effect.forkChild
      )
      yield* eventually(
        "the line",
        Effect.sync(() => lines.length > 0)
      )
      assert.match(lines[0]!, /^the migration waits for a lock that pid \d+ \(pg_dump of \w+\) holds; it is retried/)
      // A reader of the table waits behind the migration for a second at most.
      const service = Context.get(
        yield* Layer.build(Postgres.layer({ url: Redacted.make(url), connections: 1, name: "pay", watched: false })),
        SqlClient.SqlClient
      )
      yield* eventually("a read beside it", Effect.isSuccess(service`select from coffer_migrations limit 1`))
      assert.isUndefined(migrating.pollUnsafe())
      yield* Deferred.succeed(end, undefined)
      const exit = yield* Fiber.join(migrating)
      // The newest one exists already, and cannot be made twice: the failure shows that it was tried.
      assert.notInclude(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "", "holds a lock")
    })
  )

  it.live("is met by no start that has nothing to migrate", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const owner = yield* ownersConnection(url)
      yield* owner.withTransaction(
        Effect.gen(function* () {
          yield* owner`lock table coffer_migrations, cluster_runner_migrations in access share mode`
          assert.isTrue(Exit.isSuccess(yield* starts(asOwner(url))))
        })
      )
    })
  )
})
