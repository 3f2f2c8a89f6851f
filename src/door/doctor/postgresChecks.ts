/** Checks of the database: version, shape, the service's role, TLS, clock, room for connections, disk. */
import { Duration, Effect } from "effect"
import { type DatabaseAddress, readAddress } from "../../platform/postgres/databaseAddress.ts"
import { reasonOf } from "../../platform/postgres/databaseProblem.ts"
import { measureSkew, MachineTime, secondsMax, secondsOdd } from "../../platform/postgres/ClockSkew.ts"
import { leftSteps, ownSteps } from "../../platform/postgres/laterSteps.ts"
import {
  appliedIn,
  migrations as migrationNames,
  mismatch,
  newestMigration
} from "../../platform/postgres/migrationSteps.ts"
import { mayMigrate } from "../../platform/postgres/Migrator.ts"
import { ledgerRights } from "../../platform/postgres/ledgerRights.ts"
import { diskVerdict, freeOn } from "./disk.ts"
import { type Check, error, errorIf, fine, notApplicable, Unmade, type Verdict, warning } from "./Finding.ts"
import { query, type Installation, settingsOf } from "./Installation.ts"
import { currentMillis } from "../../platform/runtime/clock.ts"
import { connectionsMin } from "../../platform/runtime/Settings.ts"
import { isLoopback } from "../../platform/runtime/places.ts"

export const postgresChecks = (installation: Installation): ReadonlyArray<Check> => [
  { name: "postgres", look: postgres(installation) },
  { name: "migrations", look: migrations(installation) },
  { name: "postgres role", look: role(installation) },
  { name: "postgres tls", look: tls(installation) },
  { name: "clock", look: clock(installation) },
  { name: "connections", look: connections(installation) },
  { name: "postgres disk", look: disk(installation) },
  { name: "retention", look: retention(installation) }
]

// Version -----------------------------------------------------------------------

const oldest = 14

const postgres = (installation: Installation) =>
  Effect.gen(function* () {
    const sql = yield* installation.database
    const [row] = yield* sql<{ readonly version: string }>`select current_setting('server_version') as version`
    return postgresVerdict(installation, row?.version ?? "unknown")
  }).pipe(
    Effect.catchTags({
      Unmade: ({ reason }) => Effect.succeed(awayVerdict(reason)),
      SqlError: (problem) => Effect.succeed(awayVerdict(reasonOf(problem)))
    })
  )

const awayVerdict = (reason: string) => error(reason, "Fix this: the service would not start.")

export const postgresVerdict = ({ embedded, isLive }: Installation, version: string): Verdict => {
  if (Number.parseInt(version, 10) < oldest) {
    return error(`PostgreSQL ${version} is too old.`, `Upgrade to PostgreSQL ${oldest} or newer.`)
  }
  if (!embedded) return fine(`PostgreSQL ${version} answers.`)
  const observation = `The embedded PostgreSQL ${version} is in use.`
  return isLive
    ? error(
        observation,
        "Set DATABASE_URL to a PostgreSQL that is backed up and monitored: the embedded one is for evaluation."
      )
    : fine(observation)
}

const migrations = (installation: Installation) =>
  Effect.gen(function* () {
    const [there] = yield* query(
      installation,
      (sql) => sql<{ readonly there: boolean }>`select to_regclass('coffer_migrations') is not null as there`
    )
    const may = installation.embedded || (yield* query(installation, mayMigrate))
    if (there?.there !== true) return migrationsVerdict(0, may)
    const applied = yield* query(installation, appliedIn)
    const problem = mismatch(applied, migrationNames)
    const newest = applied.at(-1)?.id ?? 0
    if (newest !== newestMigration) return migrationsVerdict(newest, may, problem === undefined)
    return laterVerdict(yield* query(installation, leftSteps(ownSteps)))
  })

/** `left`: what an upgrade has still to do, for people. */
export const laterVerdict = (left: ReadonlyArray<string>): Verdict =>
  left.length === 0
    ? migrationsVerdict(newestMigration, true)
    : warning(
        `The upgrade is not complete: ${left.join("; ")}.`,
        "Nothing needs to be done while rows are filled. Replace the runners of the older version that are named."
      )

/**
 * `newest`: number of the newest migration that the database has. `may`: the service's role may migrate. `works`: this
 * program works with newer ones.
 */
export const migrationsVerdict = (newest: number, may: boolean, works = false): Verdict => {
  const both = `The database is at migration ${newest}, and this program expects ${newestMigration}.`
  if (newest > newestMigration && works) {
    return warning(`${both} It works with both.`, "Start the version that made the newest migration soon.")
  }
  if (newest > newestMigration) {
    return error(both, "Start the version that made the newest migration, or a newer one.")
  }
  if (newest === newestMigration) return fine(both)
  return warning(
    both,
    may
      ? "Start coffer serve, which migrates the database."
      : "Run coffer migrate with MIGRATION_DATABASE_URL, the owner's URL: the service's role can't migrate."
  )
}

