/**
 * CSV files: RFC 4180 with a byte order mark, and cells that a spreadsheet will not run (spec: List conventions;
 * silences: P4, P7, P8). Pure.
 */
import { twoDecimals } from "@coffer/model/Money"
import { Schema } from "effect"

export interface Column {
  readonly name: string
  /** Whether a number in it is an amount in minor units. Other numbers are written as they are. */
  readonly isMoney: boolean
}

/** The byte order mark and the header row. */
export const csvHeader = (columns: ReadonlyArray<Column>): string =>
  `\uFEFF${csvLine(columns.map(({ name }) => quoted(name)))}`

export const csvRow = (columns: ReadonlyArray<Column>, item: Readonly<Record<string, unknown>>): string =>
  csvLine(columns.map((column) => cell(column, item[column.name])))

const csvLine = (cells: ReadonlyArray<string>): string => `${cells.join(",")}\r\n`

/** An amount is written with two decimals; an object is its JSON text. */
const cell = ({ isMoney }: Column, value: unknown): string => {
  switch (typeof value) {
    case "number":
      return isMoney ? twoDecimals(value) : String(value)
    case "string":
      return quoted(harmless(value))
    case "object":
      return value === null ? "" : quoted(jsonText(value))
    case "undefined":
      return ""
    default:
      return String(value)
  }
}

const jsonText = Schema.encodeSync(Schema.fromJsonString(Schema.Unknown))

/**
 * A spreadsheet takes what begins so for a formula, also after blanks, in full width, and behind a semicolon, which
 * begins a cell where files are read with semicolons (silences: P19).
 */
const harmless = (text: string): string =>
  (/^[\t\r\n]|^\s*[=+\-@＝＋－＠]/.test(text) ? `'${text}` : text).replace(/;(\s*[=+\-@＝＋－＠])/g, ";'$1")

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
