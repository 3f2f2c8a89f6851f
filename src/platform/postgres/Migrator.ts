/** Brings the database to this program's shape. Forward only; N runners may start together, one migrates. */
import { Effect, Layer } from "effect"
import { Migrator } from "effect/sql"
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
  "0025_ledger_sources": ledgerSources
}

export const migrateWith = (some: Partial<typeof migrations>) =>
  Migrator.make({})({ table: "coffer_migrations", loader: Migrator.fromRecord(some) }).pipe(
    patiently(patience, patience)
  )

export const migrate = migrateWith(migrations)

export const layer = Layer.effectDiscard(
  Effect.flatMap(migrate, (applied) => {
    const [first] = applied
    if (first === undefined) return Effect.void
    // A new database is no news, and the first start on a laptop has a banner for people instead.
    const log = first[0] === 1 ? Effect.logDebug : Effect.logInfo
    return log("database migrated", { applied: applied.map(([, name]) => name) })
  })
)
