/**
 * One way to list every table: a page is a scan of an index along ids, newest first, that begins at a cursor and reads
 * one row more than it shows (spec: List conventions). An export is the same scan in steps, each a short statement, so
 * that a reader who stalls holds no connection.
 */
import type { MerchantId, Mode } from "@coffer/model/Ids"
import { csvRowsMax } from "@coffer/rules/csv"
import { InvalidField } from "@coffer/rules/InvalidField"
import { type CreatedRange, idBounds } from "@coffer/rules/lists/created"
import { type Page, pageOf, type PageRequest } from "@coffer/rules/lists/pageRequest"
import { Effect, Schema, Stream } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { dieIfBroken } from "./broken.ts"
import { isoText } from "./codecs.ts"

type Fragment = Statement.Fragment

/** Whose rows are listed; everything else is as if it were not there. */
export interface Owner {
  readonly merchantId: MerchantId
  readonly mode: Mode
}

/** A table with `merchant_id`, `mode`, `created_at`, and an id that begins with a prefix and the time. */
export interface Listed<Row> {
  readonly table: string
  readonly id: string
  readonly prefixOf: (mode: Mode) => string
  readonly row: Schema.Codec<Row, unknown>
  readonly idOf: (row: Row) => string
  /** For people: "an order". */
  readonly called: string
}

export interface Search {
  /** All of them hold for the rows sought. */
  readonly filters: ReadonlyArray<Fragment>
  /**
   * Exactly one of them holds for a row sought. Where an index ends in the id behind such a condition, each branch is a
   * bounded scan of it and the page is merged from them; the same as one `in (...)` would have to sort.
   */
  readonly branches?: ReadonlyArray<Fragment>
  /** A table that lists ids of the rows sought, newest first, when the row's own columns cannot. */
  readonly through?: { readonly table: string; readonly where: Fragment }
}

export interface Exported<Row> {
  /** There is more than a file may hold. */
  readonly truncated: boolean
  /** In chunks, newest first. */
  readonly chunks: Stream.Stream<ReadonlyArray<Row>>
}

export interface Pages<Row> {
  /** Refuses a cursor that is not the id of one of the owner's rows (silences: P1). */
  readonly page: (owner: Owner, request: PageRequest, search: Search) => Effect.Effect<Page<Row>, InvalidField>
  readonly exported: (owner: Owner, created: CreatedRange, search: Search) => Effect.Effect<Exported<Row>>
}

/** Rows that one step of an export reads. Fifty long pairs of metadata make a row of 100 kB. */
const stepRows = 100

interface Scan {
  readonly columns: "*" | "id"
  readonly direction: "desc" | "asc"
  readonly created: CreatedRange
  readonly bounds: ReadonlyArray<Fragment>
  readonly limit: number
}

