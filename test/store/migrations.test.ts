/** A program and a database that do not fit together: nothing is migrated, and the start says why. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Migrator from "../../src/platform/postgres/Migrator.ts"
import * as Postgres from "../../src/platform/postgres/Postgres.ts"
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

/** Of the owner of the tables, and of the service's role, which migrates nothing. */
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
      const said = yield* refusals((sql) => sql`delete from coffer_migrations where migration_id = 23`)
      for (const each of said) assert.include(each, "The migration 0023_lighter_rows was never applied")
    })
  )

  it.live("by nothing else: owner and service start on what this version has migrated", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* refusals(() => Effect.void), ["started", "started"])
    })
  )
})

describe("ten that start at once", () => {
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
        exits.map(({ _tag }) => _tag),
        exits.map(() => "Success")
      )
      const rows = yield* sql`select migration_id from coffer_migrations`
      assert.strictEqual(rows.length, Object.keys(Migrator.migrations).length)
    })
  )
})
