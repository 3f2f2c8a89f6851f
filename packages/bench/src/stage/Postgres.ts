/**
 * The one real PostgreSQL of all sides, which waits for the disk. It holds templates with merchants and orders,
 * of which each side gets a clone. Nothing here is measured.
 */
import { chmodSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { Effect, Exit, Layer, Redacted, Scope } from "effect"
import pg from "pg"
import * as EmbeddedPostgres from "../../../../src/platform/embedded/EmbeddedPostgres.ts"
import * as Migrator from "../../../../src/platform/postgres/Migrator.ts"
import * as PostgresClient from "../../../../src/platform/postgres/Postgres.ts"

export interface Postgres {
  readonly home: string
  readonly urlOf: (database: string) => string
  readonly postmaster: number
  readonly version: string
  /** One query on a connection of its own. */
  readonly query: (database: string, text: string, values?: Array<unknown>) => Promise<Array<Record<string, unknown>>>
  readonly stop: () => Promise<void>
}

/**
 * Room for what the bench writes, so that no side pays for a checkpoint that another has caused; otherwise Postgres as
 * it comes. `fsync` and `synchronous_commit` are on.
 */
const flags = [
  "shared_buffers=1GB",
  "min_wal_size=8GB",
  "max_wal_size=8GB",
  "checkpoint_timeout=1h",
  "autovacuum=off",
  "max_connections=300"
]

export const start = async (more: ReadonlyArray<string> = []): Promise<Postgres> => {
  const scope = Effect.runSync(Scope.make())
  const folder = mkdtempSync(path.join(realpathSync(tmpdir()), "coffer-bench-"))
  // Root's Postgres runs as another user, who walks through here.
  chmodSync(folder, 0o711)
  const home = path.join(folder, "home")
  const { url } = await Effect.runPromise(
    Scope.provide(EmbeddedPostgres.start({ home, flags: [...flags, ...more] }), scope)
  )
  const urlOf = (database: string) => Redacted.value(url).replace(/\/[^/]*$/, `/${database}`)
  const query = (database: string, text: string, values?: Array<unknown>) => queryAt(urlOf(database), text, values)
  const [{ version, durable, pid }] = (await query(
    "coffer",
    `select current_setting('server_version') as version,
      current_setting('fsync') || current_setting('synchronous_commit') as durable,
      split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int as pid`
  )) as [{ version: string; durable: string; pid: number }]
  if (durable !== "onon") throw new Error("Postgres does not wait for the disk")
  return {
    home,
    urlOf,
    postmaster: pid,
    version,
    query,
    stop: async () => {
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

/** An empty database with the service's tables. */
export const migrated = async (postgres: Postgres, database: string): Promise<void> => {
  await postgres.query("coffer", `create database ${database}`)
  const at = PostgresClient.layer({ url: Redacted.make(postgres.urlOf(database)), connections: 2, name: "bench" })
  await Effect.runPromise(Effect.scoped(Layer.build(Layer.effectDiscard(Migrator.migrate).pipe(Layer.provide(at)))))
}

export const clone = async (postgres: Postgres, template: string, database: string): Promise<void> => {
  await postgres.query("coffer", `create database ${database} template ${template} strategy file_copy`)
}
