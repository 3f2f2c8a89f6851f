/** The installation as the doctor sees it: its settings and its database, and whether real money flows through it. */
import { Effect, type Redacted } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { reasonOf } from "../../platform/postgres/databaseProblem.ts"
import * as Postgres from "../../platform/postgres/Postgres.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { Unmade } from "./Finding.ts"

export interface Installation {
  /** COFFER_HOME. */
  readonly home: string
  /** Whether the database is the embedded one. */
  readonly embedded: boolean
  /** Size of the pool of each process (DATABASE_CONNECTIONS). */
  readonly connections: number
  /** Where backups are (BACKUP_DIR). */
  readonly backups: string | undefined
  /** The database's address, with the password. */
  readonly url: Effect.Effect<Redacted.Redacted, Unmade>
  readonly settings: Effect.Effect<Settings["Service"], Unmade>
  readonly database: Effect.Effect<SqlClient.SqlClient, Unmade>
  /** Whether a merchant is live, or the installation is judged as if one were. */
  readonly isLive: boolean
}

/** The installation of this process. */
export const served = Effect.gen(function* () {
  const settings = yield* Settings
  const sql = yield* SqlClient.SqlClient
  const { connections, url } = yield* Postgres.Pool
  const { backups, embedded, home } = settings
  const found: Installation = {
    home,
    embedded,
    connections,
    backups,
    url: Effect.succeed(url),
    settings: Effect.succeed(settings),
    database: Effect.succeed(sql),
    isLive: yield* hasLiveMerchants(sql)
  }
  return found
})

/** Asks the database. Its errors say why a check could not be made. */
export const query = <A>(
  { database }: Installation,
  ask: (sql: SqlClient.SqlClient) => Effect.Effect<A, SqlError.SqlError>
): Effect.Effect<A, Unmade> =>
  Effect.flatMap(
    Effect.mapError(database, () => new Unmade({ reason: "the database is not responding" })),
    (sql) => Effect.mapError(ask(sql), (error) => new Unmade({ reason: reasonOf(error) }))
  )

/** The settings, for checks other than the one that reads them. */
export const settingsOf = ({ settings }: Installation) =>
  Effect.mapError(settings, () => new Unmade({ reason: "a setting is invalid" }))

/** Whether a merchant may take real money. False for a database that has no merchants yet. */
export const hasLiveMerchants = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    const [table] = yield* sql<{ readonly there: boolean }>`select to_regclass('merchants') is not null as there`
    if (table?.there !== true) return false
    const [row] = yield* sql<{ readonly live: boolean }>`
      select exists (select from merchants where approved and suspended_at is null and closed_at is null) as live`
    return row?.live === true
  })
