/**
 * One way to list every table: a page is a scan of one index along ids, newest first, that begins at a cursor and reads
 * one row more than it shows (spec: List conventions). An export is the same scan in steps, each a short statement, so
 * that a reader who stalls holds no connection.
 *
 * Which index that is, Postgres had better not be asked: a scan is written as a range of rows, `(a, b, id) between
 * ...`, in the order of `(a, b, id)`, which only the index on these columns has. Written as `a = ... and b = ...`,
 * what is common on average but was long ago for this merchant is looked for among everything that came since:
 * 325,000 rows for a page of 20, where `test/store/listIndexes.test.ts` allows 124.
 */
import type { Mode } from "@coffer/model/Ids"
import { csvRowsMax } from "@coffer/model/Limits"
import type { Owner } from "@coffer/model/Owner"
import { InvalidField } from "@coffer/rules/InvalidField"
import { type CreatedRange, type IdRange, idsCreated, newerThan, olderThan } from "@coffer/rules/lists/created"
import { type Page, pageOf, type PageRequest } from "@coffer/rules/lists/pageRequest"
import { Effect, Schema, Stream } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { sqlDefects } from "./sqlDefect.ts"
import { isoText } from "../runtime/codecs.ts"
import { patiently } from "../runtime/patience.ts"

type Fragment = Statement.Fragment

/** A table with `merchant_id`, `mode`, `created_at`, and a key that begins with a prefix and the time. */
export interface Listed<Row, Item> {
  readonly table: {
    readonly name: string
    readonly key: string
    readonly row: Schema.Codec<Row, unknown>
    /** What a row stands for. */
    readonly read: (row: Row) => Item
  }
  readonly prefixOf: (mode: Mode) => string
  /** For people: "an order". */
  readonly called: string
}

export interface Search {
  /** All of them hold for the rows sought. */
  readonly filters: ReadonlyArray<Fragment>
  /** How rows are come by in the order of their ids. Without it Postgres decides, going by the filters. */
  readonly path?: Path
  /** Where Postgres decides: exactly one holds for each row sought, and the page is merged from a scan for each. */
  readonly branches?: ReadonlyArray<Fragment>
}

export type Path =
  /**
   * Along an index on merchant_id, mode, the columns named here, and the id. Of several such sets of values each row
   * sought has exactly one, and the page is merged from them. `needs`: what follows from the values, but not so that
   * Postgres sees that a partial index has all these rows.
   */
  | { readonly _tag: "Along"; readonly values: ReadonlyArray<Values>; readonly needs?: ReadonlyArray<Fragment> }
  /** Through a table, indexed by a key and the id, that lists the ids of what the rows' own columns cannot say. */
  | { readonly _tag: "Through"; readonly table: string; readonly key: string; readonly value: Fragment }

/** Columns of an index, in its order. */
type Values = Readonly<Record<string, string>>

export const along = (...values: ReadonlyArray<Values>) => ({ _tag: "Along", values }) satisfies Path

export interface Exported<Item> {
  /** There is more than a file may hold. */
  readonly truncated: boolean
  /** In chunks, newest first. */
  readonly chunks: Stream.Stream<ReadonlyArray<Item>>
}

export interface Pages<Item> {
  /** Refuses a cursor that is not the id of one of the owner's rows (silences: P1). */
  readonly page: (owner: Owner, request: PageRequest, search: Search) => Effect.Effect<Page<Item>, InvalidField>
  readonly exported: (owner: Owner, created: CreatedRange, search: Search) => Effect.Effect<Exported<Item>>
  /** Of several ways to the same rows the one that passes by the fewest, as far as a short count can tell. */
  readonly shortest: (owner: Owner, searches: ReadonlyArray<Search>) => Effect.Effect<Search>
}

/** Rows that one step of an export reads. Fifty long pairs of metadata make a row of 100 kB. */
const stepRows = 100
/**
 * Beyond it one way is as long as another. Two filters that each have more rows, and hardly one in common, are the case
 * in which a page may read many.
 */
const countMax = 500
/** Once the file has begun, a step that looks for few rows among many may take longer than a request. */
const exportPatience = "30 seconds"

interface Scan {
  readonly columns: "*" | "id"
  readonly direction: "desc" | "asc"
  readonly ids: IdRange
  readonly created: CreatedRange
  readonly limit: number
}

