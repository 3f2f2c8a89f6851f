/**
 * Brings the database to this program's shape. Forward only; N runners may start together, one migrates. With an
 * owner's address the service migrates as the owner, and gives its own role the rights it needs. Without one it
 * migrates if its role owns the tables, and else only looks whether they are as this version needs them.
 */
import { Context, Effect, Layer, type Redacted, Schema } from "effect"
import { SqlRunnerStorage } from "effect/cluster"
import { Migrator, SqlClient } from "effect/sql"
import { databaseProblem } from "./databaseProblem.ts"
import { grantTo } from "./grants.ts"
import { laterIndexes, makeIndexes } from "./laterIndexes.ts"
import { ledgerRights } from "./ledgerRights.ts"
import { mainJob } from "./migrations/0001_main_job.ts"
import { quotas } from "./migrations/0002_quotas.ts"
import { apiLogs } from "./migrations/0003_api_logs.ts"
import { lists } from "./migrations/0004_lists.ts"
import { idempotency } from "./migrations/0005_idempotency.ts"
import { moneyBack } from "./migrations/0006_money_back.ts"
import { audit } from "./migrations/0007_audit.ts"
import { chargebackRequests } from "./migrations/0008_chargeback_requests.ts"
import { storedTokens } from "./migrations/0009_stored_tokens.ts"
import { secretCheck } from "./migrations/0010_secret_check.ts"
import { deliveryLines } from "./migrations/0011_delivery_lines.ts"
import { sandboxSeeds } from "./migrations/0012_sandbox_seeds.ts"
import { webhookSettings } from "./migrations/0014_webhook_settings.ts"
import { deliveriesByEndpoint } from "./migrations/0015_deliveries_by_endpoint.ts"
import { paymentLinks } from "./migrations/0016_payment_links.ts"
import { receipts } from "./migrations/0017_receipts.ts"
import { runs } from "./migrations/0018_runs.ts"
import { deliveryLeases } from "./migrations/0019_delivery_leases.ts"
import { shopSettings } from "./migrations/0020_shop_settings.ts"
import { logBodies } from "./migrations/0022_log_bodies.ts"
import { lighterRows } from "./migrations/0023_lighter_rows.ts"
import { operators } from "./migrations/0024_operators.ts"
import { ledgerSources } from "./migrations/0025_ledger_sources.ts"
import { roles } from "./migrations/0026_roles.ts"
import { keyRotation } from "./migrations/0027_key_rotation.ts"
import { runners } from "./migrations/0028_runners.ts"
import { runnerVitals } from "./migrations/0029_runner_vitals.ts"
import { stripe } from "./migrations/0030_stripe.ts"
import { reconciliation } from "./migrations/0031_reconciliation.ts"
import { workErrors } from "./migrations/0032_work_errors.ts"
import { sandboxClocks } from "./migrations/0033_sandbox_clocks.ts"
import { stripeRules } from "./migrations/0034_stripe_rules.ts"
import { exchangedMovements } from "./migrations/0035_exchanged_movements.ts"
import { listHorizons } from "./migrations/0036_list_horizons.ts"
import { linkVisits } from "./migrations/0037_link_visits.ts"
import { sandboxMails } from "./migrations/0038_sandbox_mails.ts"
import { runnersTakePart } from "./migrations/0039_runners_take_part.ts"
import { keptFiles } from "./migrations/0045_kept_files.ts"
import { secondOperators } from "./migrations/0046_second_operators.ts"
import { quotaCounts } from "./migrations/0048_quota_counts.ts"
import { approvalsShown } from "./migrations/0055_approvals_shown.ts"
import { stripeCallKeys } from "./migrations/0068_stripe_call_keys.ts"
import { stripeArrivals } from "./migrations/0069_stripe_arrivals.ts"
import * as Postgres from "./Postgres.ts"
import { patiently } from "../runtime/patience.ts"

/** A migration may rewrite a table, and another runner's may have to end first. */
const patience = "1 hour"

