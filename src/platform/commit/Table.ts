/**
 * Defines a table that business changes are written to, by the schema of the object that a row stores. From the fields
 * of that schema follow the columns with their Postgres types (`paidAt` is `paid_at`, a timestamptz), the schema of a
 * row that is read, the object made from it, and the cells that are written. `migrations/` says what columns mean.
 */
import { isoText } from "@coffer/model/isoText"
import { Schema, type SchemaAST } from "effect"
import type { Cell } from "../postgres/arrayLiteral.ts"
import { jsonText, TimeColumn } from "../runtime/codecs.ts"

type ColumnType = "text" | "int8" | "timestamptz" | "jsonb" | "bytea"

export interface Column {
  readonly name: string
  readonly type: ColumnType
  readonly field: string
  /** The cell that is written when the object's state lacks the field. */
  readonly absent: Cell
}

type Fields = Schema.Struct.Fields
/** A struct, or a union of structs that are told apart by `status`. */
type Shape<Self> = Schema.Schema<Self> &
  ({ readonly fields: Fields } | { readonly members: ReadonlyArray<{ readonly fields: Fields }> })
type FieldOf<Self> = Self extends unknown ? Extract<keyof Self, string> : never

interface Definition<Self, Extra extends Fields> {
  readonly of: Shape<Self>
  /**
   * A batch writes its tables in the order of their places, so that two transactions lock in the same order. Wallets
   * come after the objects that move their money: a step that was taken already is found stale before the wallet is
   * checked.
   */
  readonly place: number
  /** Lists show its rows in the order of their keys, which are made when the rows are. */
  readonly listed?: boolean
  /** Columns that are written beside those of the schema. A row that is read has only the key and version of them. */
  readonly extra?: Extra
  readonly key: FieldOf<Self> | Extract<keyof Extra, string>
  /**
   * The field that guards updates: an update changes it, and replaces only the row with the value that was read. A
   * counter is enough if each update is decided on the row in the database. If updates are decided on one another
   * before the first is written, it must be derived from the content: two runners may count to the same number.
   */
  readonly version?: FieldOf<Self> | Extract<keyof Extra, string>
  /** Whether the key comes from outside, and may be taken when a row is inserted. Keys that we generate are unique. */
  readonly isKeyGiven?: boolean
  /** Fields that never change after insert; an update leaves them out. */
  readonly fixed?: ReadonlyArray<FieldOf<Self> | Extract<keyof Extra, string>>
  /** A number given by others. It is unique for a merchant and mode, among the rows that `among` describes. */
  readonly number?: { readonly field: FieldOf<Self>; readonly among?: string }
  /** Fields of hexadecimal digits that are kept as bytes. */
  readonly bytes?: ReadonlyArray<FieldOf<Self>>
  /** Columns whose names differ from their fields'. */
  readonly called?: Partial<Record<FieldOf<Self>, string>>
  /** The cells that are written instead of null when the object's state lacks the field. */
  readonly absent?: Partial<Record<FieldOf<Self>, Cell>>
}

/** A row with all of its columns. */
export type Row<Extra extends Fields> = Readonly<Record<string, unknown>> &
  (Extra extends { readonly version: infer Version extends Schema.Top } ? { readonly version: Version["Type"] } : {})

export interface Table<in out Self, in out Extra extends Fields> extends Written {
  readonly row: Schema.Codec<Row<Extra>, unknown>
  /** The value that a row stands for. */
  readonly read: (row: Row<Extra>) => Self
  readonly cells: (self: Self, extra: Schema.Struct.Type<Extra>) => ReadonlyArray<Cell>
}

/** A table as the Transactor knows it. */
export interface Written {
  readonly name: string
  readonly place: number
  readonly listed: boolean
  /** The indices of merchant and mode in the cells of a row. */
  readonly account: { readonly merchant: number; readonly mode: number }
  readonly columns: ReadonlyArray<Column>
  /** The column. */
  readonly key: string
  readonly keyIndex: number
  /** Whether a new row may find its key taken. */
  readonly isKeyGiven: boolean
  /** The version column's; -1 when rows never change. */
  readonly versionIndex: number
  /** Indices of the columns that an update writes, with the key's. */
  readonly changing: ReadonlyArray<number>
  /** Indices of merchant, mode and a number given by others, which one row has, and which rows that holds for. */
  readonly unique: { readonly indices: readonly [number, number, number]; readonly among: string } | undefined
}

const defined = new Map<string, Written>()
/** The table of this name. A change for it can only come from its room, which has defined it. */
export const tableOf = (name: string): Written => defined.get(name)!

let inOrder: ReadonlyArray<Written> = []
/** The tables of this program's rooms, in the order in which they are written. */
export const tables = (): ReadonlyArray<Written> => inOrder

const define = (table: Written) => {
  const other = inOrder.find(({ name, place }) => name === table.name || place === table.place)
  if (other !== undefined) throw new TypeError(`${table.name} has the name or the place of ${other.name}`)
  defined.set(table.name, table)
  inOrder = [...inOrder, table].toSorted((a, b) => a.place - b.place)
}

