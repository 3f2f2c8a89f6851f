/**
 * One way to list every table: a page is a scan of one index along ids, newest first, that begins at a cursor and reads
 * one row more than it shows (spec: List conventions). An export is the same scan in steps, each a short statement, so
 * that a reader who stalls holds no connection. `scans.ts` writes the statements. An account's rows are shown up to its
 * horizon (`ListHorizon.ts`), so that a reader who continues from the newest row misses none.
 */
import { isoText } from "@coffer/model/isoText"
import { bodyOf, createdAtOf, isNumbered } from "@coffer/model/Ids"
import { csvRowsMax } from "@coffer/model/Limits"
import type { Account } from "@coffer/model/Account"
import { InvalidField } from "@coffer/rules/InvalidField"
import { type CreatedRange, type IdRange, idsCreated, newerThan, olderThan } from "@coffer/rules/lists/created"
import { type Page, pageOf, type PageRequest, type Sorted } from "@coffer/rules/lists/pageRequest"
import { Effect, Schema, Stream } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { ListHorizon } from "./ListHorizon.ts"
import { sqlDefects } from "./sqlDefect.ts"
import {
  along,
  isOwned,
  isStorable,
  type Listed,
  makeRows,
  modeOf,
  type Rows,
  type Search,
  type Whose
} from "./scans.ts"
import { patiently } from "../runtime/patience.ts"
import { inSlices } from "../runtime/slices.ts"

export interface Exported<Item> {
  /** The list has more rows than a file may have. */
  readonly truncated: boolean
  /** In chunks, newest first. */
  readonly chunks: Stream.Stream<ReadonlyArray<Item>>
}

export interface Pages<Item> {
  /**
   * Refuses a cursor that is not the id of one of the account's rows (silences: P1). A dropped row still counts as a
   * position: a reader that follows a quiet list has no other.
   */
  readonly page: (account: Whose, request: PageRequest, search: Search) => Effect.Effect<Page<Item>, InvalidField>
  readonly exported: (account: Whose, created: CreatedRange, search: Search) => Effect.Effect<Exported<Item>>
  /** Of several searches for the same rows the one that reads the fewest, by a count up to a limit. */
  readonly shortest: (account: Account, searches: ReadonlyArray<Search>) => Effect.Effect<Search>
}

/** The lists of a kind of object, by what their readers ask for. */
export interface Lists<Query, Item> {
  /** Newest first unless the request sorts (spec: List conventions). */
  readonly page: (account: Account, request: PageRequest, query: Query) => Effect.Effect<Page<Item>, InvalidField>
  readonly exported: (account: Account, created: CreatedRange, query: Query) => Effect.Effect<Exported<Item>>
}

export const lists = <Query, Item>(
  pages: Pages<Item>,
  search: (account: Account, query: Query) => Effect.Effect<Search>
): Lists<Query, Item> => ({
  page: (account, request, query) =>
    Effect.flatMap(search(account, query), (found) => pages.page(account, request, found)),
  exported: (account, created, query) =>
    Effect.flatMap(search(account, query), (found) => pages.exported(account, created, found))
})

/** Rows that one step of an export reads. Fifty long pairs of metadata make a row of 100 kB. */
const stepRows = 100
/**
 * Longer counts are taken as equal. A page may read many rows only if two filters each match more rows than this, and
 * have hardly a row in common.
 */
const countMax = 500
/** Rows that a page by amount sorts: the newest ones of its range (decision 0246). */
export const sortedRows = 10_000
/** Once the file has begun, a step that looks for few rows among many may take longer than a request. */
const exportPatience = "30 seconds"

/** Without a horizon: rows of the installation, which belong to no merchant. */
export const make = <Row extends Readonly<Record<string, unknown>>, Item>(
  sql: SqlClient.SqlClient,
  listed: Listed<Row, Item>,
  horizon?: ListHorizon["Service"]
): Pages<Item> => {
  const rows = makeRows(sql, listed.table.name, listed.table.key)
  const wholeRange = makeWholeRange(listed, horizon)
  return {
    page: makePage(sql, listed, rows, wholeRange, makeByAmount(sql, listed, rows, wholeRange)),
    exported: makeExported(sql, listed, rows, wholeRange),
    shortest: makeShortest(sql, listed, rows)
  }
}

/**
 * Called before rows are read. It returns a function of the newest row and of the cursor, which gives the range that
 * may be shown; undefined if all rows may be.
 */
type MakeWholeRange = (
  account: Whose
) => (ids: IdRange, newest: string | undefined, from?: string) => Effect.Effect<IdRange | undefined>

