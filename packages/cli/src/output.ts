/**
 * Prints results. On a terminal as tables and fields, in colours unless NO_COLOR is set; with `--json` as the API
 * answered. Untrusted text can neither move the cursor nor change colours.
 */
import { Console, Context, Effect, Match, Predicate } from "effect"
import { CliOutput, TerminalCapabilities } from "effect/cli"
import { json } from "./frame.ts"
import { indentedJson, jsonText, shownJson } from "./json.ts"
import { plain } from "./plain.ts"

/** The terminal's codes to switch each on and off. */
const styles = { red: [31, 39], yellow: [33, 39], green: [32, 39], gray: [90, 39], bold: [1, 22] } as const

export type Color = keyof typeof styles

export type Paint = (color: Color, text: string) => string

export const paint: Effect.Effect<Paint> = Effect.map(Effect.context(), (context): Paint =>
  Context.get(context, TerminalCapabilities.TerminalCapabilities).canColor
    ? (color, text) => `\u001b[${styles[color][0]}m${text}\u001b[${styles[color][1]}m`
    : (_, text) => text
)

/** Statuses of the API. */
export const colorOf = (status: string): Color | undefined => {
  if (/^(paid|succeeded|won|active|2\d\d)$/.test(status)) return "green"
  if (/^(failed|lost|expired|canceled|inactive|skipped|[45]\d\d)$/.test(status)) return "red"
  return /^(pending|needs_response|under_review|partially_refunded|authorized)$/.test(status) ? "yellow" : undefined
}

const shown = Match.type<unknown>().pipe(
  Match.when(Match.string, plain),
  Match.when(Predicate.isNullish, () => "-"),
  Match.orElse((value) => plain(jsonText(value)))
)

/** `1999`, `USD`: 19.99 USD. All currencies have two decimals. */
export const money = (minor: number | null, currency: string): string =>
  minor === null ? "-" : `${minor < 0 ? "-" : ""}${Math.floor(Math.abs(minor) / 100)}.${cents(minor)} ${currency}`

const cents = (minor: number) => String(Math.abs(minor) % 100).padStart(2, "0")

/** `1,234`. */
export const count = (n: number): string => n.toLocaleString("en")

/** `2026-11-23 06:17:12Z`: in UTC, as in the API, and accepted by `--since`. */
export const time = (iso: string | null): string =>
  iso === null ? "-" : plain(`${iso.slice(0, 19).replace("T", " ")}Z`)

/** `4 ms`, `1.2 s`, `3 min`, `5.0 h`, `90.0 d`. */
export const span = (millis: number): string => {
  if (millis < 1_000) return `${millis} ms`
  if (millis < 60_000) return `${(millis / 1_000).toFixed(1)} s`
  if (millis < 3_600_000) return `${Math.round(millis / 60_000)} min`
  return millis < 172_800_000 ? `${(millis / 3_600_000).toFixed(1)} h` : `${(millis / 86_400_000).toFixed(1)} d`
}

/** One object: as the API answered, or one field per line. */
export const printObject = Effect.fnUntraced(function* (object: object) {
  if (yield* json) return yield* Console.log(indentedJson(object))
  const style = yield* paint
  const fields = fieldsOf(object)
  const width = Math.max(0, ...fields.map(([name]) => name.length))
  const line = ([name, text]: readonly [string, string]) => {
    const color = /(^|\.)status$/.test(name) ? colorOf(text) : undefined
    return `${style("gray", name.padEnd(width))}  ${color === undefined ? text : style(color, text)}`
  }
  yield* Console.log(fields.map(line).join("\n"))
})

/** Fields that hold an amount, by their names in the API. */
const isAmount = (name: string): boolean =>
  /(^|_)(amount|fee|net|balance|balance_before|balance_after|frozen_after)$/.test(name) ||
  /^total_(revenue|fee|payout|refund)$/.test(name)

/**
 * By path: `data.object.amount`, `files.1.type`. An amount is in the currency of its object or of the enclosing one.
 */
const fieldsOf = (object: object, path = "", above?: string): ReadonlyArray<readonly [string, string]> => {
  const currency = "currency" in object && typeof object.currency === "string" ? object.currency : above
  return Object.entries(object)
    .filter(([name]) => name !== "object" || path !== "" || typeof object["object" as never] !== "string")
    .flatMap(([name, value]) => {
      const at = `${path}${plain(name)}`
      const isListOfTexts = Array.isArray(value) && value.length > 0 && value.every((one) => typeof one !== "object")
      if (isListOfTexts) return [[at, value.map(shown).join(", ")] as const]
      if (typeof value === "object" && value !== null && Object.keys(value).length > 0) {
        return fieldsOf(value, `${at}.`, currency)
      }
      const isMoney = currency !== undefined && Number.isInteger(value) && isAmount(name)
      return [[at, isMoney ? plain(money(Number(value), currency)) : shown(value)] as const]
    })
}

export interface Column<Item> {
  readonly title: string
  readonly of: (item: Item) => string
  /** The field with the status. */
  readonly isStatus?: boolean
}

/** The width of Latin text is its length, so Unicode tables are not loaded for it. */
const widthOf = (text: string): number => (/^[ -~]*$/.test(text) ? text.length : CliOutput.displayWidth(text))

/** Prints rows one after the other: JSON lines, or columns that grow with their content. */
export const table = Effect.fnUntraced(function* <Item>(columns: ReadonlyArray<Column<Item>>) {
  const asJson = yield* json
  const style = yield* paint
  const widths = columns.map(({ title }) => title.length)
  let isFirst = true
  const line = (cells: ReadonlyArray<string>, styled: (text: string, index: number) => string) =>
    cells
      .map((cell, index) => {
        const space = index === cells.length - 1 ? "" : " ".repeat(Math.max(0, widths[index]! - widthOf(cell)))
        return styled(cell, index) + space
      })
      .join("  ")
      .trimEnd()
  const styledCell = (text: string, index: number) => {
    const color = columns[index]?.isStatus === true ? colorOf(text) : undefined
    return color === undefined ? text : style(color, text)
  }
  return (items: ReadonlyArray<Item>): Effect.Effect<void> => {
    if (items.length === 0) return Effect.void
    if (asJson) return Console.log(items.map(shownJson).join("\n"))
    const rows = items.map((item) => columns.map((column) => plain(column.of(item))))
    for (const row of rows) row.forEach((cell, index) => (widths[index] = Math.max(widths[index]!, widthOf(cell))))
    const titles = columns.map(({ title }) => title)
    const head = isFirst ? [line(titles, (text) => style("bold", text))] : []
    isFirst = false
    return Console.log([...head, ...rows.map((row) => line(row, styledCell))].join("\n"))
  }
})
