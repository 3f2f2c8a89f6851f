/** Upgrades in two steps: an older program starts while tables are only expanded, and contractions wait for it. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Logger, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { makeOfEmptyTables } from "../../src/platform/postgres/laterIndexes.ts"
import { type Contraction, type LaterFill, takeSteps, leftSteps } from "../../src/platform/postgres/laterSteps.ts"
import { migrations, numberOf, newestMigration, readableFrom } from "../../src/platform/postgres/migrationSteps.ts"
import { type Missing, planOf, planText } from "../../src/platform/postgres/migrationPlan.ts"
import * as Migrator from "../../src/platform/postgres/Migrator.ts"
import * as Postgres from "../../src/platform/postgres/Postgres.ts"
import { asOwner, freshDatabase, ownersConnection } from "../kit/Service.ts"

const starting = Effect.fnUntraced(function* (url: string) {
  const lines: Array<string> = []
  const logger = Logger.make(({ message }) => void lines.push(String(message)))
  const exit = yield* Layer.build(
    Migrator.layer.pipe(
      Layer.provide(Postgres.layer({ url: Redacted.make(url), connections: 1, name: "test", watched: false }))
    )
  ).pipe(Effect.scoped, Effect.exit, Effect.provideService(Logger.CurrentLoggers, new Set([logger])))
  return { lines, said: Exit.isSuccess(exit) ? "started" : JSON.stringify(exit.cause) }
})

/** How the owner and the service's role start after a newer program has made this migration. */
const afterNewer = Effect.fnUntraced(function* (readableFrom: number | null) {
  const url = yield* freshDatabase
  const sql = yield* ownersConnection(url)
  yield* sql`create table of_the_future (id text)`
  yield* sql`insert into coffer_migrations (migration_id, name, readable_from)
    values (9999, 'of_the_future', ${readableFrom}::int4)`
  const starts = yield* Effect.forEach([asOwner(url), url], starting)
  const [{ may }] = (yield* sql`select has_table_privilege('coffer_app', 'of_the_future', 'insert') as may`) as [
    { may: boolean }
  ]
  return { starts, may }
})

describe("a program that is older than the tables", () => {
  it.live("starts where newer migrations only expand them, warns, and grants nothing on what it does not know", () =>
    Effect.gen(function* () {
      const { may, starts } = yield* afterNewer(0)
      for (const { lines, said } of starts) {
        assert.strictEqual(said, "started")
        assert.include(lines.join("\n"), "the database has migrations of a newer version")
      }
      assert.isFalse(may)
    })
  )

  it.live("starts where what was taken away is older than itself", () =>
    Effect.gen(function* () {
      for (const { said } of (yield* afterNewer(newestMigration)).starts) assert.strictEqual(said, "started")
    })
  )

  it.live("is refused where it needs what was taken away, and is told which version it takes", () =>
    Effect.gen(function* () {
      for (const { said } of (yield* afterNewer(newestMigration + 1)).starts) {
        assert.include(said, "has the migration 9999 (of_the_future), which this version of the program does not know")
        assert.include(said, `it needs a version that knows the migration ${newestMigration + 1}`)
      }
    })
  )

  it.live("is refused where the newer program did not say who works with its tables", () =>
    Effect.gen(function* () {
      for (const { said } of (yield* afterNewer(null)).starts) assert.include(said, "Start the version that made it")
    })
  )
})

it("each migration from 0220 on says which programs work with the tables after it", () => {
  const silent = migrations.map(numberOf).filter((id) => id >= 220 && readableFrom[id] === undefined)
  assert.deepStrictEqual(silent, [], "add them to readableFrom in src/platform/postgres/migrationSteps.ts")
  for (const [id, from] of Object.entries(readableFrom)) assert.isAtMost(from, Number(id))
})

it.live(
  "a database says of each migration which programs work with it, whether it was made new or brought forward",
  () =>
    Effect.gen(function* () {
      const sql = yield* ownersConnection(yield* freshDatabase)
      const rows = yield* sql<{ id: number; from: number | null }>`
      select migration_id::int4 as id, readable_from as from from coffer_migrations where migration_id >= 220`
      assert.isAtLeast(rows.length, 1)
      for (const { from, id } of rows) assert.strictEqual(from, readableFrom[id])
    })
)