const makeWholeRange =
  <Row, Item>({ numbered = "shown", prefixOf }: Listed<Row, Item>, horizon?: ListHorizon["Service"]): MakeWholeRange =>
  (account) => {
    if (account === "installation" || horizon === undefined) return () => Effect.undefined
    const before = horizon.raisedTo(numbered, account)
    return (ids, newest, cursor) => {
      // A call that is logged after lists have passed its number is dropped, so no position in that list is certain.
      const from = cursor === undefined || numbered === "calls" ? "" : bodyOf(cursor)
      const last = newest === undefined ? from : bodyOf(newest)
      return last <= before
        ? Effect.undefined
        : Effect.map(horizon.raise(numbered, account, last, from), (upTo) =>
            // Just above it.
            olderThan(ids, `${prefixOf(account.mode)}${upTo}0`)
          )
    }
  }

const makePage = <Row, Item>(
  sql: SqlClient.SqlClient,
  { called, dropped = [], prefixOf, table: { key, name, read, row } }: Listed<Row, Item>,
  rows: Rows,
  wholeRange: MakeWholeRange,
  byAmount: ByAmount
): Pages<Item>["page"] => {
  const decode = Schema.decodeUnknownSync(Schema.Array(row))
  const idOf = (row: unknown) => (row as Readonly<Record<string, string>> | undefined)?.[key]
  const isOwn = (account: Whose, id: string) =>
    isStorable(id)
      ? Effect.map(
          sql`select 1 from ${sql(name)} where ${sql(key)} = ${id} and ${isOwned(sql, account)}`,
          ({ length }) => length > 0
        )
      : Effect.succeed(false)
  const wasDropped = (account: Whose, id: string) =>
    dropped.length > 0 && isNumbered(prefixOf(modeOf(account)), id)
      ? Effect.map(
          sql`select 1 from retention where kind = any(${dropped}::text[])
            and dropped_before > ${isoText(createdAtOf(id))}::text::timestamptz limit 1`,
          ({ length }) => length > 0
        )
      : Effect.succeed(false)

  return Effect.fnUntraced(function* (account, request, search) {
    const { created, cursor, limit } = request
    if (cursor !== undefined && !(yield* isOwn(account, cursor.id)) && !(yield* wasDropped(account, cursor.id))) {
      return yield* new InvalidField({ param: cursor.param, problem: `is not the id of ${called}. Send one of a page` })
    }
    if (request.sort === "amount" || request.sort === "-amount") {
      const { found, sorted } = yield* byAmount(account, request, search)
      return { ...pageOf((yield* inSlices(found, decode)).flat().map(read), request), sorted }
    }
    const all = idsCreated(prefixOf(modeOf(account)), created)
    const newer = (cursor?.param === "ending_before") !== (request.sort === "created")
    const ids = cursor === undefined ? all : newer ? newerThan(all, cursor.id) : olderThan(all, cursor.id)
    const direction = newer ? "asc" : "desc"
    const scan = { columns: "*", direction, created, limit: limit + 1 } as const
    const wholeOf = wholeRange(account)
    let found = yield* rows(account, search, { ...scan, ids })
    const whole = yield* wholeOf(ids, idOf(newer ? found.at(-1) : found[0]), newer ? cursor?.id : undefined)
    if (whole !== undefined) found = yield* rows(account, search, { ...scan, ids: whole })
    return pageOf((yield* inSlices(found, decode)).flat().map(read), request)
  }, sqlDefects)
}

type ByAmount = (
  account: Whose,
  request: PageRequest,
  search: Search
) => Effect.Effect<
  { readonly found: ReadonlyArray<unknown>; readonly sorted?: Sorted },
  SqlError.SqlError | Schema.SchemaError
>

/**
 * The newest rows of the range are read along the list's index and sorted, so the worst page reads `sortedRows` of
 * them. Filters that the index does not have are applied to what was read. Rows of one range never change their amount,
 * so a reader who gives the range of the first page gets each of its rows once.
 */
