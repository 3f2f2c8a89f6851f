/**
 * The tables that the package reads and writes, beside those that Effect's `SqlRunnerStorage` makes for itself. An
 * application runs these statements in a migration of its own, or calls `makeTables` before it starts a runner.
 */
import { Effect } from "effect"
import { SqlRunnerStorage } from "effect/cluster"
import { Migrator, SqlClient } from "effect/sql"

/**
 * A row for each runner, which it writes when it joins. address: host and port of its runner port. run: the number
 * whose lock it holds while it lives, null where it has none. process: its name among the sessions of Postgres.
 * messages: the shapes of messages that it understands. takes_part: whether it wants shards. newest_migration: that of
 * the application's tables which it knows; null where its version does not say.
 */
const runners = `create table if not exists runners (
  address text primary key,
  run integer,
  process text not null,
  version text not null,
  messages integer[] not null,
  takes_part boolean not null default true
)`

/** The newest report of each process. It is worth nothing after a crash of Postgres, so it is not logged. */
const runnerVitals = `create unlogged table if not exists runner_vitals (
  instance text primary key,
  run integer,
  address text,
  version text not null,
  node text not null,
  started_at timestamptz not null,
  heard_at timestamptz not null,
  vitals jsonb not null
) with (fillfactor = 40)`

/** drains: whether it was asked to give up its shards and stop. */
const drains = "alter table runner_vitals add column if not exists drains boolean not null default false"

const newestMigration = "alter table runners add column if not exists newest_migration integer"

export const statements: ReadonlyArray<string> = [runners, runnerVitals, drains, newestMigration]

/** Makes what is missing: these tables, and Effect's own register of runners. */
export const makeTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const make = Effect.gen(function* () {
    // Two runners that start at the same time would make the same table.
    yield* sql`select pg_advisory_xact_lock(hashtext('@coffer/cluster tables'))`
    yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
    yield* Migrator.make({})({ table: "cluster_runner_migrations", loader: SqlRunnerStorage.migrations({}) })
  })
  yield* sql.withTransaction(make)
})
