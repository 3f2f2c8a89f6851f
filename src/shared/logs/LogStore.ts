/**
 * Rows of API logs: inserted many at once, listed newest first, and kept by days (spec: API log; Limits). Best effort:
 * an insert may be lost in a crash, which is why its commit does not wait for the disk.
 */
import { firstIdBody, millisOfId, type Mode, prefixes } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import type { InvalidField } from "@coffer/rules/InvalidField"
import { apiLogs, type CallSource } from "@coffer/resources/calls"
import { rowFields } from "@coffer/resources/listed"
import type { Page, PageRequest } from "@coffer/rules/lists/pageRequest"
import { Context, DateTime, Effect, identity, Layer, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import * as Days from "../../platform/postgres/DailyPartitions.ts"
import { ListHorizon } from "../../platform/postgres/ListHorizon.ts"
import * as Pages from "../../platform/postgres/Pages.ts"
import { along, equals, isStorable, type Listed, type Path } from "../../platform/postgres/scans.ts"
import { atWork, type Moment } from "./callsAtWork.ts"
import { type Bodies, type Unpacked, unpack } from "./logBodies.ts"
import { insertion, paramsOf, type HorizonPassed } from "./logInsertion.ts"
import { elsewhereMillis } from "./openCalls.ts"
import { NewIds } from "../../platform/runtime/NewIds.ts"
import { TimeColumn } from "../../platform/runtime/codecs.ts"
import { Exclusive } from "../../platform/postgres/Postgres.ts"

/** A row as it is inserted. A missing value and an empty text are null. */
export interface NewLogRow extends Bodies {
  readonly request_id: string
  readonly merchant_id: string
  readonly mode: Mode
  readonly method: string
  readonly path: string
  readonly status: number
  readonly error_code: string | null
  readonly duration_ms: number
  readonly ip: string | null
  /** Null for the main key. */
  readonly key_id?: string | null
  /** `api` unless it says another. */
  readonly source?: CallSource
  readonly user_agent: string | null
  readonly idempotency_key: string | null
  /** A list as JSON. Null if the endpoint knew all fields. */
  readonly ignored_fields?: string | null
  /** Real time: days are kept and dropped by it. */
  readonly created_at: DateTime.Utc
  /** How far the sandbox's clock was ahead of real time. The id has the sandbox's time. */
  readonly ahead_ms?: number
}

const StoredRow = Schema.Struct({
  ...rowFields(apiLogs, TimeColumn),
  /** For rows that were written before there were blocks. */
  request_body: Schema.Unknown,
  response_body: Schema.Unknown,
  /** Where the bodies are; null of a call without any. */
  block: Schema.NullOr(Schema.Int),
  place: Schema.NullOr(Schema.Int),
  /** Null of a row of an older version. */
  ahead_ms: Schema.NullOr(Schema.Int)
})
type StoredRow = typeof StoredRow.Type
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(StoredRow))
export type LogRow = Omit<StoredRow, "block" | "place" | "ahead_ms">

export interface LogFilter {
  readonly requestId: string | undefined
  /** One status such as `404`, or a class such as `4xx`. */
  readonly status: string | undefined
  readonly path: string | undefined
  readonly errorCode: string | undefined
  readonly source: CallSource | undefined
}

export interface PageOptions {
  /** The account's rows say how far its clock was ahead. */
  readonly isClockMoved?: boolean
  /** The reader continues from here: a row is shown only when all earlier ones are written. */
  readonly isFollowed?: boolean
}

/** The successes that this service answers with (silences: G4): the class `2xx`, one by one. */
export const successes = [200, 201, 202]

/** One of the filters, and the index that finds its rows. */
interface Way {
  readonly condition: Statement.Fragment
  readonly path: Path
}

