/**
 * Rows of API logs: inserted many at once, listed newest first, and kept by days (spec: API log; Limits). Best effort:
 * an insert may be lost in a crash, which is why its commit does not wait for the disk.
 */
import { Mode, prefixes } from "@coffer/model/Ids"
import type { InvalidField } from "@coffer/rules/InvalidField"
import type { Page, PageRequest } from "@coffer/rules/lists/pageRequest"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { dieIfBroken } from "../ground/broken.ts"
import { TimeColumn } from "../ground/codecs.ts"
import * as Pages from "../ground/Pages.ts"

/** A row as it is written. Bodies are JSON as text; what there is none of is null. */
export interface NewLogRow {
  readonly request_id: string
  readonly merchant_id: string
  readonly mode: Mode
  readonly method: string
  readonly path: string
  readonly status: number
  readonly error_code: string | null
  readonly duration_ms: number
  readonly ip: string | null
  readonly user_agent: string | null
  readonly idempotency_key: string | null
  readonly request_body: string | null
  readonly response_body: string | null
  readonly created_at: DateTime.Utc
}

export const LogRow = Schema.Struct({
  request_id: Schema.String,
  mode: Mode,
  method: Schema.String,
  path: Schema.String,
  status: Schema.Int,
  error_code: Schema.NullOr(Schema.String),
  duration_ms: Schema.Int,
  ip: Schema.NullOr(Schema.String),
  user_agent: Schema.NullOr(Schema.String),
  idempotency_key: Schema.NullOr(Schema.String),
  request_body: Schema.Unknown,
  response_body: Schema.Unknown,
  created_at: TimeColumn
})
export type LogRow = typeof LogRow.Type

export interface LogFilter {
  readonly requestId: string | undefined
  /** One status, or a class by its first digit. */
  readonly status: { readonly code: number } | { readonly class: number } | undefined
  readonly path: string | undefined
  readonly errorCode: string | undefined
}

export class LogStore extends Context.Service<
  LogStore,
  {
    /** Writes all of them or none. A day that has no partition yet gets one. */
    readonly insert: (rows: ReadonlyArray<NewLogRow>) => Effect.Effect<void, SqlError.SqlError>
    readonly page: (
      owner: Pages.Owner,
      request: PageRequest,
      filter: LogFilter
    ) => Effect.Effect<Page<LogRow>, InvalidField>
    /** Makes the partitions of these days where there are none. */
    readonly openDays: (days: ReadonlyArray<DateTime.Utc>) => Effect.Effect<void>
    /** Drops the partitions of all days before this one. */
    readonly dropBefore: (day: DateTime.Utc) => Effect.Effect<void>
  }
>()("@coffer/logs/LogStore") {}

