/**
 * The one real PostgreSQL of all sides, with fsync on. It has templates with merchants and orders, of which each side
 * gets a clone. Nothing here is measured.
 */
import { chmodSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { Effect, Exit, Layer, Redacted, References, Scope } from "effect"
import pg from "pg"
import * as EmbeddedPostgres from "../../../../src/platform/embedded/EmbeddedPostgres.ts"
import { laterIndexes, makeIndexes } from "../../../../src/platform/postgres/laterIndexes.ts"
import * as Migrator from "../../../../src/platform/postgres/Migrator.ts"
import * as PostgresClient from "../../../../src/platform/postgres/Postgres.ts"
import { makeStandby, type Standby } from "./Standby.ts"

export type Query = (database: string, text: string, values?: Array<unknown>) => Promise<Array<Record<string, unknown>>>

export interface Postgres {
  readonly home: string
  readonly urlOf: (database: string) => string
  /** The server's, and its standby's if there is one. */
  readonly postmasters: () => ReadonlyArray<number>
  readonly version: string
  /** One query on a connection of its own. */
  readonly query: Query
  readonly standby: Standby
  readonly stop: () => Promise<void>
}

/** Otherwise Postgres' defaults: `fsync` and `synchronous_commit` are on. */
const asItComes = ["shared_buffers=1GB", "max_connections=300"]
/** Enough room that no side pays for a checkpoint or a vacuum caused by another. */
export const forRounds = ["min_wal_size=8GB", "max_wal_size=8GB", "checkpoint_timeout=1h", "autovacuum=off"]

export const start = async (flags: ReadonlyArray<string>): Promise<Postgres> => {
  const scope = Effect.runSync(Scope.make())
  const folder = mkdtempSync(path.join(realpathSync(tmpdir()), "coffer-bench-"))
  // Root's Postgres runs as another user, who needs to enter this folder.
  chmodSync(folder, 0o711)
  const home = path.join(folder, "home")
  const { url } = await Effect.runPromise(
    Scope.provide(EmbeddedPostgres.start({ home, flags: [...asItComes, ...flags] }), scope)
  )
  const urlOf = (database: string) => Redacted.value(url).replace(/\/[^/]*$/, `/${database}`)
  const query: Query = (database, text, values) => queryAt(urlOf(database), text, values)
  const [{ version, durable, pid }] = (await query(
    "coffer",
    `select current_setting('server_version') as version,
      current_setting('fsync') || current_setting('synchronous_commit') as durable,
      split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int as pid`
  )) as [{ version: string; durable: string; pid: number }]
  if (durable !== "onon") throw new Error("Postgres does not wait for the disk")
  const standby = makeStandby({ home, primaryUrl: urlOf("coffer"), query })
  return {
    home,
    urlOf,
    postmasters: () => [pid, ...standby.pids()],
    version,
    query,
    standby,
    stop: async () => {
      await standby.remove()
      await Effect.runPromise(Scope.close(scope, Exit.void))
      rmSync(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 })
    }
  }
}

const queryAt = async (url: string, text: string, values?: Array<unknown>) => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const result = await client.query(text, values)
    return result.rows as Array<Record<string, unknown>>
  } finally {
    await client.end()
  }
}

/** An empty database with the service's tables, and all their indexes: rows cost every side the same. */
export const migrated = async (postgres: Postgres, database: string): Promise<void> => {
  await postgres.query("coffer", `create database ${database}`)
  const at = PostgresClient.layer({ url: Redacted.make(postgres.urlOf(database)), connections: 2, name: "bench" })
  const make = Layer.effectDiscard(Effect.andThen(Migrator.migrate, makeIndexes(laterIndexes)))
  // Its log would mix with the results.
  const silent = Effect.provideService(
    Effect.scoped(Layer.build(Layer.provide(make, at))),
    References.MinimumLogLevel,
    "None"
  )
  await Effect.runPromise(silent)
}

export const clone = async (postgres: Postgres, template: string, database: string): Promise<void> => {
  await postgres.query("coffer", `create database ${database} template ${template} strategy file_copy`)
}
