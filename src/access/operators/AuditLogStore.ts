/** Rows of the audit log. Postgres numbers and links them (migration 0192), and refuses to change one. */
import { isoText } from "@coffer/model/isoText"
import { prefixes } from "@coffer/model/Ids"
import type { InvalidField } from "@coffer/rules/InvalidField"
import type { CreatedRange } from "@coffer/rules/lists/created"
import type { Page, PageRequest } from "@coffer/rules/lists/pageRequest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as oneAtATime from "../../platform/postgres/oneAtATime.ts"
import * as Pages from "../../platform/postgres/Pages.ts"
import { isMerchant, isObject, merchantIn, objectIn } from "../../platform/postgres/auditTargets.ts"
import { equals } from "../../platform/postgres/scans.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { AuditRow, type NewAuditRow } from "./auditRow.ts"

export interface AuditFilters {
  readonly actor_id?: string
  readonly act?: string
  readonly target?: string
}

/** A number of a merchant or of another object, or the whole path. */
const isAbout = (sql: SqlClient.SqlClient, target: string) => {
  if (isMerchant(target)) return sql`${sql.literal(merchantIn)} = ${target}`
  return isObject(target) ? sql`${sql.literal(objectIn)} = ${target}` : equals(sql, "target", target)
}

/** Paths of which a part is a merchant's number. A person of another merchant may write it elsewhere in a path. */
const aboutMerchants = ["/console/api/merchants/", "/console/api/accounts/", "/operator/v1/merchants/"]
const byOperators = ["/console/api/operator/merchants/", ""]
/** Paths of operators alone, which name the merchant whose money they move after them. */
const aboutMoney = ["/operator/v1/payouts/", "/console/api/operator/payouts/"]

/**
 * Postgres underestimates how many paths start like this, and would sort all entries of a merchant. With this condition
 * it expects nearly all rows to match.
 */
const isOfMerchant = (sql: SqlClient.SqlClient, merchantId: string) => {
  const paths = [...[...aboutMerchants, ...byOperators].map((path) => path + merchantId), ...aboutMoney]
  const begins = paths.map((path) => sql`starts_with(target, ${path})`)
  return sql`case when ${sql.or(begins)} then 1 else 0 end <> 0`
}

export class AuditLogStore extends Context.Service<
  AuditLogStore,
  {
    readonly insert: (row: NewAuditRow) => Effect.Effect<void>
    /** Newest first. */
    readonly page: (request: PageRequest, filters: AuditFilters) => Effect.Effect<Page<AuditRow>, InvalidField>
    /** Entries about this merchant: acts of its people, and of operators on it. Newest first. */
    readonly pageOf: (merchantId: string, request: PageRequest) => Effect.Effect<Page<AuditRow>, InvalidField>
    readonly exported: (created: CreatedRange, filters: AuditFilters) => Effect.Effect<Pages.Exported<AuditRow>>
  }
>()("@coffer/operators/AuditLogStore") {}

export const layer = Layer.effect(
  AuditLogStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const inTurn = oneAtATime.make(sql)
    const pages = Pages.make(sql, {
      table: { name: "audit_log", key: "id", row: AuditRow, read: (row: AuditRow) => row },
      prefixOf: () => prefixes.auditEntry,
      called: "an entry of the audit log"
    })
    const search = ({ act, actor_id, target }: AuditFilters) => ({
      filters: [
        ...Object.entries({ act, actor_id }).flatMap(([column, value]) =>
          value === undefined ? [] : [equals(sql, column, value)]
        ),
        ...(target === undefined ? [] : [isAbout(sql, target)])
      ]
    })
    return AuditLogStore.of({
      insert: (row) =>
        sqlDefects(
          inTurn(sql`insert into audit_log
            (id, actor_id, actor, role, ip, request_id, act, phase, target, status, details, created_at)
            values (${row.id}, ${row.actor_id}, ${row.actor}, ${row.role}, ${row.ip}, ${row.request_id}, ${row.act},
              ${row.phase}, ${row.target}, ${row.status}::int4, ${row.details},
              ${isoText(row.created_at)}::text::timestamptz)`).pipe(Effect.asVoid)
        ),
      page: (request, filters) => pages.page("installation", request, search(filters)),
      pageOf: (merchantId, request) =>
        pages.page("installation", request, {
          filters: [sql`${sql.literal(merchantIn)} = ${merchantId}`, isOfMerchant(sql, merchantId)]
        }),
      exported: (created, filters) => pages.exported("installation", created, search(filters))
    })
  })
)
