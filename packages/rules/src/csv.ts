/**
 * CSV files: RFC 4180 with a byte order mark, and cells that a spreadsheet will not run (spec: List conventions;
 * silences: P4, P7, P8). Pure. What the columns are is said beside each resource's view.
 */
import { twoDecimals } from "@coffer/model/Money"
import { Schema } from "effect"

/** `amount`: minor units, written with two decimals. `json`: an object, as its JSON text. */
export type CellKind = "text" | "amount" | "json"

/** Fields of the object in the order of the columns. */
export type Columns<Item> = { readonly [Field in keyof Item]?: CellKind }

/** The byte order mark and the header row. */
export const csvHeader = <Item>(columns: Columns<Item>): string => `\uFEFF${csvLine(Object.keys(columns).map(quoted))}`

export const csvRow = <Item>(columns: Columns<Item>, item: Item): string =>
  csvLine((Object.keys(columns) as Array<keyof Item>).map((field) => cell(columns[field]!, item[field])))

const csvLine = (cells: ReadonlyArray<string>): string => `${cells.join(",")}\r\n`

const cell = (kind: CellKind, value: unknown): string => {
  if (value === null || value === undefined) return ""
  switch (kind) {
    case "amount":
      return twoDecimals(Number(value))
    case "json":
      return quoted(jsonText(value))
    case "text":
      return quoted(typeof value === "string" ? harmless(value) : String(value))
  }
}

const jsonText = Schema.encodeSync(Schema.fromJsonString(Schema.Unknown))

/** A spreadsheet takes what begins so for a formula. */
const harmless = (text: string): string => (/^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text)

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