export const layer = Layer.effect(
  LogStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const write = (rows: ReadonlyArray<NewLogRow>) =>
      // A connection of its own: other statements would wait behind this one.
      sql.withTransaction(
        Effect.andThen(
          sql`set local synchronous_commit to off`,
          sql.unsafe(
            insertion,
            columns.map((column) => rows.map((row) => cells[column](row)))
          )
        )
      )

    const insert = (rows: ReadonlyArray<NewLogRow>) =>
      write(rows).pipe(
        Effect.catchIf(isMissingPartition, () => Effect.andThen(openAll(daysOf(rows)), write(rows))),
        Effect.asVoid
      )

    /** One at a time among all runners, and never in the way of a list for long. */
    const reshape = <A, E, R>(statements: Effect.Effect<A, E, R>) =>
      sql.withTransaction(
        Effect.all([
          sql`set local lock_timeout to '5s'`,
          sql`select pg_advisory_xact_lock(hashtext('api_logs'))`,
          statements
        ])
      )

    const openAll = (days: ReadonlyArray<string>) =>
      reshape(Effect.forEach(days, (day) => sql.unsafe(partitionOf(day)), { discard: true }))

    const dropBefore = Effect.fnUntraced(function* (day: DateTime.Utc) {
      const rows = yield* sql`select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'api_logs'::regclass order by c.relname`
      const names = yield* decodeNames(rows)
      const old = names.filter(({ name }) => name < nameOf(dayText(day))).map(({ name }) => name)
      if (old.length === 0) return
      yield* reshape(Effect.forEach(old, (name) => sql`drop table if exists ${sql(name)}`, { discard: true }))
      yield* Effect.logInfo("days of API logs dropped", { partitions: old })
    }, dieIfBroken)

    const pages = Pages.make(sql, {
      table: "api_logs",
      id: "request_id",
      prefixOf: () => prefixes.request,
      row: LogRow,
      idOf: ({ request_id }) => request_id,
      called: "an API log"
    })

    const searchOf = ({ errorCode, path, requestId, status }: LogFilter): Pages.Search => {
      const filters = [
        ...(requestId === undefined ? [] : [Pages.equals(sql, "request_id", requestId)]),
        ...(path === undefined ? [] : [Pages.equals(sql, "path", path)]),
        ...(errorCode === undefined ? [] : [Pages.equals(sql, "error_code", errorCode)])
      ]
      if (status === undefined) return { filters }
      if ("code" in status) return { filters: [...filters, sql`status = ${status.code}`] }
      // As the index has it, word for word: migrations/0003_api_logs.ts.
      const rare = sql`status / 100 = ${status.class} and status not in (200, 201, 202)`
      if (status.class !== 2) return { filters: [...filters, rare] }
      return { filters, branches: [rare, sql`status = 200`, sql`status = 201`, sql`status = 202`] }
    }

    return LogStore.of({
      insert,
      page: (owner, request, filter) => pages.page(owner, request, searchOf(filter)),
      openDays: (days) => dieIfBroken(Effect.asVoid(openAll(days.map(dayText)))),
      dropBefore
    })
  })
)

const decodeNames = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ name: Schema.String })))

// Insert ----------------------------------------------------------------------

// The client cannot tell the type of an array of nulls, so nothing is an empty text on the way.
const text = (name: keyof NewLogRow) => (row: NewLogRow) => (row[name] as string | null) ?? ""

const cells: Record<keyof NewLogRow, (row: NewLogRow) => unknown> = {
  request_id: text("request_id"),
  merchant_id: text("merchant_id"),
  mode: text("mode"),
  method: text("method"),
  path: text("path"),
  status: ({ status }) => status,
  error_code: text("error_code"),
  duration_ms: ({ duration_ms }) => duration_ms,
  ip: text("ip"),
  user_agent: text("user_agent"),
  idempotency_key: text("idempotency_key"),
  request_body: text("request_body"),
  response_body: text("response_body"),
  created_at: ({ created_at }) => DateTime.toDateUtc(created_at)
}
const columns = Object.keys(cells) as ReadonlyArray<keyof NewLogRow>

const typeOf: Partial<Record<keyof NewLogRow, string>> = {
  status: "integer",
  duration_ms: "integer",
  created_at: "timestamptz"
}
const valueOf = (column: keyof NewLogRow): string => {
  if (column in typeOf) return column
  return column.endsWith("_body") ? `nullif(${column}, '')::jsonb` : `nullif(${column}, '')`
}
const insertion = `insert into api_logs (${columns.join(", ")})
  select ${columns.map(valueOf).join(", ")}
  from unnest(${columns.map((column, index) => `$${index + 1}::${typeOf[column] ?? "text"}[]`).join(", ")})
    as rows (${columns.join(", ")})`

/** "No partition of relation found for row" is a check violation, and the table has no other checks. */
const isMissingPartition = ({ reason }: SqlError.SqlError): boolean => reason._tag === "ConstraintError"

// Days ------------------------------------------------------------------------

/** The UTC day as `2026-01-31`. */
const dayText = (time: DateTime.Utc): string => DateTime.formatIsoDateUtc(time)
const daysOf = (rows: ReadonlyArray<NewLogRow>) => [...new Set(rows.map(({ created_at }) => dayText(created_at)))]

const nameOf = (day: string): string => `api_logs_${day.replaceAll("-", "")}`

const partitionOf = (day: string): string =>
  `create table if not exists ${nameOf(day)} partition of api_logs
    for values from ('${day} 00:00:00+00') to (timestamptz '${day} 00:00:00+00' + interval '24 hours')`
