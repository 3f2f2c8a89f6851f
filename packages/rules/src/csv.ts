/**
 * CSV files: RFC 4180 with a byte order mark, and cells that a spreadsheet will not run (spec: List conventions;
 * silences: P4, P7, P8). Pure.
 */
import { twoDecimals } from "@coffer/model/Money"
import { Schema } from "effect"

export interface Column {
  readonly name: string
  /** Whether its numbers are amounts in minor units. Other numbers are written unchanged. */
  readonly isMoney: boolean
  /** Whether its texts are the service's own and are read back by a program: they are written unchanged. */
  readonly isExact?: boolean
  /** The header instead of the name. */
  readonly title?: string
}

/** The byte order mark and the header row. */
export const csvHeader = (columns: ReadonlyArray<Column>): string =>
  `\uFEFF${csvLine(columns.map(({ name, title }) => quoted(harmless(title ?? name))))}`

export const csvRow = (columns: ReadonlyArray<Column>, item: Readonly<Record<string, unknown>>): string =>
  csvLine(columns.map((column) => cell(column, item[column.name])))

const csvLine = (cells: ReadonlyArray<string>): string => `${cells.join(",")}\r\n`

/** An amount is written with two decimals; an object is its JSON text. */
const cell = ({ isExact, isMoney }: Column, value: unknown): string => {
  switch (typeof value) {
    case "number":
      return isMoney ? twoDecimals(value) : String(value)
    case "string":
      return quoted(isExact === true ? value : harmless(value))
    case "object":
      return value === null ? "" : quoted(jsonText(withoutFormulas(value)))
    case "undefined":
      return ""
    default:
      return String(value)
  }
}

const jsonText = Schema.encodeSync(Schema.fromJsonString(Schema.Unknown))

/** Each text in an object is guarded, including its names: people split such cells as well. */
const withoutFormulas = (value: unknown): unknown => {
  if (typeof value === "string") return harmless(value)
  if (Array.isArray(value)) return value.map(withoutFormulas)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [harmless(name), withoutFormulas(inner)]))
}

/** Including full-width and small forms. */
const sign = "[=+\\-@＝＋－＠﹦﹢﹣﹫]"
/** After spaces and invisible characters. */
const atStart = new RegExp(`^(?=[\\t\\r\\n]|[\\s\\p{C}]*${sign})`, "u")
/** A semicolon, a tab and a line break start a cell if the file is not split at commas (silences: P19). */
const inside = new RegExp(`([;\\t\\r\\n])(?=(?:(?![\\t\\r\\n])[\\s\\p{C}])*${sign})`, "gu")

const harmless = (text: string): string => text.replace(atStart, "'").replace(inside, "$1'")

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