export class LogStore extends Context.Service<
  LogStore,
  {
    /**
     * Inserts all rows or none, apart from those that a list has passed already, and returns the number of these. A
     * missing partition is created.
     */
    readonly insert: (rows: ReadonlyArray<NewLogRow>) => Effect.Effect<number, SqlError.SqlError>
    readonly page: (
      account: Account,
      request: PageRequest,
      filter: LogFilter,
      options?: PageOptions
    ) => Effect.Effect<Page<LogRow>, InvalidField>
    /** Calls with a created object that were running at one of these moments: the last few of each. */
    readonly atWork: (account: Account, moments: ReadonlyArray<Moment>) => Effect.Effect<ReadonlyArray<LogRow>>
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
    const runExclusive = yield* Exclusive
    const days = (["api_logs", "api_log_bodies"] as const).map((table) => Days.make(sql, table))
    const openDays = (some: ReadonlyArray<DateTime.Utc>) =>
      Effect.forEach(days, ({ open }) => open(some), { discard: true })

    const ids = yield* NewIds
    const forgetDays = Effect.forEach(days, ({ forget }) => forget, { discard: true })

    const insert = Effect.fnUntraced(function* (rows: ReadonlyArray<NewLogRow>) {
      const params = yield* paramsOf(rows)
      const write = Effect.andThen(
        openDays(rows.map(({ created_at }) => created_at)),
        runExclusive<HorizonPassed>(insertion, params)
      )
      const passed = yield* Effect.catchIf(write, isMissingPartition, () => Effect.andThen(forgetDays, write))
      for (const { calls, merchant_id, mode } of passed) {
        const lowest = firstIdBody(millisOfId(calls) + elsewhereMillis)
        ids.pass({ merchantId: merchant_id, mode }, lowest)
      }
      return passed.reduce((sum, { late }) => sum + late, 0)
    })

    const withBodies = makeWithBodies(sql)
    const listed: Listed<StoredRow, StoredRow> = {
      table: { name: "api_logs", key: "request_id", row: StoredRow, read: identity },
      prefixOf: () => prefixes.request,
      called: "an API log",
      numbered: "calls"
    }
    const pages = Pages.make(sql, listed)
    const followed = Pages.make(sql, listed, yield* ListHorizon)

    const search = makeSearch(sql, pages)

    return LogStore.of({
      insert,
      page: Effect.fnUntraced(function* (account, request, filter, { isClockMoved = false, isFollowed = false } = {}) {
        const createdAt = sql`created_at + coalesce(ahead_ms, 0) * interval '1 millisecond'`
        const found = yield* search(account, filter)
        const { page: read } = isFollowed ? followed : pages
        const page = yield* read(account, request, isClockMoved ? { ...found, createdAt } : found)
        return { ...page, data: yield* withBodies(page.data) }
      }),
      atWork: Effect.fnUntraced(function* (account, moments) {
        return yield* withBodies(yield* decodeRows(yield* atWork(sql, account, moments)))
      }, sqlDefects),
      openDays: (some) => sqlDefects(openDays(some)),
      dropBefore: (day) => sqlDefects(Effect.forEach(days, ({ dropBefore }) => dropBefore(day), { discard: true }))
    })
  })
)

// Search ----------------------------------------------------------------------

const makeSearch = (sql: SqlClient.SqlClient, pages: Pages.Pages<StoredRow>) => {
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
  const waysOf = ({ errorCode, path, source, status }: LogFilter): ReadonlyArray<Way> => [
    ...(source === "console" ? [way("source", source, sql`source = 'console'`)] : []),
    ...(errorCode === undefined ? [] : [way("error_code", errorCode, sql`error_code is not null`)]),
    ...(status === undefined ? [] : [statusWay(status)]),
    ...(path === undefined ? [] : [way("path", path)])
  ]

  return Effect.fnUntraced(function* (account: Account, filter: LogFilter) {
    const { errorCode = "", path = "", requestId } = filter
    if (![errorCode, path].every(isStorable)) return { filters: [sql`false`] }
    const ways = waysOf(filter)
    // Nearly all calls are of servers, so no index has them.
    const others = filter.source === "api" ? [equals(sql, "source", "api")] : []
    // An id has one call at most: no other filter is more selective.
    if (requestId !== undefined) {
      return { filters: [equals(sql, "request_id", requestId), ...ways.map(({ condition }) => condition), ...others] }
    }
    if (ways.length === 0) return { path: along({}), filters: others }
    return yield* pages.shortest(
      account,
      ways.map((way) => ({
        path: way.path,
        filters: [...ways.filter((other) => other !== way).map(({ condition }) => condition), ...others]
      }))
    )
  })
}

// Bodies ----------------------------------------------------------------------

/** Rows with the bodies from their blocks. */
const makeWithBodies = (sql: SqlClient.SqlClient) => {
  const read = Effect.fnUntraced(function* (blocks: ReadonlyMap<number, DateTime.Utc>) {
    const days = [...blocks.values()].map(DateTime.toDateUtc)
    const rows = yield* sql`select b.block, b.bodies
      from unnest(${days}::timestamptz[], ${[...blocks.keys()].map(String)}::bigint[]) as n (day, block)
        join api_log_bodies b on b.day = n.day and b.block = n.block`
    const found = yield* Effect.forEach(yield* decodeBlocks(rows), ({ block, bodies }) =>
      Effect.map(unpack(bodies), (of) => [block, of] as const)
    )
    return new Map(found)
  }, sqlDefects)

  return Effect.fnUntraced(function* (rows: ReadonlyArray<StoredRow>) {
    const wanted = new Map<number, DateTime.Utc>()
    for (const { block, created_at } of rows) if (block !== null) wanted.set(block, DateTime.removeTime(created_at))
    const blocks = wanted.size === 0 ? new Map<number, Unpacked>() : yield* read(wanted)
    return rows.map(({ ahead_ms, block, place, ...stored }): LogRow => {
      const row = ahead_ms
        ? { ...stored, created_at: DateTime.add(stored.created_at, { milliseconds: ahead_ms }) }
        : stored
      const bodies = block === null ? undefined : blocks.get(block)
      if (bodies === undefined) return row
      const [request_body, response_body] = bodies(place ?? 0)
      return { ...row, request_body, response_body }
    })
  })
}

const decodeBlocks = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ block: Schema.Int, bodies: Schema.Uint8Array }))
)

/** "No partition of relation found for row" is a check violation, and the table has no other checks. */
const isMissingPartition = ({ reason }: SqlError.SqlError): boolean => reason._tag === "ConstraintError"
