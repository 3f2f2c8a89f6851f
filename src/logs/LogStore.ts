/**
 * Rows of API logs: inserted many at once, listed newest first, and kept by days (spec: API log; Limits). Best effort:
 * an insert may be lost in a crash, which is why its commit does not wait for the disk.
 */
import { Mode, prefixes } from "@coffer/model/Ids"
import { InvalidField } from "@coffer/rules/InvalidField"
import { type IdRange, idsCreated, newerThan, olderThan } from "@coffer/rules/lists/created"
import { type Page, pageOf, type PageRequest } from "@coffer/rules/lists/pageRequest"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { sqlDefects } from "../platform/postgres/sqlDefect.ts"
import * as Days from "../platform/postgres/DailyPartitions.ts"
import * as Pages from "../platform/postgres/Pages.ts"
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
  /** A column whose index has all rows with these values, each value's in the order of their ids. */
  readonly column: string
  readonly values: ReadonlyArray<string | number>
  /** Follows from the filter, but not so that Postgres sees that the index has all its rows. */
  readonly needs: ReadonlyArray<Statement.Fragment>
}

interface Scan {
  readonly owner: Pages.Owner
  readonly ids: IdRange
  readonly conditions: ReadonlyArray<Statement.Fragment>
  readonly newestFirst: boolean
  readonly limit: number
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

    const mine = ({ merchantId, mode }: Pages.Owner) => sql`merchant_id = ${merchantId} and mode = ${mode}`

    const way = (column: string, value: string, ...needs: ReadonlyArray<Statement.Fragment>): Way => ({
      condition: Pages.equals(sql, column, value),
      column,
      values: [value],
      needs
    })
    const successWay: Way = { condition: sql.in("status", successes), column: "status", values: successes, needs: [] }
    const statusWay = (status: string): Way => {
      if (status === "2xx") return successWay
      return status.endsWith("xx") ? way("status_class", status.slice(0, 1), sql`status >= 300`) : way("status", status)
    }
    const waysOf = ({ errorCode, path, status }: LogFilter): ReadonlyArray<Way> => [
      ...(errorCode === undefined ? [] : [way("error_code", errorCode, sql`error_code is not null`)]),
      ...(status === undefined ? [] : [statusWay(status)]),
      ...(path === undefined ? [] : [way("path", path)])
    ]

    /** All calls of the owner, by the primary key. */
    const scanAll = ({ conditions, ids, limit, newestFirst, owner }: Scan) =>
      sql`select * from api_logs where ${sql.and([
        mine(owner),
        sql`request_id > ${ids.above} and request_id < ${ids.below}`,
        ...conditions
      ])} order by request_id ${sql.literal(newestFirst ? "desc" : "asc")} limit ${limit}`

    /**
     * Those with one value. Written as a range of `(column, request_id)` and in its order, which only the column's own
     * index has: asked for equality, Postgres may walk along the key instead, when the value is common on average.
     */
    const scanAlong = (column: string, value: string | number, scan: Scan) => {
      const { conditions, ids, limit, newestFirst, owner } = scan
      const order = sql.literal(newestFirst ? "desc" : "asc")
      return sql`select * from api_logs where ${sql.and([
        mine(owner),
        sql`(${sql(column)}, request_id) > (${value}, ${ids.above})`,
        sql`(${sql(column)}, request_id) < (${value}, ${ids.below})`,
        ...conditions
      ])} order by ${sql(column)} ${order}, request_id ${order} limit ${limit}`
    }

    const scanWay = ({ column, needs, values }: Way, scan: Scan) => {
      const scans = values.map((value) =>
        scanAlong(column, value, { ...scan, conditions: [...needs, ...scan.conditions] })
      )
      if (scans.length === 1) return scans[0]!
      return sql`select * from (${sql.join(" union all ", false)(scans.map((one) => sql`(${one})`))}) as found
        order by request_id ${sql.literal(scan.newestFirst ? "desc" : "asc")} limit ${scan.limit}`
    }

    /** Of several filters the one that lets the fewest through, as far as a short count can tell. */
    const narrowest = Effect.fnUntraced(function* (ways: ReadonlyArray<Way>, scan: Scan) {
      if (ways.length < 2) return ways[0]
      const counts = ways.map((way) => {
        const some = scanWay(way, { ...scan, limit: countMax })
        return sql`(select count(*)::int4 from (${some}) as few)`
      })
      const [{ found }] = yield* decodeCounts(yield* sql`select array[${sql.csv(counts)}] as found`)
      return ways[found.indexOf(Math.min(...found))]
    })

    const has = (owner: Pages.Owner, id: string) =>
      Pages.isStorable(id)
        ? Effect.map(
            sql`select 1 from api_logs where ${mine(owner)} and request_id = ${id}`,
            ({ length }) => length > 0
          )
        : Effect.succeed(false)

    const page = Effect.fnUntraced(function* (owner: Pages.Owner, request: PageRequest, filter: LogFilter) {
      const { created, cursor, limit } = request
      if (cursor !== undefined && !(yield* has(owner, cursor.id))) {
        return yield* new InvalidField({ param: cursor.param, problem: "is not the id of an API log" })
      }
      const { errorCode = "", path = "", requestId = "" } = filter
      if (![errorCode, path, requestId].every(Pages.isStorable)) return pageOf<LogRow>([], request)
      const newestFirst = cursor?.param !== "ending_before"
      const all = idsCreated(prefixes.request, created)
      const ids = cursor === undefined ? all : newestFirst ? olderThan(all, cursor.id) : newerThan(all, cursor.id)
      const conditions = [
        ...(created.from === undefined ? [] : [sql`created_at >= ${DateTime.toDateUtc(created.from)}`]),
        ...(created.to === undefined ? [] : [sql`created_at <= ${DateTime.toDateUtc(created.to)}`]),
        ...(filter.requestId === undefined ? [] : [sql`request_id = ${filter.requestId}`])
      ]
      const scan: Scan = { owner, ids, conditions, newestFirst, limit: limit + 1 }
      const ways = waysOf(filter)
      // Of one id there is one call or none: no other filter could lead to it sooner.
      const taken = filter.requestId === undefined ? yield* narrowest(ways, scan) : undefined
      const others = ways.filter((way) => way !== taken).map(({ condition }) => condition)
      const whole: Scan = { ...scan, conditions: [...conditions, ...others] }
      const found = taken === undefined ? scanAll(whole) : scanWay(taken, whole)
      return pageOf(yield* decodeRows(yield* found), request)
    }, sqlDefects)

    return LogStore.of({
      insert,
      page,
      openDays: (some) => sqlDefects(Effect.asVoid(days.open(some))),
      dropBefore: (day) => sqlDefects(days.dropBefore(day))
    })
  })
)

/** Beyond it one filter is as wide as another. */
const countMax = 500
const decodeCounts = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ found: Schema.Array(Schema.Int) })]))

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(LogRow))

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
