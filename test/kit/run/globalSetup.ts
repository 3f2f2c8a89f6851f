/**
 * Once for all test files: a real PostgreSQL, and in it migrated templates that every test file clones. It does not
 * wait for the disk, since no test stops Postgres itself; those that kill the service bring their own. And the console,
 * built from its files.
 */
import { execFileSync } from "node:child_process"
import { existsSync, globSync, statSync } from "node:fs"
import { DateTime, Effect, Exit, Layer, Redacted, Scope } from "effect"
import type { TestProject } from "vitest/node"
import * as TestPostgres from "../../../packages/testkit/src/TestPostgres.ts"
import { daysOpenAt } from "../../../src/shared/logs/LogJobs.ts"
import * as LogStore from "../../../src/shared/logs/LogStore.ts"
import * as ListHorizon from "../../../src/platform/postgres/ListHorizon.ts"
import * as Postgres from "../../../src/platform/postgres/Postgres.ts"
import * as NewIds from "../../../src/platform/runtime/NewIds.ts"
import { idFunction, withoutTriggersFunction } from "../rows/Rows.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** As the superuser, who owns all tables. */
    readonly postgresUrl: string
    /** The file with its log. Each line names the database. */
    readonly postgresLog: string
  }
}

/** Migrated. Two have the partitions of API logs that a service creates at its start, now or at 0. */
export const templates = {
  bare: TestPostgres.template,
  live: `${TestPostgres.template}_now`,
  test: `${TestPostgres.template}_at_0`
} as const

const setup = Effect.gen(function* () {
  const server = yield* TestPostgres.start()
  const at = (database: string) => TestPostgres.databaseUrl(server.url, database)
  const openDays = (database: string, time: DateTime.Utc) =>
    Effect.flatMap(LogStore.LogStore, (store) => store.openDays(daysOpenAt(time))).pipe(
      Effect.provide(Layer.provide(LogStore.layer, Layer.merge(ListHorizon.layer, NewIds.layer))),
      Effect.provide(Postgres.layer({ url: Redacted.make(at(database)), connections: 1, name: "test" }))
    )
  const run = (database: string, statements: ReadonlyArray<string>) =>
    Effect.flatMap(TestPostgres.connect(at(database)), (tell) =>
      Effect.forEach(statements, tell, { discard: true })
    ).pipe(Effect.scoped)

  yield* run(templates.bare, [idFunction, withoutTriggersFunction])
  for (const clock of ["live", "test"] as const) {
    yield* run("coffer", [`create database ${templates[clock]} template ${templates.bare}`])
    yield* openDays(templates[clock], clock === "live" ? yield* DateTime.now : DateTime.makeUnsafe(0))
  }
  return server
})

const contract = "packages/{contract,model,rules}/src/**/*.ts"
const builds = [
  { name: "console", built: "index.html", more: [contract] },
  {
    name: "site",
    built: "manifest.json",
    more: [contract, "docs/**/*.{md,svg}", "packages/*/README.md", "packages/console/src/tokens.ts"]
  }
]

/** Builds the console and the documents where a file that they are made of is newer than what was built. */
const buildPages = () => {
  for (const { built, more, name } of builds) {
    const sources = globSync([`packages/${name}/{scripts,src}/**/*`, ...more])
    const target = `packages/${name}/dist/${built}`
    const since = existsSync(target) ? statSync(target).mtimeMs : 0
    if (sources.some((file) => statSync(file).mtimeMs > since)) {
      execFileSync(process.execPath, [`packages/${name}/scripts/build.ts`])
    }
  }
}

export default async function (project: TestProject) {
  buildPages()
  const scope = Effect.runSync(Scope.make())
  const { log, url } = await Effect.runPromise(Scope.provide(setup, scope))
  project.provide("postgresUrl", url)
  project.provide("postgresLog", log)
  return () => Effect.runPromise(Scope.close(scope, Exit.void))
}
