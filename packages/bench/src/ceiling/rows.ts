/** Converts the rivals' rows, keyed by column names, to the service's changes. */
import type { Change } from "../../../../src/platform/commit/Change.ts"
import type { Written } from "../../../../src/platform/commit/Table.ts"
import type { Cell } from "../../../../src/platform/postgres/arrayLiteral.ts"

type Row = Readonly<Record<string, unknown>>

const cellsOf = ({ columns }: Written, row: Row) => columns.map(({ name }) => (row[name] ?? null) as Cell)

export const insertRow = (table: Written, row: Row): Change => ({
  op: "insert",
  table: table.name,
  cells: cellsOf(table, row)
})

export const updateRow = (table: Written, row: Row, replaces: number): Change => ({
  op: "update",
  table: table.name,
  cells: cellsOf(table, row),
  replaces
})
