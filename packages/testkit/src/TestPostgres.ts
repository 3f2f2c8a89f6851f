/**
 * A real PostgreSQL with the migrated template in it, for all services of a process, and databases that are cloned from
 * it. It runs without fsync, since its data does not outlive it.
 */
import { randomBytes } from "node:crypto"
import path from "node:path"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import * as EmbeddedPostgres from "../../../src/platform/embedded/EmbeddedPostgres.ts"
import * as Postgres from "../../../src/platform/postgres/Postgres.ts"
import { patiently } from "../../../src/platform/runtime/patience.ts"
import { cacheFolder } from "./cacheFolder.ts"
import { databaseUrl, hasty, servicePassword, serviceRole, template } from "./migratedHome.ts"
import { runFolder } from "./runFolder.ts"
import * as Template from "./Template.ts"

export { databaseUrl, template }

export interface Options {
  /** More settings for Postgres, each `name=value`. */
  readonly flags?: ReadonlyArray<string>
  /** Where templates are kept; default: the user's cache folder. */
  readonly cache?: string
}

export interface TestPostgres {
  /** The URL for the superuser, who owns all tables. */
  readonly url: string
  /** Its log file. Each line names the database. */
  readonly log: string
  /** A folder that is removed at the end with its content. */
  readonly folder: string
  /** Whether the template existed, so that no migration was run. */
  readonly usedTemplate: boolean
}

/** Runs it for the length of the surrounding scope. */
export const start = Effect.fnUntraced(function* ({ cache = cacheFolder(), flags = [] }: Options = {}) {
  const once = Effect.gen(function* () {
    const folder = yield* runFolder
    const home = path.join(folder, "home")
    const usedTemplate = yield* Template.putInto(home, cache)
    const { url } = yield* EmbeddedPostgres.start({
      home,
      flags: [...hasty, "max_connections=400", "log_line_prefix=%m [%p] %d ", ...flags]
    })
    const started: TestPostgres = {
      url: Redacted.value(url),
      log: path.join(home, "postgres.log"),
      folder,
      usedTemplate
    }
    return started
  })
  // The template's files are damaged.
  return yield* Effect.catchTags(once, {
    EmbeddedFailure: () => Effect.andThen(Template.discard(cache), once)
  })
})

/** Runs a statement, which may take minutes, as the superuser. */
export type Tell = (statement: string) => Effect.Effect<unknown, SqlError.SqlError>

/** One connection to create and drop all databases within the surrounding scope. */
export const connect = (url: string) =>
  Effect.map(
    Layer.build(Postgres.layer({ url: Redacted.make(url), connections: 1, name: "test", watched: false })),
    (context): Tell =>
      (statement) =>
        patiently("5 minutes", "5 minutes")(Context.get(context, SqlClient.SqlClient).unsafe(statement))
  )

/** A clone of a migrated database for a service, dropped at the end. Returns its URL. */
export const clone = (server: string, tell: Tell, from = template) =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      const name = `test_${randomBytes(8).toString("hex")}`
      yield* tell(`create database ${name} template ${from} strategy file_copy`)
      return asService(databaseUrl(server, name))
    }),
    (url) => Effect.ignore(tell(`drop database ${nameIn(url)} with (force)`))
  )

export const nameIn = (url: string) => url.slice(url.lastIndexOf("/") + 1)

/** The same database for a service. */
const asService = (url: string) => url.replace(/\/\/[^@]*@/, `//${serviceRole}:${servicePassword}@`)