export const make = <Row extends Readonly<Record<string, unknown>>, Item>(
  sql: SqlClient.SqlClient,
  { called, prefixOf, table: { key: idName, name, read, row } }: Listed<Row, Item>
): Pages<Item> => {
  const table = sql(name)
  const own = sql`${sql(`${name}.${idName}`)}`
  const decode = Schema.decodeUnknownEffect(Schema.Array(row))

  const isOwned = ({ merchantId, mode }: Owner) => sql`merchant_id = ${merchantId} and mode = ${mode}`
  /** What the index does not say: the times, exactly, and the other filters. */
  const holds = ({ created: { from, to } }: Scan, { filters }: Search): ReadonlyArray<Fragment> => [
    ...filters,
    ...(from === undefined ? [] : [sql`created_at >= ${isoText(from)}::timestamptz`]),
    ...(to === undefined ? [] : [sql`created_at <= ${isoText(to)}::timestamptz`])
  ]
  const selected = ({ columns }: Scan) => (columns === "id" ? own : sql`${table}.*`)

  const isIn = (id: Fragment, { above, below }: IdRange) => sql`${id} > ${above} and ${id} < ${below}`

  /**
   * A value that the planner does not see, so that it does not guess how many rows are in the range either: thinking
   * of a handful, it would rather read all there are and sort them.
   */
  const unseen = (value: string | Fragment) => sql`(select ${value})`

  /** Of a count it had better not know how far it goes: wanting half of what there is, it would take all of it. */
  const limitOf = ({ columns, limit }: Scan) => (columns === "id" ? sql`(select ${limit}::bigint)` : sql`${limit}`)

  /** Conditions for which the planner seeks no index of theirs, and which it thinks true of every other row. */
  const only = (conditions: ReadonlyArray<Fragment>) =>
    conditions.length === 0 ? [] : [sql`case when ${sql.and(conditions)} then true else false end`]

  const scanAlong = (owner: Owner, values: Values, needs: ReadonlyArray<Fragment>, search: Search, scan: Scan) => {
    const order = sql.literal(scan.direction)
    const names = ["merchant_id", "mode", ...Object.keys(values), idName]
    const columns = names.map((column) => sql`${sql(`${name}.${column}`)}`)
    const rowAt = (id: string) =>
      sql.csv([unseen(owner.merchantId), ...[owner.mode, ...Object.values(values), id].map((value) => sql`${value}`)])
    const conditions = [
      sql`(${sql.csv(columns)}) > (${rowAt(scan.ids.above)})`,
      sql`(${sql.csv(columns)}) < (${rowAt(scan.ids.below)})`,
      ...needs,
      ...only(holds(scan, search))
    ]
    return sql`select ${selected(scan)} from ${table} where ${sql.and(conditions)}
      order by ${sql.csv(columns.map((column) => sql`${column} ${order}`))} limit ${limitOf(scan)}`
  }

  // `offset 0` keeps the planner from turning the order of the two tables round.
  const scanThrough = (owner: Owner, path: Extract<Path, { _tag: "Through" }>, search: Search, scan: Scan) => {
    const order = sql.literal(scan.direction)
    const key = sql(`${path.table}.${path.key}`)
    const id = sql(`${path.table}.${idName}`)
    const conditions = [
      sql`(${key}, ${id}) > (${unseen(path.value)}, ${scan.ids.above})`,
      sql`(${key}, ${id}) < (${unseen(path.value)}, ${scan.ids.below})`,
      ...only([isOwned(owner), ...holds(scan, search)])
    ]
    return sql`select ${selected(scan)} from ${sql(path.table)}
      cross join lateral (select * from ${table} where ${own} = ${id} offset 0) as ${table}
      where ${sql.and(conditions)} order by ${key} ${order}, ${id} ${order} limit ${limitOf(scan)}`
  }

  const scanWhere = (owner: Owner, branch: ReadonlyArray<Fragment>, search: Search, scan: Scan) => {
    const conditions = [isOwned(owner), ...branch, isIn(own, scan.ids), ...holds(scan, search)]
    return sql`select ${selected(scan)} from ${table} where ${sql.and(conditions)}
      order by ${own} ${sql.literal(scan.direction)} limit ${scan.limit}`
  }

  const scansOf = (owner: Owner, search: Search, scan: Scan): ReadonlyArray<Fragment> => {
    const { branches = [], path } = search
    switch (path?._tag) {
      case "Along":
        return path.values.map((values) => scanAlong(owner, values, path.needs ?? [], search, scan))
      case "Through":
        return [scanThrough(owner, path, search, scan)]
      case undefined:
        return branches.length < 2
          ? [scanWhere(owner, branches, search, scan)]
          : branches.map((branch) => scanWhere(owner, [branch], search, scan))
    }
  }

  const rows = (owner: Owner, search: Search, scan: Scan) => {
    const scans = scansOf(owner, search, scan)
    if (scans.length === 1) return sql`${scans[0]!}`
    return sql`select * from (${sql.join(" union all ", false)(scans.map((one) => sql`(${one})`))}) as ${table}
      order by ${own} ${sql.literal(scan.direction)} limit ${scan.limit}`
  }

  const isOwn = (owner: Owner, id: string) =>
    isStorable(id)
      ? Effect.map(sql`select 1 from ${table} where ${own} = ${id} and ${isOwned(owner)}`, ({ length }) => length > 0)
      : Effect.succeed(false)

  const page = Effect.fnUntraced(function* (owner: Owner, request: PageRequest, search: Search) {
    const { created, cursor, limit } = request
    if (cursor !== undefined && !(yield* isOwn(owner, cursor.id))) {
      return yield* new InvalidField({ param: cursor.param, problem: `is not the id of ${called}` })
    }
    const all = idsCreated(prefixOf(owner.mode), created)
    const newer = cursor?.param === "ending_before"
    const ids = cursor === undefined ? all : newer ? newerThan(all, cursor.id) : olderThan(all, cursor.id)
    const direction = newer ? "asc" : "desc"
    const found = yield* rows(owner, search, { columns: "*", direction, ids, created, limit: limit + 1 })
    return pageOf((yield* decode(found)).map(read), request)
  }, sqlDefects)

  const exported = Effect.fnUntraced(function* (owner: Owner, created: CreatedRange, search: Search) {
    const ids = idsCreated(prefixOf(owner.mode), created)
    const whole = { columns: "id", direction: "desc", ids, created, limit: csvRowsMax + 1 } as const
    const [{ found, newest }] = yield* decodeExtent(
      yield* sql`select count(*)::int4 as found, max(${sql(idName)}) as newest
        from (${rows(owner, search, whole)}) as ids`
    )
    const step = Effect.fnUntraced(function* ({ ids, left }: Position) {
      if (left === 0) return undefined
      const limit = Math.min(left, stepRows)
      const some = rows(owner, search, { columns: "*", direction: "desc", ids, created, limit })
      const chunk = yield* decode(yield* patiently(exportPatience)(some))
      const last = chunk.at(-1)
      if (last === undefined) return undefined
      const rest: Position = { ids: olderThan(ids, String(last[idName])), left: left - chunk.length }
      return [chunk.map(read), rest] as const
    }, sqlDefects)
    // What is created from here on belongs to a later export: it comes after the newest, and after what follows it.
    const start: Position = { ids: olderThan(ids, `${newest}0`), left: Math.min(found, csvRowsMax) }
    return { truncated: found > csvRowsMax, chunks: Stream.unfold(start, step) }
  }, sqlDefects)

  const count = (owner: Owner, search: Search) => {
    const created = { from: undefined, to: undefined }
    const ids = idsCreated(prefixOf(owner.mode), created)
    const scan = { columns: "id", direction: "desc", ids, created, limit: countMax } as const
    return sql`(select count(*)::int4 from (${rows(owner, { ...search, filters: [] }, scan)}) as counted)`
  }

  const shortest = Effect.fnUntraced(function* (owner: Owner, searches: ReadonlyArray<Search>) {
    if (searches.length < 2) return searches[0] ?? { path: along({}), filters: [] }
    const counts = searches.map((one) => count(owner, one))
    const [{ found }] = yield* decodeCounts(yield* sql`select array[${sql.csv(counts)}] as found`)
    return searches[found.indexOf(Math.min(...found))]!
  }, sqlDefects)

  return { page, exported, shortest }
}

interface Position {
  readonly ids: IdRange
  readonly left: number
}

const decodeCounts = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ found: Schema.Array(Schema.Int) })]))

const decodeExtent = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ found: Schema.Int, newest: Schema.NullOr(Schema.String) })])
)

/** Text that can be in a row at all: Postgres has no NUL, and half a surrogate pair is no character. */
export const isStorable = (text: string): boolean => !text.includes("\u0000") && text.isWellFormed()

/** The column is the value exactly; what cannot be in a row is found nowhere. */
export const equals = (sql: SqlClient.SqlClient, column: string, value: string): Fragment =>
  isStorable(value) ? sql`${sql(column)} = ${value}` : sql`false`
