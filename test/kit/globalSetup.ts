/**
 * Once for all test files: a real PostgreSQL, and in it a migrated template that every test file clones. It does not
 * wait for the disk, since no test stops Postgres itself; those that kill the service bring their own.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { Effect, Exit, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import type { TestProject } from "vitest/node"
import * as EmbeddedPostgres from "../../src/platform/embedded/EmbeddedPostgres.ts"
import { laterIndexes, makeIndexes } from "../../src/platform/postgres/laterIndexes.ts"
import * as Migrator from "../../src/platform/postgres/Migrator.ts"
import { patiently } from "../../src/platform/runtime/patience.ts"
import * as Postgres from "../../src/platform/postgres/Postgres.ts"
import { idFunction, withoutTriggersFunction } from "./Rows.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** As the superuser, who owns all tables. */
    readonly postgresUrl: string
    /** The file with its log. Each line names the database. */
    readonly postgresLog: string
  }
}

export const template = "coffer_template"

/** The same server, another database. */
export const databaseUrl = (url: string, database: string) => url.replace(/\/[^/]*$/, `/${database}`)

/** Services of the tests have the rights that a service has. */
const serviceRole = "coffer_app"
const servicePassword = "of-the-tests"

/** The same database for a service. */
export const asService = (url: string) => url.replace(/\/\/[^@]*@/, `//${serviceRole}:${servicePassword}@`)

const setup = Effect.gen(function* () {
  const home = mkdtempSync(path.join(tmpdir(), "coffer-test-"))
  // Where root runs the tests, Postgres is another user, who must be able to walk through.
  chmodSync(home, 0o711)
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(home, { recursive: true, force: true })))
  const { url } = yield* EmbeddedPostgres.start({
    home,
    flags: [
      "fsync=off",
      "synchronous_commit=off",
      "full_page_writes=off",
      "max_connections=400",
      "log_line_prefix=%m [%p] %d "
    ]
  })
  const at = (database: string) =>
    Postgres.layer({ url: Redacted.make(databaseUrl(Redacted.value(url), database)), connections: 1, name: "test" })
  yield* Effect.provide(
    Effect.flatMap(SqlClient.SqlClient, (sql) => patiently("1 minute")(sql.unsafe(`create database ${template}`))),
    at("coffer")
  )
  yield* Effect.provide(
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      sql.unsafe(`create role ${serviceRole} login password '${servicePassword}'`)
    ),
    at("coffer")
  )
  yield* Effect.provide(
    Effect.gen(function* () {
      yield* Migrator.migrateFor(serviceRole)
      yield* makeIndexes(laterIndexes)
      const sql = yield* SqlClient.SqlClient
      for (const statement of [idFunction, withoutTriggersFunction]) yield* sql.unsafe(statement)
    }),
    at(template)
  )
  return { url: Redacted.value(url), log: path.join(home, "postgres.log") }
})

export default async function (project: TestProject) {
  const scope = Effect.runSync(Scope.make())
  const { log, url } = await Effect.runPromise(Scope.provide(setup, scope))
  project.provide("postgresUrl", url)
  project.provide("postgresLog", log)
  return () => Effect.runPromise(Scope.close(scope, Exit.void))
}
