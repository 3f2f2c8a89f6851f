/** Compares a list's CSV with its JSON (spec: List conventions; silences: P4, P7, P8). */
import type { Difference } from "./compare.ts"

type Shown = Readonly<Record<string, unknown>>

const amounts = ["amount", "fee", "net_amount", "refunded_amount", "balance_before", "balance_after"]
/** Signed addresses, which a file does not have. */
const signed = ["checkout_url", "receipt_url"]
/** Fields that only some orders have (O75), which are no columns. */
const ofSome = ["capture", "capture_by", "captured_amount", "capturing_amount"]
const left = ["object", ...signed, ...ofSome]

export const csvDiffers = (path: string, items: ReadonlyArray<Shown>, csv: string): Difference | undefined => {
  const at = `CSV of ${path}`
  if (!csv.startsWith("\ufeff")) return { at, expected: "a byte order mark", actual: csv.slice(0, 10) }
  const [names = [], ...rows] = rowsOf(csv.slice(1))
  if (rows.length !== items.length) return { at, expected: `${items.length} rows`, actual: rows.length }
  for (const [index, item] of items.entries()) {
    for (const name of Object.keys(item)) {
      if (left.includes(name)) continue
      const expected = cellOf(name, item[name])
      const actual = rows[index]![names.indexOf(name)]
      if (actual !== expected) return { at: `${at}, row ${index + 1}, ${name}`, expected, actual }
    }
  }
  return undefined
}

const cellOf = (name: string, value: unknown): string => {
  if (value === null) return ""
  if (typeof value === "number") return amounts.includes(name) ? (value / 100).toFixed(2) : String(value)
  const text = typeof value === "string" ? value : JSON.stringify(value)
  return /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text
}

const rowsOf = (csv: string): ReadonlyArray<ReadonlyArray<string>> => {
  const rows: Array<Array<string>> = [[]]
  for (const [, cell = "", end] of csv.matchAll(/("(?:[^"]|"")*"|[^,\r"]*)(,|\r\n)/g)) {
    rows.at(-1)!.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell)
    if (end !== ",") rows.push([])
  }
  return rows.slice(0, -1)
}
