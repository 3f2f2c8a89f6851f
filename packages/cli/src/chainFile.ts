/** A chain as a CSV file, for proof offline: written by `coffer ledger export`, read by `coffer ledger verify`. */
import { csvHeader, csvRow } from "@coffer/rules/csv"
import { Option } from "effect"
import type { Link } from "@coffer/rules/wallet/chain"

const fields = ["id", "sequence", "previous_hash", "hash", "text"] as const

const columns = fields.map((name) => ({ name, isMoney: false, isExact: true }))

export const headerText: string = csvHeader(columns)

export const linesText = (links: ReadonlyArray<Link>): string =>
  links.map((link) => csvRow(columns, { ...link })).join("")

/** None if the file has another format. */
export const linksIn = (text: string): Option.Option<ReadonlyArray<Link>> => {
  const [header, ...rows] = rowsIn(text.replace(/^\uFEFF/, ""))
  if (header === undefined || !fields.every((field) => header.includes(field))) return Option.none()
  if (rows.some(({ length }) => length !== header.length)) return Option.none()
  const places = fields.map((field) => header.indexOf(field))
  return Option.some(
    rows.map((row) => {
      const [id, sequence, previous_hash, hash, text] = places.map((place) => row[place]!) as [
        string,
        string,
        string,
        string,
        string
      ]
      return { id, sequence: Number(sequence), previous_hash, hash, text }
    })
  )
}

/** RFC 4180: a cell in quotes may hold commas, line ends and doubled quotes. */
const rowsIn = (text: string): ReadonlyArray<ReadonlyArray<string>> => {
  const rows: Array<Array<string>> = []
  let row: Array<string> = []
  for (const [, quoted, bare, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    row.push(quoted === undefined ? bare! : quoted.replaceAll('""', '"'))
    if (end === ",") continue
    if (row.length > 1 || row[0] !== "") rows.push(row)
    row = []
  }
  return rows
}
