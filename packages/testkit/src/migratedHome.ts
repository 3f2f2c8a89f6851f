/** A home of the embedded Postgres with what a service needs: its role, and a database with all migrations. */
import path from "node:path"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as EmbeddedPostgres from "../../../src/platform/embedded/EmbeddedPostgres.ts"
import { laterIndexes, makeOfEmptyTables } from "../../../src/platform/postgres/laterIndexes.ts"
import * as Migrator from "../../../src/platform/postgres/Migrator.ts"
import * as Postgres from "../../../src/platform/postgres/Postgres.ts"
import { patiently } from "../../../src/platform/runtime/patience.ts"
import { runFolder } from "./runFolder.ts"

/** The migrated database. It has no connections, so that Postgres can clone it. */
export const template = "coffer_template"

/** A service has the rights of this role and no others. */
export const serviceRole = "coffer_app"
export const servicePassword = "of-the-tests"

/** Data that is not kept need not reach the disk. */
export const hasty = [
  "fsync=off",
  "synchronous_commit=off",
  "full_page_writes=off",
  // With the default, each connection costs both its ends some milliseconds, and tests make ten thousand.
  "scram_iterations=1"
]

/** The same server, another database. */
export const databaseUrl = (url: string, database: string) => url.replace(/\/[^/]*$/, `/${database}`)

/** Runs work as the superuser, on one connection. */
const onDatabase = <A, E>(url: string, work: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.provide(work, Postgres.layer({ url: Redacted.make(url), connections: 1, name: "test" }))

/** Its path. Postgres has ended in it, and it is gone with the scope. */
export const make = Effect.gen(function* () {
  const home = path.join(yield* runFolder, "home")
  yield* Effect.scoped(
    Effect.gen(function* () {
      const url = Redacted.value((yield* EmbeddedPostgres.start({ home, flags: hasty })).url)
      yield* onDatabase(
        url,
        Effect.flatMap(SqlClient.SqlClient, (sql) =>
          Effect.andThen(
            sql.unsafe(`create database ${template}`),
            sql.unsafe(`create role ${serviceRole} login password '${servicePassword}'`)
          )
        ).pipe(patiently("1 minute", "1 minute"))
      )
      const migrating = Effect.andThen(Migrator.migrateFor(serviceRole), makeOfEmptyTables(laterIndexes))
      yield* onDatabase(databaseUrl(url, template), migrating)
    })
  )
  return home
})
