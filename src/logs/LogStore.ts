/**
 * Rows of API logs: inserted many at once, listed newest first, and kept by days (spec: API log; Limits). Best effort:
 * an insert may be lost in a crash, which is why its commit does not wait for the disk.
 */
import { Mode, prefixes } from "@coffer/model/Ids"
import type { InvalidField } from "@coffer/rules/InvalidField"
import type { Page, PageRequest } from "@coffer/rules/lists/pageRequest"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
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
  /** One status such as `404`, or a class such as `4xx`. */
  readonly status: string | undefined
  readonly path: string | undefined
  readonly errorCode: string | undefined
}

/** The successes that this service answers with (silences: G4): the class `2xx`, one by one. */
export const successes = ["200", "201", "202"]

/** One of the filters, and how an index leads to what it lets through. */
interface Way {
  readonly condition: Statement.Fragment
  readonly along: Pages.Path
  /** Said by the filter, but not so that Postgres sees that the index has all rows. */
  readonly needs: ReadonlyArray<Statement.Fragment>
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

    const way = (column: string, value: string, ...needs: ReadonlyArray<Statement.Fragment>): Way => ({
      condition: Pages.equals(sql, column, value),
      along: Pages.along({ [column]: value }),
      needs
    })
    const successWay: Way = {
      condition: sql.in("status", successes),
      along: Pages.along(...successes.map((status) => ({ status }))),
      needs: []
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

    /** Of several ways the one that passes by the fewest rows, as far as a short count can tell. */
    const shortest = Effect.fnUntraced(function* (owner: Pages.Owner, ways: ReadonlyArray<Way>) {
      if (ways.length < 2) return 0
      const counts = ways.map(({ along, needs }) => pages.count(owner, { path: along, filters: needs }, countMax))
      const [{ found }] = yield* decodeCounts(yield* sql`select array[${sql.csv(counts)}] as found`)
      return found.indexOf(Math.min(...found))
    })

    const searchOf = Effect.fnUntraced(function* (owner: Pages.Owner, filter: LogFilter) {
      const { errorCode, path, requestId } = filter
      if (![errorCode ?? "", path ?? ""].every(Pages.isStorable)) return { filters: [sql`false`] }
      const ways = waysOf(filter)
      const conditions = ways.map(({ condition }) => condition)
      // A unique key: there is one or none.
      if (requestId !== undefined) return { filters: [Pages.equals(sql, "request_id", requestId), ...conditions] }
      const taken = yield* shortest(owner, ways)
      const way = ways[taken]
      return way === undefined
        ? { path: Pages.along({}), filters: [] }
        : { path: way.along, filters: [...way.needs, ...conditions.toSpliced(taken, 1)] }
    }, dieIfBroken)

    return LogStore.of({
      insert,
      page: (owner, request, filter) =>
        Effect.flatMap(searchOf(owner, filter), (search) => pages.page(owner, request, search)),
      openDays: (days) => dieIfBroken(Effect.asVoid(openAll(days.map(dayText)))),
      dropBefore
    })
  })
)

/** Beyond it one way is as long as another. */
const countMax = 500
const decodeCounts = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ found: Schema.Array(Schema.Int) })]))

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