const fill: LaterFill = {
  name: "test fill",
  migration: 9997,
  table: "test_rows",
  key: "id",
  set: "filled = t.id || '!'",
  lacks: "t.filled is null"
}
const contraction: Contraction = {
  id: 9998,
  name: "without_old",
  from: 9997,
  load: () =>
    Promise.resolve({
      default: Effect.flatMap(SqlClient.SqlClient, (sql) => sql`alter table test_rows drop column old`)
    })
}

const steps = { fills: [fill], contractions: [contraction] }

const withRows = Effect.gen(function* () {
  const url = yield* freshDatabase
  const sql = yield* ownersConnection(url)
  yield* sql`create table test_rows (id text primary key, old integer, filled text)`
  yield* sql`insert into test_rows select lpad(n::text, 8, '0'), n from generate_series(1, 2500) n`
  const owners = Postgres.layer({ url: Redacted.make(asOwner(url)), connections: 1, name: "test", watched: false })
  const take = Effect.provide(takeSteps(steps, undefined), owners)
  const hasOld = Effect.map(
    sql`select 1 from information_schema.columns where table_name = 'test_rows' and column_name = 'old'`,
    ({ length }) => length === 1
  )
  return { owners, sql, take, hasOld }
})

describe("rows to fill", () => {
  it.live("are filled in slices, from where an earlier process has stopped, before anything is taken away", () =>
    Effect.gen(function* () {
      const { hasOld, sql, take } = yield* withRows
      // An earlier one came as far as this row. It is not filled here, so that a new begin would show.
      yield* sql`insert into later_fills (name, place, filled) values ('test fill', '00001000', 1000)`
      assert.isUndefined(yield* take)
      assert.deepStrictEqual(
        yield* sql`select min(id) as first, count(*)::int as rows from test_rows
        where filled = id || '!'`,
        [{ first: "00001001", rows: 1500 }]
      )
      assert.deepStrictEqual(yield* sql`select filled::int, is_over from later_fills where name = 'test fill'`, [
        { filled: 2500, is_over: true }
      ])
      assert.isFalse(yield* hasOld)
    })
  )
})

it.live("rows are filled by one process at a time, so that half of the time is left to payments", () =>
  Effect.gen(function* () {
    const { hasOld, owners, sql, take } = yield* withRows
    const filled = Effect.map(sql`select 1 from test_rows where filled is not null`, ({ length }) => length)
    yield* Effect.scoped(
      Effect.gen(function* () {
        const other = Context.get(yield* Layer.build(owners), SqlClient.SqlClient)
        yield* other`select pg_advisory_lock(hashtext('coffer fills'))`
        const why = yield* Effect.provide(takeSteps(steps, "coffer 1@test"), owners)
        assert.strictEqual(why, "another process fills rows of test_rows")
        assert.deepStrictEqual([yield* filled, yield* hasOld], [0, true])
      })
    )
    assert.isUndefined(yield* take)
    assert.strictEqual(yield* filled, 2_500)
  })
)

it.live("the doctor and the log are told how far rows are filled, and what waits for whom", () =>
  Effect.gen(function* () {
    const { sql, take } = yield* withRows
    yield* sql`analyze test_rows`
    yield* sql`insert into later_fills (name, place, filled) values ('test fill', '00001000', 1000)`
    const left = leftSteps({ fills: [fill], contractions: [contraction] })
    assert.deepStrictEqual(yield* left(sql), [
      "1000 of some 2500 rows of test_rows are filled",
      "the migration 9998 (without_old) is due"
    ])
    yield* take
    assert.deepStrictEqual(yield* left(sql), [])
  })
)