const makeByAmount =
  <Row, Item>(
    sql: SqlClient.SqlClient,
    { prefixOf, table: { key, name } }: Listed<Row, Item>,
    rows: Rows,
    wholeRange: MakeWholeRange
  ): ByAmount =>
  (account, { created, cursor, limit, sort }, search) =>
    Effect.gen(function* () {
      // Without a path Postgres finds the few rows by the filters themselves.
      const [inside, outside] = search.path === undefined ? [search, []] : [{ ...search, filters: [] }, search.filters]
      const newest = { direction: "desc", created, limit: sortedRows } as const
      const extent = Effect.fnUntraced(function* (ids: IdRange) {
        const [counted] = yield* decodeExtent(
          yield* sql`select count(*)::int4 as found, max(${sql(key)}) as newest, min(${sql(key)}) as oldest
            from (${rows(account, inside, { ...newest, columns: "id", ids })}) as ids`
        )
        return { ...counted, ids }
      })
      const wholeOf = wholeRange(account)
      const all = yield* extent(idsCreated(prefixOf(modeOf(account)), created))
      const whole = yield* wholeOf(all.ids, all.newest ?? undefined)
      const { found: count, ids, newest: last, oldest } = whole === undefined ? all : yield* extent(whole)
      if (last === null || oldest === null) return { found: [] }
      const isDown = (sort === "-amount") !== (cursor?.param === "ending_before")
      const order = sql.literal(isDown ? "desc" : "asc")
      const table = sql(name)
      const at = [sql`${sql(`${name}.amount`)}`, sql`${sql(`${name}.${key}`)}`] as const
      const beyond =
        cursor === undefined
          ? []
          : [
              sql`(${sql.csv([...at])}) ${sql.literal(isDown ? "<" : ">")}
                (select amount, ${sql(key)} from ${table} where ${sql(key)} = ${cursor.id})`
            ]
      const read = rows(account, inside, { ...newest, columns: "*", ids: olderThan(ids, `${last}0`) })
      const found = yield* sql`select * from (${read}) as ${table} where ${sql.and([sql`true`, ...outside, ...beyond])}
        order by ${at[0]} ${order}, ${at[1]} ${order} limit ${limit + 1}`
      const sorted = { from: createdAtOf(oldest), to: createdAtOf(last), isWhole: count < sortedRows }
      return { found, sorted }
    })

/** The position of an export. */
interface Position {
  readonly ids: IdRange
  readonly left: number
}

const makeExported = <Row extends Readonly<Record<string, unknown>>, Item>(
  sql: SqlClient.SqlClient,
  { prefixOf, table: { key, read, row } }: Listed<Row, Item>,
  rows: Rows,
  wholeRange: MakeWholeRange
): Pages<Item>["exported"] => {
  const decode = Schema.decodeUnknownSync(Schema.Array(row))
  return Effect.fnUntraced(function* (account, created, search) {
    const extent = Effect.fnUntraced(function* (ids: IdRange) {
      const whole = { columns: "id", direction: "desc", ids, created, limit: csvRowsMax + 1 } as const
      const [counted] = yield* decodeExtent(
        yield* sql`select count(*)::int4 as found, max(${sql(key)}) as newest, min(${sql(key)}) as oldest
          from (${rows(account, search, whole)}) as ids`
      )
      return { ...counted, ids }
    })
    const wholeOf = wholeRange(account)
    const all = yield* extent(idsCreated(prefixOf(modeOf(account)), created))
    const whole = yield* wholeOf(all.ids, all.newest ?? undefined)
    const { found, ids, newest } = whole === undefined ? all : yield* extent(whole)
    const step = Effect.fnUntraced(function* ({ ids, left }: Position) {
      if (left === 0) return undefined
      const limit = Math.min(left, stepRows)
      const some = rows(account, search, { columns: "*", direction: "desc", ids, created, limit })
      const chunk = (yield* inSlices(yield* patiently(exportPatience)(some), decode)).flat()
      const last = chunk.at(-1)
      if (last === undefined) return undefined
      const rest: Position = { ids: olderThan(ids, String(last[key])), left: left - chunk.length }
      return [chunk.map(read), rest] as const
    }, sqlDefects)
    // The bound is just above the newest row. Rows that are created from now on have greater ids and are left out.
    const start: Position = { ids: olderThan(ids, `${newest}0`), left: Math.min(found, csvRowsMax) }
    return { truncated: found > csvRowsMax, chunks: Stream.unfold(start, step) }
  }, sqlDefects)
}

const makeShortest = <Row, Item>(
  sql: SqlClient.SqlClient,
  { prefixOf }: Listed<Row, Item>,
  rows: Rows
): Pages<Item>["shortest"] => {
  const count = (account: Whose, search: Search) => {
    const created = { from: undefined, to: undefined }
    const ids = idsCreated(prefixOf(modeOf(account)), created)
    const scan = { columns: "id", direction: "desc", ids, created, limit: countMax } as const
    return sql`(select count(*)::int4 from (${rows(account, { ...search, filters: [] }, scan)}) as counted)`
  }

  return Effect.fnUntraced(function* (account, searches) {
    if (searches.length < 2) return searches[0] ?? { path: along({}), filters: [] }
    const counts = searches.map((one) => count(account, one))
    const [{ found }] = yield* decodeCounts(yield* sql`select array[${sql.csv(counts)}] as found`)
    return searches[found.indexOf(Math.min(...found))]!
  }, sqlDefects)
}

const decodeCounts = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ found: Schema.Array(Schema.Int) })]))

const decodeExtent = Schema.decodeUnknownEffect(
  Schema.Tuple([
    Schema.Struct({
      found: Schema.Int,
      newest: Schema.NullOr(Schema.String),
      oldest: Schema.NullOr(Schema.String)
    })
  ])
)