export const migrations = {
  "0001_main_job": mainJob,
  "0002_quotas": quotas,
  "0003_api_logs": apiLogs,
  "0004_lists": lists,
  "0005_idempotency": idempotency,
  "0006_money_back": moneyBack,
  "0007_audit": audit,
  "0008_chargeback_requests": chargebackRequests,
  "0009_stored_tokens": storedTokens,
  "0010_secret_check": secretCheck,
  "0011_delivery_lines": deliveryLines,
  "0012_sandbox_seeds": sandboxSeeds,
  "0014_webhook_settings": webhookSettings,
  "0015_deliveries_by_endpoint": deliveriesByEndpoint,
  "0016_payment_links": paymentLinks,
  "0017_receipts": receipts,
  "0018_runs": runs,
  "0019_delivery_leases": deliveryLeases,
  "0020_shop_settings": shopSettings,
  "0022_log_bodies": logBodies,
  "0023_lighter_rows": lighterRows,
  "0024_operators": operators,
  "0025_ledger_sources": ledgerSources,
  "0026_roles": roles,
  "0027_key_rotation": keyRotation,
  "0028_runners": runners,
  "0029_runner_vitals": runnerVitals,
  "0030_stripe": stripe,
  "0031_reconciliation": reconciliation,
  "0032_work_errors": workErrors,
  "0033_sandbox_clocks": sandboxClocks,
  "0034_stripe_rules": stripeRules,
  "0035_exchanged_movements": exchangedMovements,
  "0036_list_horizons": listHorizons,
  "0037_link_visits": linkVisits,
  "0038_sandbox_mails": sandboxMails,
  "0039_runners_take_part": runnersTakePart,
  "0045_kept_files": keptFiles,
  "0046_second_operators": secondOperators,
  "0048_quota_counts": quotaCounts,
  "0055_approvals_shown": approvalsShown,
  "0068_stripe_call_keys": stripeCallKeys,
  "0069_stripe_arrivals": stripeArrivals
}

/** The address of the tables' owner; undefined where the service's own role is the one that migrates, if any. */
export const Owner = Context.Reference<Redacted.Redacted | undefined>("@coffer/platform/Migrator/Owner", {
  defaultValue: () => undefined
})

/** Why the database cannot be brought to this program's shape, for the person who started it. */
export class NotMigrated extends Schema.TaggedError<NotMigrated>()("NotMigrated", { message: Schema.String }) {}

/** The number of the newest one that this program knows. */
export const newestMigration = Math.max(...Object.keys(migrations).map((name) => Number.parseInt(name, 10)))

export const migrateWith = (some: Partial<typeof migrations>) =>
  Migrator.make({})({ table: "coffer_migrations", loader: Migrator.fromRecord(some) }).pipe(
    patiently(patience, patience)
  )

/** Ours, and those of the cluster's register of runners, so that no start needs to make a table. */
export const migrate = Effect.gen(function* () {
  yield* expectKnown(yield* SqlClient.SqlClient)
  const applied = yield* migrateWith(migrations)
  yield* Migrator.make({})({ table: "cluster_runner_migrations", loader: SqlRunnerStorage.migrations({}) })
  return applied
})

/** As the owner: both, or nothing, so that no migrated table is without its grants. */
export const migrateFor = (role: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql
      .withTransaction(
        // Two owners at once would fail on the same rows of the catalogue.
        Effect.andThen(
          sql`select pg_advisory_xact_lock(hashtext('coffer migrations'))`,
          Effect.tap(migrate, () => grantTo(sql, role))
        )
      )
      .pipe(patiently(patience, patience))
  )

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const owner = yield* Owner
    const sql = yield* SqlClient.SqlClient
    if (owner !== undefined) yield* tell(yield* migrateAs(owner))
    else if (yield* mayMigrate(sql)) yield* tell(yield* Effect.tap(migrate, makeIndexes(laterIndexes)))
    else yield* expectMigrated(sql)
    const why = yield* ledgerRights(sql)
    if (why === undefined) return
    yield* Effect.logWarning(
      "the service's role in Postgres could change the ledger and the audit log: give it its own"
    ).pipe(Effect.annotateLogs({ why, see: "docs/operating.md" }))
  })
)

