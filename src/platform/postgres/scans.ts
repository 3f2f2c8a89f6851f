/**
 * How the rows of a page are read: scans of one index along ids.
 *
 * A scan is written so that Postgres has no choice of index: as a range of rows, `(a, b, id) between ...`, in the order
 * of `(a, b, id)`, which only the index on these columns has. Written as `a = ... and b = ...`, Postgres may take an
 * index along which the wanted rows are rare: it then read 325,000 rows for a page of 20, where
 * `test/store/listIndexes.long.test.ts` allows 124.
 */
import { isoText } from "@coffer/model/isoText"
import type { Mode } from "@coffer/model/Ids"
import type { Account } from "@coffer/model/Account"
import { type CreatedRange, type IdRange, newerThan, olderThan } from "@coffer/rules/lists/created"
import type { Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { Numbered } from "./ListHorizon.ts"

type Fragment = Statement.Fragment

/** A table with `merchant_id`, `mode`, `created_at`, and a key that begins with a prefix and the time. */
export interface Listed<Row, Item> {
  readonly table: {
    readonly name: string
    readonly key: string
    readonly row: Schema.Codec<Row, unknown>
    /** The item that a row stands for. */
    readonly read: (row: Row) => Item
  }
  readonly prefixOf: (mode: Mode) => string
  /** For people: "an order". */
  readonly called: string
  /** Kinds of `retention` by which rows of the table are dropped. */
  readonly dropped?: ReadonlyArray<"events" | "deliveries" | "sandbox_orders">
  /** When the rows get their numbers (`ListHorizon.ts`). */
  readonly numbered?: Numbered
}

export interface Search {
  /** All of these conditions hold for the wanted rows. */
  readonly filters: ReadonlyArray<Fragment>
  /** The ids that the wanted rows can have, if the filters determine them. */
  readonly ids?: IdRange
  /** How rows are found in the order of their ids. Without it Postgres chooses, by the filters. */
  readonly path?: Path
  /**
   * If Postgres chooses: exactly one of these conditions holds for each wanted row, and the page is merged from one
   * scan for each.
   */
  readonly branches?: ReadonlyArray<Fragment>
  /** When rows were created, where it is not the column of this name (API logs of a moved clock). */
  readonly createdAt?: Fragment
}

export type Path =
  /**
   * Along an index on merchant_id, mode, the columns named here, and the id. If there are several such sets of values,
   * each wanted row has exactly one, and the page is merged from them; without any set there is no row. `needs` holds
   * for all rows with these values; it is there so that Postgres sees that a partial index has all of them.
   * `isOwnIndex`: the index begins with the columns named here, since no two accounts have the same values.
   */
  | {
      readonly _tag: "Along"
      readonly values: ReadonlyArray<Values>
      readonly needs?: ReadonlyArray<Fragment>
      readonly isOwnIndex?: boolean
    }
  /**
   * Along an index on a key that an expression makes of columns, and the id. Rows of other accounts, and unwanted rows
   * of this one, may have the same key, so `filters` say what the key stands for.
   */
  | {
      readonly _tag: "ByKey"
      readonly key: Fragment
      readonly value: Fragment
      readonly needs: ReadonlyArray<Fragment>
    }
  /** Through a table that lists ids by a key that the rows' own columns do not have, indexed by the key and the id. */
  | { readonly _tag: "Through"; readonly table: string; readonly key: string; readonly value: Fragment }

/** Columns of an index, in its order. */
type Values = Readonly<Record<string, string>>

/** The account whose rows are listed. Rows of the installation itself belong to no merchant. */
export type Whose = Account | "installation"

export const modeOf = (whose: Whose): Mode => (whose === "installation" ? "live" : whose.mode)

export const along = (...values: ReadonlyArray<Values>) => ({ _tag: "Along", values }) satisfies Path

export const ownIndex = (...values: ReadonlyArray<Values>) =>
  ({ _tag: "Along", values, isOwnIndex: true }) satisfies Path

export interface Scan {
  readonly columns: "*" | "id"
  readonly direction: "desc" | "asc"
  readonly ids: IdRange
  readonly created: CreatedRange
  readonly limit: number
}

/** The rows of a scan, as a statement. */
export type Rows = (account: Whose, search: Search, scan: Scan) => Statement.Statement<unknown>

/** The table that is scanned. */
interface Scanned {
  readonly sql: SqlClient.SqlClient
  readonly name: string
  readonly idName: string
  readonly table: Statement.Identifier
  /** Its id column, with the table's name. */
  readonly own: Fragment
}

export const makeRows = (sql: SqlClient.SqlClient, name: string, idName: string): Rows => {
  const scanned: Scanned = { sql, name, idName, table: sql(name), own: sql`${sql(`${name}.${idName}`)}` }
  return (account, search, whole) => {
    const { ids } = search
    const scan = ids === undefined ? whole : { ...whole, ids: olderThan(newerThan(whole.ids, ids.above), ids.below) }
    const scans = scansOf(scanned, account, search, scan)
    if (scans.length === 1) return sql`${scans[0]!}`
    return sql`select * from (${sql.join(" union all ", false)(scans.map((one) => sql`(${one})`))}) as ${scanned.table}
      order by ${scanned.own} ${sql.literal(scan.direction)} limit ${scan.limit}`
  }
}

const scansOf = (scanned: Scanned, account: Whose, search: Search, scan: Scan): ReadonlyArray<Fragment> => {
  if (account === "installation") return [scanWhere(scanned, account, [], search, scan)]
  const { branches = [], path } = search
  switch (path?._tag) {
    case "Along":
      return path.values.length === 0
        ? [scanWhere(scanned, account, [scanned.sql`false`], search, scan)]
        : path.values.map((values) => scanAlong(scanned, account, values, path, search, scan))
    case "ByKey":
      return [scanByKey(scanned, account, path, search, scan)]
    case "Through":
      return [scanThrough(scanned, account, path, search, scan)]
    case undefined:
      return branches.length < 2
        ? [scanWhere(scanned, account, branches, search, scan)]
        : branches.map((branch) => scanWhere(scanned, account, [branch], search, scan))
  }
}

const scanAlong = (
  scanned: Scanned,
  account: Account,
  values: Values,
  { isOwnIndex = false, needs = [] }: Extract<Path, { _tag: "Along" }>,
  search: Search,
  scan: Scan
) => {
  const { idName, name, sql, table } = scanned
  const order = sql.literal(scan.direction)
  const led = isOwnIndex ? values : { merchant_id: account.merchantId, mode: account.mode, ...values }
  const names = [...Object.keys(led), idName]
  const columns = names.map((column) => sql`${sql(`${name}.${column}`)}`)
  const [first, ...others] = Object.values(led)
  const rowAt = (id: string) => sql.csv([unseen(sql, first!), ...[...others, id].map((value) => sql`${value}`)])
  const conditions = [
    sql`(${sql.csv(columns)}) > (${rowAt(scan.ids.above)})`,
    sql`(${sql.csv(columns)}) < (${rowAt(scan.ids.below)})`,
    ...needs,
    ...only(sql, [...(isOwnIndex ? [isOwned(sql, account)] : []), ...holds(sql, scan, search)])
  ]
  return sql`select ${selectColumns(scanned, scan)} from ${table} where ${sql.and(conditions)}
    order by ${sql.csv(columns.map((column) => sql`${column} ${order}`))} limit ${limitOf(sql, scan)}`
}

const scanByKey = (
  scanned: Scanned,
  account: Account,
  { key, needs, value }: Extract<Path, { _tag: "ByKey" }>,
  search: Search,
  scan: Scan
) => {
  const { own, sql, table } = scanned
  const order = sql.literal(scan.direction)
  const conditions = [
    ...keyRange(scanned, key, value, own, scan),
    ...needs,
    ...only(sql, [isOwned(sql, account), ...holds(sql, scan, search)])
  ]
  return sql`select ${selectColumns(scanned, scan)} from ${table} where ${sql.and(conditions)}
    order by ${key} ${order}, ${own} ${order} limit ${limitOf(sql, scan)}`
}

const keyRange = (
  { sql }: Scanned,
  key: Fragment | Statement.Identifier,
  value: Fragment,
  id: Fragment | Statement.Identifier,
  { ids }: Scan
) => [
  sql`(${key}, ${id}) > (${unseen(sql, value)}, ${ids.above})`,
  sql`(${key}, ${id}) < (${unseen(sql, value)}, ${ids.below})`
]

// `offset 0` keeps the planner from changing the order of the two tables.
const scanThrough = (
  scanned: Scanned,
  account: Account,
  path: Extract<Path, { _tag: "Through" }>,
  search: Search,
  scan: Scan
) => {
  const { idName, own, sql, table } = scanned
  const order = sql.literal(scan.direction)
  const key = sql(`${path.table}.${path.key}`)
  const id = sql(`${path.table}.${idName}`)
  const conditions = [
    ...keyRange(scanned, key, path.value, id, scan),
    ...only(sql, [isOwned(sql, account), ...holds(sql, scan, search)])
  ]
  return sql`select ${selectColumns(scanned, scan)} from ${sql(path.table)}
    cross join lateral (select * from ${table} where ${own} = ${id} offset 0) as ${table}
    where ${sql.and(conditions)} order by ${key} ${order}, ${id} ${order} limit ${limitOf(sql, scan)}`
}

const scanWhere = (scanned: Scanned, account: Whose, branch: ReadonlyArray<Fragment>, search: Search, scan: Scan) => {
  const { own, sql, table } = scanned
  const { above, below } = scan.ids
  const inRange = sql`${own} > ${above} and ${own} < ${below}`
  const conditions = [isOwned(sql, account), ...branch, inRange, ...holds(sql, scan, search)]
  return sql`select ${selectColumns(scanned, scan)} from ${table} where ${sql.and(conditions)}
    order by ${own} ${sql.literal(scan.direction)} limit ${scan.limit}`
}

const selectColumns = ({ own, sql, table }: Scanned, { columns }: Scan) => (columns === "id" ? own : sql`${table}.*`)

export const isOwned = (sql: SqlClient.SqlClient, account: Whose) =>
  account === "installation" ? sql`true` : sql`merchant_id = ${account.merchantId} and mode = ${account.mode}`

/** The conditions that the index does not have: the times, exactly, and the other filters. */
const holds = (
  sql: SqlClient.SqlClient,
  { created }: Scan,
  { createdAt = sql`created_at`, filters }: Search
): ReadonlyArray<Fragment> => [
  ...filters,
  ...(created.from === undefined ? [] : [sql`${createdAt} >= ${isoText(created.from)}::timestamptz`]),
  ...(created.to === undefined ? [] : [sql`${createdAt} <= ${isoText(created.to)}::timestamptz`])
]

/**
 * Hides a value from the planner, so that it cannot guess how many rows are in the range. When it guesses few, it reads
 * all of them and sorts.
 */
const unseen = (sql: SqlClient.SqlClient, value: string | Fragment) => sql`(select ${value})`

/** A count's limit is hidden likewise: when the planner expects half of all rows, it reads all of them. */
const limitOf = (sql: SqlClient.SqlClient, { columns, limit }: Scan) =>
  columns === "id" ? sql`(select ${limit}::bigint)` : sql`${limit}`

/** Conditions for which the planner seeks no other index: it assumes that a `case` is true for half of the rows. */
const only = (sql: SqlClient.SqlClient, conditions: ReadonlyArray<Fragment>) =>
  conditions.length === 0 ? [] : [sql`case when ${sql.and(conditions)} then true else false end`]

/** Text that can be in a row at all: Postgres has no NUL, and half a surrogate pair is no character. */
export const isStorable = (text: string): boolean => !text.includes("\u0000") && text.isWellFormed()

/** The column is the value exactly; what cannot be in a row is found nowhere. */
export const equals = (sql: SqlClient.SqlClient, column: string, value: string): Fragment =>
  isStorable(value) ? sql`${sql(column)} = ${value}` : sql`false`
