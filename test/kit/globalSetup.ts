/**
 * Once for all test files: a real PostgreSQL, and in it a migrated template that every test file clones. It does not
 * wait for the disk, since no test stops Postgres itself; those that kill the service bring their own.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { DateTime, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import type { TestProject } from "vitest/node"
import * as EmbeddedPostgres from "../../src/platform/embedded/EmbeddedPostgres.ts"
import { laterIndexes, makeIndexes } from "../../src/platform/postgres/laterIndexes.ts"
import * as Migrator from "../../src/platform/postgres/Migrator.ts"
import { daysOpenAt } from "../../src/logs/LogJobs.ts"
import * as LogStore from "../../src/logs/LogStore.ts"
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

/** Migrated. Two have the partitions of API logs that a service creates at its start, now or at 0. */
export const templates = { bare: "coffer_template", live: "coffer_template_now", test: "coffer_template_at_0" } as const

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
      // With the default, each connection costs both its ends some milliseconds, and tests make ten thousand.
      "scram_iterations=1",
      "max_connections=400",
      "log_line_prefix=%m [%p] %d "
    ]
  })
  const at = (database: string) =>
    Postgres.layer({ url: Redacted.make(databaseUrl(Redacted.value(url), database)), connections: 1, name: "test" })
  const run = (database: string, statements: ReadonlyArray<string>) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      patiently("1 minute")(Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true }))
    ).pipe(Effect.provide(at(database)))
  const openDays = (database: string, time: DateTime.Utc) =>
    Effect.flatMap(LogStore.LogStore, (store) => store.openDays(daysOpenAt(time))).pipe(
      Effect.provide(Layer.provide(LogStore.layer, at(database)))
    )

  yield* run("coffer", [
    `create database ${templates.bare}`,
    `create role ${serviceRole} login password '${servicePassword}'`
  ])
  yield* Effect.provide(Effect.andThen(Migrator.migrateFor(serviceRole), makeIndexes(laterIndexes)), at(templates.bare))
  yield* run(templates.bare, [idFunction, withoutTriggersFunction])
  for (const clock of ["live", "test"] as const) {
    yield* run("coffer", [`create database ${templates[clock]} template ${templates.bare}`])
    yield* openDays(templates[clock], clock === "live" ? yield* DateTime.now : DateTime.makeUnsafe(0))
  }
  return { url: Redacted.value(url), log: path.join(home, "postgres.log") }
})

export default async function (project: TestProject) {
  const scope = Effect.runSync(Scope.make())
  const { log, url } = await Effect.runPromise(Scope.provide(setup, scope))
  project.provide("postgresUrl", url)
  project.provide("postgresLog", log)
  return () => Effect.runPromise(Scope.close(scope, Exit.void))
}