describe("coffer migrate --check", () => {
  const planned = (name: string, from: number | null, statement: string): Missing => ({
    name,
    from,
    load: () => Promise.resolve({ default: Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)) })
  })
  const checked = Effect.fnUntraced(function* (...missing: ReadonlyArray<Missing>) {
    const url = yield* freshDatabase
    const sql = yield* ownersConnection(url)
    yield* sql`insert into runners (address, run, process, version, messages)
      values ('10.0.0.7:4001', null, 'coffer 1@test', '0.0.9', array[1])`
    const owners = Postgres.layer({ url: Redacted.make(asOwner(url)), connections: 1, name: "test", watched: false })
    const lines = planText(yield* Effect.provide(planOf(missing), owners))
    const columns = yield* sql`select 1 from information_schema.columns
      where column_name = 'of_the_check' or table_schema = 'coffer_migration_check'`
    return { lines: lines.join("\n"), columns }
  })

  it.live(
    "names the tables that each migration locks and rewrites and whether the way back is open, and changes none",
    () =>
      Effect.gen(function* () {
        const { columns, lines } = yield* checked(
          planned("9990_expand", 0, "alter table orders add column of_the_check text"),
          planned("9991_rewrite", 9991, "alter table orders alter column of_the_check type integer using 1"),
          planned("9992_contract", 9990, "alter table orders drop column of_the_check"),
          planned("9993_new", 0, "create table of_the_check (id text)")
        )
        assert.match(
          lines,
          /^9990_expand\n  orders \(\d+ kB\): reads and writes wait for a moment\n  the way back stays open/
        )
        assert.match(
          lines,
          /9991_rewrite\n  orders .* wait for some 1 s, since it rewrites the table\n  it closes the way back:/
        )
        assert.include(
          lines,
          "9992_contract\n  it is made beside the service, once the runner 10.0.0.7:4001 (version 0.0.9)"
        )
        assert.include(lines, "it closes the way back to programs that do not know the migration 9990")
        assert.include(lines, "9993_new\n  it holds up no reads and no writes")
        assert.deepStrictEqual(columns, [])
      })
  )

  it.live("says that it does not know where a migration cannot be tried, and when nothing is missing", () =>
    Effect.gen(function* () {
      const { lines } = yield* checked(planned("9990_other", null, "drop function carry_main_secret cascade"))
      assert.include(lines, "its locks are not known")
      assert.deepStrictEqual(planText([]), ["No migration is missing."])
    })
  )
})

it.live("a start makes an index of an empty table at once, and leaves one of a table with rows for later", () =>
  Effect.gen(function* () {
    const { sql } = yield* withRows
    yield* sql`create table test_empty (id text)`
    yield* makeOfEmptyTables([
      { name: "test_of_rows", on: "test_rows (old)" },
      { name: "test_of_empty", on: "test_empty (id)" }
    ]).pipe(Effect.provideService(SqlClient.SqlClient, sql))
    assert.deepStrictEqual(
      yield* sql`select to_regclass('test_of_rows') is null as waits, to_regclass('test_of_empty') is null as also`,
      [{ waits: true, also: false }]
    )
  })
)

describe("a contraction", () => {
  const alive = (sql: SqlClient.SqlClient, newest: number | null) => sql`
    insert into runners (address, run, process, version, messages, newest_migration)
    values ('10.0.0.7:4001', null, 'coffer 1@test', '0.0.9', array[1], ${newest}::int4)`

  for (const newest of [null, 9996]) {
    it.live(
      `waits for a runner that ${newest === null ? "does not say what it knows" : "does not know what it needs"}`,
      () =>
        Effect.gen(function* () {
          const { hasOld, sql, take } = yield* withRows
          yield* alive(sql, newest)
          assert.strictEqual(
            yield* take,
            "the migration 9998 (without_old) waits until the runner 10.0.0.7:4001 (version 0.0.9) has stopped"
          )
          assert.isTrue(yield* hasOld)
          yield* sql`delete from runners`
          assert.isUndefined(yield* take)
          assert.isFalse(yield* hasOld)
        })
    )
  }

  it.live("does not wait for a runner that does without what it takes away, and is made once", () =>
    Effect.gen(function* () {
      const { sql, take } = yield* withRows
      yield* alive(sql, 9997)
      assert.isUndefined(yield* take)
      assert.isUndefined(yield* take)
      assert.deepStrictEqual(yield* sql`select readable_from from coffer_migrations where migration_id = 9998`, [
        { readable_from: 9997 }
      ])
    })
  )
})