// Role --------------------------------------------------------------------------

const role = (installation: Installation) =>
  installation.embedded
    ? Effect.succeed(notApplicable("In the embedded PostgreSQL the service has a role of its own."))
    : Effect.map(query(installation, ledgerRights), (why) => roleVerdict(installation, why))

/** `why` the service's role could change immutable tables; undefined if it could not. */
export const roleVerdict = ({ isLive }: Installation, why: string | undefined): Verdict =>
  why === undefined
    ? fine("The service's role can't change or truncate the ledger, the audit log or the anchors.")
    : errorIf(isLive)(
        `The service's role can change the ledger: ${why}.`,
        "Make another role the owner of the tables, and give the service its own role (docs/operating.md)."
      )

// TLS ---------------------------------------------------------------------------

const tls = (installation: Installation) =>
  Effect.gen(function* () {
    if (installation.embedded) return notApplicable("The embedded PostgreSQL listens on this machine only.")
    const { servers, sslmode } = yield* addressOf(installation)
    const [row] = yield* query(
      installation,
      (sql) => sql<{ readonly version: string | null }>`
        select version from pg_stat_ssl where pid = pg_backend_pid() and ssl`
    )
    const far = servers.find(({ host }) => !isHere(host)) ?? servers[0]!
    return tlsVerdict(installation, { host: far.host, version: row?.version ?? null, mode: sslmode })
  })

const addressOf = ({ url }: Installation): Effect.Effect<DatabaseAddress, Unmade> =>
  Effect.flatMap(url, (known) =>
    Effect.mapError(
      Effect.fromResult(readAddress(known)),
      (problem) => new Unmade({ reason: `DATABASE_URL ${problem}` })
    )
  )

const isHere = (host: string) => host.startsWith("/") || isLoopback(host)

interface Connection {
  /** Of several servers, one that is not on this machine. */
  readonly host: string
  /** The version of TLS; null for a connection in clear. */
  readonly version: string | null
  /** `sslmode` of the address. */
  readonly mode: string | null
}

export const tlsVerdict = ({ isLive }: Installation, { host, mode, version }: Connection): Verdict => {
  const advice = "Add sslmode=verify-full to DATABASE_URL, and give Node the CA certificate if you run your own CA."
  if (isHere(host)) return fine(`The connection to ${host} stays on this machine.`)
  if (version === null) return errorIf(isLive)(`The connection to ${host} is not encrypted.`, advice)
  return mode === "prefer" || mode === "allow"
    ? warning(`The connection to ${host} uses ${version}, but would fall back to none (sslmode=${mode}).`, advice)
    : fine(`The connection to ${host} uses ${version} with a verified certificate.`)
}

// Clock -------------------------------------------------------------------------

const clock = (installation: Installation) =>
  Effect.gen(function* () {
    const machineTime = yield* MachineTime
    return clockVerdict(yield* query(installation, (sql) => measureSkew(sql, machineTime)))
  })

/** `seconds`: this machine's clock minus Postgres'. */
export const clockVerdict = (seconds: number): Verdict => {
  const apart = Math.abs(seconds)
  const shown = apart < 1 ? "less than 1" : Math.round(apart)
  const observation = `The clocks of this machine and of Postgres are ${shown} s apart.`
  if (apart <= secondsOdd) return fine(observation)
  return (apart > secondsMax ? error : warning)(
    observation,
    "Sync both clocks with NTP: webhook receivers reject old timestamps."
  )
}

// Connections -------------------------------------------------------------------

interface Room {
  /** Connections that the service's role may have at once. */
  readonly limit: number
  /** Processes of this service on the database. */
  readonly runners: number
  /** Connections of other programs. */
  readonly others: number
}

/** A process holds two beside its pool (docs/running.md). */
const besidePool = 2

const connections = (installation: Installation) =>
  Effect.map(
    query(
      installation,
      (sql) => sql<Room>`
        select least(
          current_setting('max_connections')::int4 - current_setting('superuser_reserved_connections')::int4
            - coalesce(current_setting('reserved_connections', true)::int4, 0),
          (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
          (select nullif(datconnlimit, -1) from pg_database where datname = current_database())) as limit,
        (select count(distinct split_part(application_name, ' ', 2))::int4 from pg_stat_activity
          where datname = current_database() and application_name ~ '^coffer [0-9]+@') as runners,
        (select count(*)::int4 from pg_stat_activity
          where backend_type = 'client backend' and coalesce(application_name, '') !~ '^coffer') as others`
    ),
    ([room]) => connectionsVerdict(installation, room ?? { limit: 0, runners: 0, others: 0 })
  )