const migrateAs = (url: Redacted.Redacted) =>
  Effect.gen(function* () {
    const service = yield* SqlClient.SqlClient
    const [row] = yield* service<{ readonly role: string }>`select current_user as role`
    const own = yield* Layer.build(Postgres.layer({ url, connections: 1, name: "coffer-migrate", watched: false }))
    const sql = Context.get(own, SqlClient.SqlClient)
    const [is] = yield* sql<{ readonly same: boolean }>`select current_user = ${row!.role} as same`
    const migrating = Effect.tap(is!.same ? migrate : migrateFor(row!.role), makeIndexes(laterIndexes))
    return yield* Effect.provideService(migrating, SqlClient.SqlClient, sql)
  }).pipe(
    Effect.scoped,
    Effect.catchTags({ SqlError: (error) => notMigrated(databaseProblem(url, error, "MIGRATION_DATABASE_URL")) })
  )

const notMigrated = (message: string) => Effect.fail(new NotMigrated({ message }))

/** Whether the connection's role owns the tables, or may make them where there are none. */
export const mayMigrate = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly may: boolean }>`select coalesce(
        (select pg_has_role(relowner, 'usage') from pg_class where oid = to_regclass('coffer_migrations')),
        has_schema_privilege(current_schema(), 'create'), false) as may`,
    ([row]) => row!.may
  )

/** The library's migrator looks at the newest number alone: it would start beside what it does not know. */
const expectKnown = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const [there] = yield* sql<{ readonly is: boolean }>`select to_regclass('coffer_migrations') is not null as is`
  if (!there!.is) return
  const rows = yield* sql<{ readonly id: number; readonly name: string }>`
    select migration_id::int4 as id, name from coffer_migrations order by migration_id`
  const problem = mismatch(rows, Object.keys(migrations))
  if (problem !== undefined) return yield* notMigrated(problem)
})

/** `applied`: by their numbers. `known`: names of migrations with their numbers in front. */
export const mismatch = (
  applied: ReadonlyArray<{ readonly id: number; readonly name: string }>,
  known: ReadonlyArray<string>
): string | undefined => {
  const names = new Map(known.map((name) => [Number.parseInt(name, 10), name]))
  const stranger = applied.find(({ id }) => !names.has(id))
  if (stranger !== undefined) {
    return (
      `The database has the migration ${stranger.id} (${stranger.name}), which this version of the program does not ` +
      "know. Start the version that made it, or a newer one."
    )
  }
  const newest = applied.at(-1)?.id ?? 0
  const done = new Set(applied.map(({ id }) => id))
  const skipped = [...names].find(([id]) => id < newest && !done.has(id))
  return skipped === undefined
    ? undefined
    : `The migration ${skipped[1]} was never applied to this database, and newer ones were. ` +
        "Restore a backup of before, or ask whoever made this version."
}

const expectMigrated = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const [there] = yield* sql<{ readonly is: boolean; readonly readable: boolean }>`
    select oid is not null as is, coalesce(has_table_privilege(oid, 'select'), false) as readable
    from to_regclass('coffer_migrations') oid`
  if (!there!.is)
    return yield* notMigrated(`The database has no tables yet, and this role may not make them. ${setOwner}`)
  if (!there!.readable) return yield* notMigrated(`This role has no rights on the tables yet. ${setOwner}`)
  yield* expectKnown(sql)
  const [row] = yield* sql<{ readonly newest: number }>`
    select coalesce(max(migration_id), 0)::int4 as newest from coffer_migrations`
  const missing = Object.keys(migrations).filter((name) => Number.parseInt(name, 10) > row!.newest)
  if (missing.length === 0) return
  return yield* notMigrated(
    `The database needs ${missing.length === 1 ? "the migration" : "the migrations"} ${missing.join(", ")}, ` +
      `and this role does not own its tables. ${setOwner}`
  )
})

const setOwner =
  "Run coffer migrate, or set MIGRATION_DATABASE_URL, with the role that owns the tables (docs/operating.md)."

const tell = (applied: ReadonlyArray<readonly [id: number, name: string]>) => {
  const [first] = applied
  if (first === undefined) return Effect.void
  // A new database is no news, and the first start on a laptop has a banner for people instead.
  const log = first[0] === 1 ? Effect.logDebug : Effect.logInfo
  return log("database migrated", { applied: applied.map(([, name]) => name) })
}