export const table = <Self, Extra extends Fields = {}>(
  name: string,
  definition: Definition<Self, Extra>
): Table<Self, Extra> => {
  const { extra = {}, fixed = [], isKeyGiven = false, key, listed = false, number, of, place, version } = definition
  const members = "members" in of ? of.members.map(({ fields }) => fields) : [of.fields]
  const columnsOf = (fields: Fields) =>
    Object.entries(fields).map(([field, { ast }]) => columnOf(name, field, ast, definition))
  const own = columnsOf(Object.assign({}, ...members))
  const others = columnsOf(extra)
  const columns = [...own, ...others]
  const indexOf = (field: string | undefined) => columns.findIndex((column) => column.field === field)
  const isFixed = new Set<string>(fixed)
  const found = others.filter(({ field }) => field === key || field === version)
  const rows = members.map((fields) => rowSchema([...columnsOf(fields), ...found], { ...extra, ...fields }))

  const described: Table<Self, Extra> = {
    name,
    place,
    listed,
    account: { merchant: indexOf("merchantId"), mode: indexOf("mode") },
    columns,
    key: columns[indexOf(key)]!.name,
    keyIndex: indexOf(key),
    isKeyGiven,
    versionIndex: indexOf(version),
    changing: columns.flatMap(({ field }, index) => (isFixed.has(field) && field !== key ? [] : [index])),
    unique: number && {
      indices: [indexOf("merchantId"), indexOf("mode"), indexOf(number.field)],
      among: number.among ?? "true"
    },
    row: (rows.length === 1 ? rows[0] : Schema.Union(rows)) as unknown as Schema.Codec<Row<Extra>, unknown>,
    read: reader(new Map(members.map((fields) => [literalOf(fields), columnsOf(fields)]))) as (row: Row<Extra>) => Self,
    cells: (self, extra) => {
      const cells: Array<Cell> = []
      for (const column of own) cells.push(cellOf(column, self as Readonly<Record<string, unknown>>))
      for (const column of others) cells.push(cellOf(column, extra))
      return cells
    }
  }
  define(described)
  return described
}

const columnOf = (
  table: string,
  field: string,
  ast: SchemaAST.AST,
  {
    absent = {},
    bytes = [],
    called = {}
  }: {
    readonly absent?: Partial<Record<string, Cell>>
    readonly bytes?: ReadonlyArray<string>
    readonly called?: Partial<Record<string, string>>
  }
): Column => {
  const type = bytes.includes(field) ? "bytea" : typeOf(ast)
  if (type === undefined) throw new TypeError(`no column type for ${field} of ${table}`)
  return { name: called[field] ?? snakeCase(field), type, field, absent: absent[field] ?? null }
}

const rowSchema = (columns: ReadonlyArray<Column>, fields: Fields) =>
  Schema.Struct(
    Object.fromEntries(
      columns.map(({ field, name, type }) => [
        name,
        type === "bytea" ? Schema.Uint8Array : asRead(fields[field] as Schema.Top)
      ])
    )
  )

/** Fields are set in a copy that has all of them: to add them one by one takes three times as long. */
const reader = (columnsOf: ReadonlyMap<unknown, ReadonlyArray<Column>>) => {
  const shapes = new Map(
    Array.from(columnsOf, ([status, columns]) => {
      const empty: Readonly<Record<string, unknown>> = Object.fromEntries(columns.map(({ field }) => [field, null]))
      return [status, { columns, empty }]
    })
  )
  const [only] = shapes.values()
  return (row: Readonly<Record<string, unknown>>): unknown => {
    const { columns, empty } = shapes.size === 1 ? only! : shapes.get(row["status"])!
    const self = { ...empty }
    for (const { field, name, type } of columns) self[field] = type === "bytea" ? digitsOf(row[name]) : row[name]
    return self
  }
}

const digitsOf = (bytes: unknown): string => Buffer.from(bytes as Uint8Array).toString("hex")

const cellOf = ({ absent, field, type }: Column, of: Readonly<Record<string, unknown>>): Cell => {
  const value = of[field]
  if (value === null) return null
  if (value === undefined) return absent
  switch (type) {
    case "timestamptz":
      return isoText(value as typeof TimeColumn.Type)
    case "jsonb":
      return jsonText(value)
    case "bytea":
      return `\\x${value as string}`
    case "int8":
    case "text":
      return value as string | number
  }
}

const snakeCase = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Times are only checked: `pgTypes.ts` has parsed them, and `Schema.DateTimeUtc` is not compiled. */
const asRead = (schema: Schema.Top): Schema.Top => {
  if (typeOf(schema.ast) !== "timestamptz") return schema
  return isNullable(schema.ast) ? Schema.NullOr(TimeColumn) : TimeColumn
}

const isNullable = (ast: SchemaAST.AST) => ast._tag === "Union" && ast.types.some(({ _tag }) => _tag === "Null")

const typeOf = (ast: SchemaAST.AST): ColumnType | undefined => {
  switch (ast._tag) {
    case "String":
      return "text"
    case "Number":
      return "int8"
    case "Literal":
      return typeof ast.literal === "string" ? "text" : undefined
    // `DateTimeUtc` is the only one that rows have.
    case "Declaration":
      return "timestamptz"
    case "Objects":
    case "Arrays":
      return "jsonb"
    case "Union": {
      const types = new Set(ast.types.filter(({ _tag }) => _tag !== "Null").map(typeOf))
      return types.size === 1 ? [...types][0] : undefined
    }
    default:
      return undefined
  }
}

const literalOf = ({ status }: Fields): unknown => {
  const ast = status?.ast
  return ast?._tag === "Literal" ? ast.literal : undefined
}