export const connectionsVerdict = (
  { connections }: Pick<Installation, "connections">,
  { limit, others, runners }: Room
): Verdict => {
  const each = connections + besidePool
  const processes = Math.max(1, runners)
  const needed = processes * each
  const free = limit - others
  const counted = `${processes} × ${each}`
  const room = `${limit} are allowed, and other clients use ${others} of them`
  const observation = `The service needs ${counted} connections; ${room}.`
  if (needed + each <= free) return fine(observation)
  const fitting = Math.floor(free / (processes + 1)) - besidePool
  const advice =
    fitting < connectionsMin
      ? "Raise max_connections."
      : `Raise max_connections, or set DATABASE_CONNECTIONS to ${fitting}: then one more process fits, ` +
        "as in a rolling update."
  return needed > free ? error(observation, advice) : warning(observation, advice)
}

// Disk --------------------------------------------------------------------------

const disk = (installation: Installation) =>
  Effect.gen(function* () {
    if (installation.embedded) return notApplicable("The embedded PostgreSQL is in the data directory.")
    const others = (yield* addressOf(installation)).servers.map(({ host }) => host).filter((host) => !isHere(host))
    if (others.length > 0) return notApplicable(`Postgres is at ${others.join(" and ")}: monitor the disk there.`)
    const [row] = yield* query(
      installation,
      (sql) => sql<{ readonly folder: string | null }>`
        select case when pg_has_role('pg_read_all_settings', 'member') then current_setting('data_directory') end
          as folder`
    )
    if (!row?.folder) {
      return notApplicable("The service's role can't read Postgres' data directory: monitor that disk on its host.")
    }
    return diskVerdict(row.folder, yield* freeOn(row.folder))
  })

// Retention ---------------------------------------------------------------------

/** Ended rows of a kind: how long they are kept, undefined for ever, and the age of the oldest, in days. */
export interface KeptRows {
  readonly kind: string
  readonly kept: number | undefined
  readonly oldest: number | undefined
}

/** Rows are dropped once an hour. */
const lateDays = 2

export const retentionVerdict = (kinds: ReadonlyArray<KeptRows>): Verdict => {
  const late = kinds.find(({ kept, oldest }) => kept !== undefined && oldest !== undefined && oldest > kept + lateDays)
  if (late !== undefined) {
    return warning(
      `The oldest of the ${late.kind} is ${Math.floor(late.oldest!)} days old, but they are kept for ${late.kept} ` +
        "only.",
      "Check that a runner is working with this setting: it deletes such rows hourly."
    )
  }
  const days = (count: number) => (count === 1 ? "a day" : `${count} days`)
  const terms = kinds.map(({ kept, kind }) => `${kind} ${kept === undefined ? "forever" : `for ${days(kept)}`}`)
  return fine(`Retention: ${terms.join(", ")}.`)
}

const retention = (installation: Installation) =>
  Effect.gen(function* () {
    const { keep } = yield* settingsOf(installation)
    const now = yield* currentMillis
    const [row] = yield* query(
      installation,
      (sql) => sql<Record<"events" | "deliveries" | "mails" | "logs" | "answers" | "orders", number | null>>`select
        (select extract(epoch from min(day))::float8 from api_log_bodies) as logs,
        (select extract(epoch from created_at)::float8 from idempotency_keys order by created_at limit 1) as answers,
        -- Looked for only where they go: without a setting, most have a delivery.
        case when ${keep.events !== undefined} then (select extract(epoch from e.created_at)::float8 from events e
          where not exists (select from deliveries d
            where (d.merchant_id, d.mode, d.event_id) = (e.merchant_id, e.mode, e.id))
          order by id limit 1) end as events,
        (select extract(epoch from created_at)::float8 from deliveries where status <> 'pending' order by id limit 1)
          as deliveries,
        (select extract(epoch from created_at)::float8 from mails where due_at is null order by created_at limit 1)
          as mails,
        case when ${keep.sandboxOrders !== undefined} then (select extract(epoch from o.created_at)::float8
          from orders o where mode = 'sandbox' and paid_at is null and status in ('failed', 'expired')
            and coalesce(channel, 'sandbox') = 'sandbox' and unapplied_payments = '[]'
          order by trade_no limit 1) end as orders`
    )
    const days = (seconds: number | null | undefined) =>
      typeof seconds === "number" ? (now / 1_000 - seconds) / 86_400 : undefined
    const kept = (duration: Duration.Duration | undefined) => duration && Duration.toDays(duration)
    return retentionVerdict([
      { kind: "events", kept: kept(keep.events), oldest: days(row?.events) },
      { kind: "deliveries", kept: kept(keep.deliveries), oldest: days(row?.deliveries) },
      { kind: "mails", kept: kept(keep.mails), oldest: days(row?.mails) },
      // A day is dropped as a whole, when its last call is old enough.
      { kind: "API logs", kept: keep.apiLogDays, oldest: days(row?.logs) },
      {
        kind: "responses of Idempotency-Keys",
        kept: Duration.toDays(keep.answers),
        oldest: days(row?.answers)
      },
      { kind: "unpaid sandbox orders", kept: kept(keep.sandboxOrders), oldest: days(row?.orders) },
      { kind: "audit log", kept: undefined, oldest: undefined }
    ])
  })