export const make = <Row>(sql: SqlClient.SqlClient, listed: Listed<Row>): Pages<Row> => {
  const { called, idOf, prefixOf } = listed
  const table = sql(listed.table)
  const own = sql(`${listed.table}.${listed.id}`)
  const decode = Schema.decodeUnknownEffect(Schema.Array(listed.row))
  const idThrough = ({ through }: Search) => (through === undefined ? own : sql(`${through.table}.${listed.id}`))

  /** From inside, `offset 0` keeps the planner from turning the order of the two tables round. */
  const from = ({ through }: Search) =>
    through === undefined
      ? table
      : sql`${sql(through.table)} cross join lateral
          (select * from ${table} where ${own} = ${sql(`${through.table}.${listed.id}`)} offset 0) as ${table}`

  const branch = (owner: Owner, search: Search, scan: Scan, condition: ReadonlyArray<Fragment>) => {
    const id = idThrough(search)
    const { from: since, to } = scan.created
    const { below, least } = idBounds(prefixOf(owner.mode), scan.created)
    const conditions = [
      ...(search.through === undefined ? [] : [search.through.where]),
      sql`merchant_id = ${owner.merchantId} and mode = ${owner.mode}`,
      ...condition,
      ...search.filters,
      ...scan.bounds,
      // The ids make the range a part of the index; the times make it exact.
      ...(since === undefined ? [] : [sql`${id} >= ${least} and created_at >= ${isoText(since)}::timestamptz`]),
      ...(to === undefined ? [] : [sql`${id} < ${below} and created_at <= ${isoText(to)}::timestamptz`])
    ]
    return sql`select ${scan.columns === "id" ? own : sql`${table}.*`} from ${from(search)}
      where ${sql.and(conditions)} order by ${id} ${sql.literal(scan.direction)} limit ${scan.limit}`
  }

  const rowsOf = (owner: Owner, search: Search, scan: Scan) => {
    const { branches = [] } = search
    if (branches.length < 2) return branch(owner, search, scan, branches)
    const each = branches.map((condition) => sql`(${branch(owner, search, scan, [condition])})`)
    return sql`select * from (${sql.join(" union all ", false)(each)}) as ${table}
      order by ${own} ${sql.literal(scan.direction)} limit ${scan.limit}`
  }

  const holds = (owner: Owner, id: string) =>
    isStorable(id)
      ? Effect.map(
          sql`select 1 from ${table}
            where ${own} = ${id} and merchant_id = ${owner.merchantId} and mode = ${owner.mode}`,
          (rows) => rows.length > 0
        )
      : Effect.succeed(false)

  const page = Effect.fnUntraced(function* (owner: Owner, request: PageRequest, search: Search) {
    const { created, cursor, limit } = request
    if (cursor !== undefined && !(yield* holds(owner, cursor.id))) {
      return yield* new InvalidField({ param: cursor.param, problem: `is not the id of ${called}` })
    }
    const newer = cursor?.param === "ending_before"
    const id = idThrough(search)
    const bounds = cursor === undefined ? [] : [newer ? sql`${id} > ${cursor.id}` : sql`${id} < ${cursor.id}`]
    const direction = newer ? "asc" : "desc"
    const rows = yield* rowsOf(owner, search, { columns: "*", direction, created, bounds, limit: limit + 1 })
    return pageOf(yield* decode(rows), request)
  }, dieIfBroken)

  const exported = Effect.fnUntraced(function* (owner: Owner, created: CreatedRange, search: Search) {
    const id = idThrough(search)
    const ids = rowsOf(owner, search, { columns: "id", direction: "desc", created, bounds: [], limit: csvRowsMax + 1 })
    const [{ found, newest }] = yield* decodeExtent(
      yield* sql`select count(*)::int4 as found, max(${sql(listed.id)}) as newest from (${ids}) as ids`
    )
    // What is created from here on belongs to a later export.
    const start: Position = { bound: sql`${id} <= ${newest}`, left: Math.min(found, csvRowsMax) }
    const step = Effect.fnUntraced(function* ({ bound, left }: Position) {
      if (left === 0) return undefined
      const limit = Math.min(left, stepRows)
      const rows = yield* decode(
        yield* rowsOf(owner, search, { columns: "*", direction: "desc", created, bounds: [bound], limit })
      )
      const last = rows.at(-1)
      if (last === undefined) return undefined
      const rest: Position = { bound: sql`${id} < ${idOf(last)}`, left: left - rows.length }
      return [rows, rest] as const
    }, dieIfBroken)
    return { truncated: found > csvRowsMax, chunks: Stream.unfold(start, step) }
  }, dieIfBroken)

  return { page, exported }
}

interface Position {
  readonly bound: Fragment
  readonly left: number
}

const decodeExtent = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ found: Schema.Int, newest: Schema.NullOr(Schema.String) })])
)

/** Text that can be in a row at all: Postgres has no NUL, and half a surrogate pair is no character. */
export const isStorable = (text: string): boolean => !text.includes("\u0000") && text.isWellFormed()

/** The column is the value exactly; what cannot be in a row is found nowhere. */
export const equals = (sql: SqlClient.SqlClient, column: string, value: string): Fragment =>
  isStorable(value) ? sql`${sql(column)} = ${value}` : sql`false`
