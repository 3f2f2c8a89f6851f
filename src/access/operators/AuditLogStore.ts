/** Rows of the audit log. Postgres numbers and links them (migration 0192), and refuses to change one. */
import { isoText } from "@coffer/model/isoText"
import { prefixes } from "@coffer/model/Ids"
import type { InvalidField } from "@coffer/rules/InvalidField"
import type { CreatedRange } from "@coffer/rules/lists/created"
import type { Page, PageRequest } from "@coffer/rules/lists/pageRequest"
import { Context, Effect, Layer, Option, Schema, Stream } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import * as oneAtATime from "../../platform/postgres/oneAtATime.ts"
import * as Pages from "../../platform/postgres/Pages.ts"
import { isMerchant, isObject, merchantIn, objectIn } from "../../platform/postgres/auditTargets.ts"
import { equals } from "../../platform/postgres/scans.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { jsonText, parseJson } from "../../platform/runtime/codecs.ts"
import { AuditRow, type NewAuditRow } from "./auditRow.ts"

export interface AuditFilters {
  readonly actor_id?: string
  readonly act?: string
  readonly target?: string
  /** One entry an act (`onePerAct`). */
  readonly per?: "act"
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
const aboutMoney = ["payouts/", "orders/"].flatMap((path) => [`/operator/v1/${path}`, `/console/api/operator/${path}`])

/**
 * Postgres underestimates how many paths start like this, and would sort all entries of a merchant. With this condition
 * it expects nearly all rows to match.
 */
const isOfMerchant = (sql: SqlClient.SqlClient, merchantId: string) => {
  const paths = [...[...aboutMerchants, ...byOperators].map((path) => path + merchantId), ...aboutMoney]
  const begins = paths.map((path) => sql`starts_with(target, ${path})`)
  return sql`case when ${sql.or(begins)} then 1 else 0 end <> 0`
}

/**
 * The entry before an act is left out once there is one after it. Postgres may not hash the entries after: it would
 * read the whole log for a page.
 */
const onePerAct = (sql: SqlClient.SqlClient) => sql`(phase <> 'begun' or not exists (select from audit_log ended
  where ended.request_id = audit_log.request_id and ended.act = audit_log.act and ended.id > audit_log.id
    and ended.phase in ('done', 'refused')))`

export class AuditLogStore extends Context.Service<
  AuditLogStore,
  {
    readonly insert: (row: NewAuditRow) => Effect.Effect<void>
    /** Newest first. */
    readonly page: (request: PageRequest, filters: AuditFilters) => Effect.Effect<Page<AuditRow>, InvalidField>
    /** Entries about this merchant: acts of its people, and of operators on it. Newest first. */
    readonly pageOf: (
      merchantId: string,
      request: PageRequest,
      act?: string
    ) => Effect.Effect<Page<AuditRow>, InvalidField>
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
    const beginnings = SqlSchema.findAll({
      Request: Schema.Array(Schema.String),
      Result: Beginning,
      execute: (requestIds) =>
        sql`select request_id, act, details from audit_log where phase = 'begun' and request_id = any(${requestIds})`
    })
    /** The entry after an act has its request, too, which the one before it holds. */
    const withRequests = Effect.fnUntraced(function* (rows: ReadonlyArray<AuditRow>) {
      const ended = rows.filter(({ phase, request_id }) => phase === "done" && request_id !== "")
      if (ended.length === 0) return rows
      const begun = yield* beginnings(ended.map(({ request_id }) => request_id))
      const found = new Map(begun.map((one) => [`${one.request_id} ${one.act}`, one.details]))
      return rows.map((row): AuditRow => {
        const request = row.phase === "done" ? found.get(`${row.request_id} ${row.act}`) : undefined
        return request === undefined ? row : { ...row, details: joined(request, row.details) }
      })
    }, sqlDefects)
    const search = ({ act, actor_id, per, target }: AuditFilters) => ({
      filters: [
        ...(per === undefined ? [] : [onePerAct(sql)]),
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
      page: Effect.fnUntraced(function* (request, filters) {
        const page = yield* pages.page("installation", request, search(filters))
        return filters.per === undefined ? page : { ...page, data: yield* withRequests(page.data) }
      }),
      pageOf: Effect.fnUntraced(function* (merchantId, request, act) {
        const ofMerchant = [sql`${sql.literal(merchantIn)} = ${merchantId}`, isOfMerchant(sql, merchantId)]
        const page = yield* pages.page("installation", request, {
          filters: [...ofMerchant, onePerAct(sql), ...(act === undefined ? [] : [equals(sql, "act", act)])]
        })
        return { ...page, data: yield* withRequests(page.data) }
      }),
      exported: Effect.fnUntraced(function* (created, filters) {
        const found = yield* pages.exported("installation", created, search(filters))
        return filters.per === undefined ? found : { ...found, chunks: Stream.mapEffect(found.chunks, withRequests) }
      })
    })
  })
)

const Beginning = Schema.Struct({ request_id: Schema.String, act: Schema.String, details: Schema.String })

const joined = (...details: ReadonlyArray<string>): string =>
  jsonText(Object.assign({}, ...details.map((text) => Option.getOrElse(parseJson(text), () => ({})))))
