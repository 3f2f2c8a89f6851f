/**
 * Rows of API logs: inserted many at once, listed newest first, and kept by days (spec: API log; Limits). Best effort:
 * an insert may be lost in a crash, which is why its commit does not wait for the disk.
 */
import { Mode, prefixes } from "@coffer/model/Ids"
import type { Owner } from "@coffer/model/Owner"
import type { InvalidField } from "@coffer/rules/InvalidField"
import type { Page, PageRequest } from "@coffer/rules/lists/pageRequest"
import { Context, DateTime, Effect, identity, Layer, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { sqlDefects } from "../platform/postgres/sqlDefect.ts"
import * as Days from "../platform/postgres/DailyPartitions.ts"
import * as Pages from "../platform/postgres/Pages.ts"
import { along, equals, isStorable, type Path } from "../platform/postgres/scans.ts"
import { TimeColumn } from "../platform/runtime/codecs.ts"
import { asyncCommit } from "../platform/postgres/asyncCommit.ts"

/** A row as it is written. Bodies are JSON as text; what there is none of is null, and so is an empty text. */
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
  /** One status such as `404`, or a class such as `4xx`. */
  readonly status: string | undefined
  readonly path: string | undefined
  readonly errorCode: string | undefined
}

/** The successes that this service answers with (silences: G4): the class `2xx`, one by one. */
export const successes = [200, 201, 202]

/** One of the filters, and how an index leads to what it lets through. */
interface Way {
  readonly condition: Statement.Fragment
  readonly path: Path
}

export class LogStore extends Context.Service<
  LogStore,
  {
    /** Writes all of them or none. A day that has no partition yet gets one. */
    readonly insert: (rows: ReadonlyArray<NewLogRow>) => Effect.Effect<void, SqlError.SqlError>
    readonly page: (owner: Owner, request: PageRequest, filter: LogFilter) => Effect.Effect<Page<LogRow>, InvalidField>
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
    const days = Days.make(sql, "api_logs")

    const write = (rows: ReadonlyArray<NewLogRow>) =>
      asyncCommit(
        sql,
        sql.unsafe(
          insertion,
          columns.map((column) => rows.map((row) => cells[column](row)))
        )
      )

    const insert = (rows: ReadonlyArray<NewLogRow>) =>
      write(rows).pipe(
        Effect.catchIf(isMissingPartition, () =>
          Effect.andThen(days.open(rows.map(({ created_at }) => created_at)), write(rows))
        ),
        Effect.asVoid
      )

    const pages = Pages.make(sql, {
      table: { name: "api_logs", key: "request_id", row: LogRow, read: identity },
      prefixOf: () => prefixes.request,
      called: "an API log"
    })

    const search = makeSearch(sql, pages)

    return LogStore.of({
      insert,
      page: Effect.fnUntraced(function* (owner, request, filter) {
        return yield* pages.page(owner, request, yield* search(owner, filter))
      }),
      openDays: (some) => sqlDefects(Effect.asVoid(days.open(some))),
      dropBefore: (day) => sqlDefects(days.dropBefore(day))
    })
  })
)

// Search ----------------------------------------------------------------------

const makeSearch = (sql: SqlClient.SqlClient, pages: Pages.Pages<LogRow>) => {
  const way = (column: string, value: string, ...needs: ReadonlyArray<Statement.Fragment>): Way => ({
    condition: equals(sql, column, value),
    path: { ...along({ [column]: value }), needs }
  })
  const successWay: Way = {
    condition: sql.in("status", successes),
    path: along(...successes.map((status) => ({ status: String(status) })))
  }
  const statusWay = (status: string): Way => {
    if (status === "2xx") return successWay
    return status.endsWith("xx") ? way("status_class", status.slice(0, 1), sql`status >= 300`) : way("status", status)
  }
  const waysOf = ({ errorCode, path, status }: LogFilter): ReadonlyArray<Way> => [
    ...(errorCode === undefined ? [] : [way("error_code", errorCode, sql`error_code is not null`)]),
    ...(status === undefined ? [] : [statusWay(status)]),
    ...(path === undefined ? [] : [way("path", path)])
  ]

  return Effect.fnUntraced(function* (owner: Owner, filter: LogFilter) {
    const { errorCode = "", path = "", requestId } = filter
    if (![errorCode, path].every(isStorable)) return { filters: [sql`false`] }
    const ways = waysOf(filter)
    // Of one id there is one call or none: no other filter could lead to it sooner.
    if (requestId !== undefined) {
      return { filters: [equals(sql, "request_id", requestId), ...ways.map(({ condition }) => condition)] }
    }
    return yield* pages.shortest(
      owner,
      ways.map((way) => ({
        path: way.path,
        filters: ways.filter((other) => other !== way).map(({ condition }) => condition)
      }))
    )
  })
}

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
