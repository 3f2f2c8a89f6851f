/** A home of the embedded Postgres for a service: its role, and a database with all migrations. */
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

/** The role of services. */
export const serviceRole = "coffer_app"
export const servicePassword = "of-the-tests"

/** Temporary data needs no fsync. */
export const hasty = [
  "fsync=off",
  "synchronous_commit=off",
  "full_page_writes=off",
  // The default costs both ends of a connection some milliseconds, and tests open ten thousand.
  "scram_iterations=1"
]

/** The same server, another database. */
export const databaseUrl = (url: string, database: string) => url.replace(/\/[^/]*$/, `/${database}`)

/** Runs work as the superuser, on one connection. */
const onDatabase = <A, E>(url: string, work: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.provide(work, Postgres.layer({ url: Redacted.make(url), connections: 1, name: "test" }))

/** Its path. Its Postgres has stopped, and it is removed with the scope. */
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
