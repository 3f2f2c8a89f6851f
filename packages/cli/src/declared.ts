/** The lists of a declared resource on the command line: its columns, and its filters as flags. */
import { type AnyListed, choicesOf, type Field, kindOf } from "@coffer/resources/listed"
import type { Filtered } from "@coffer/resources/types"
import type { Flag } from "effect/cli"
import { oneOf, text } from "./flags.ts"
import { type Column, money, time } from "./output.ts"

/** Their titles are the labels. `own`: those that show more than the value. */
export const columnsOf = <Item extends object>(
  { fields, listing }: AnyListed,
  own: { readonly [Name in keyof Item]?: Column<Item>["of"] } = {}
): ReadonlyArray<Column<Item>> =>
  listing.brief.map((name) => {
    const shown = textOf(fields[name]!)
    return {
      title: fields[name]!.label.en.toUpperCase(),
      of: own[name as keyof Item] ?? ((item) => shown((item as Values)[name], item as Values)),
      ...(fields[name]!.look === "state" ? { isStatus: true } : {})
    }
  })

type Values = Readonly<Record<string, unknown>>

const textOf = (field: Field): ((value: unknown, item: Values) => string) => {
  if (kindOf(field) === "time") return (value) => time(value as string | null)
  if (field.look === "money") return (value, { currency }) => money(value as number | null, String(currency))
  return (value) => String(value ?? "-")
}

/** A flag for each filter, by the API's name: `--out-refund-no`. */
export const filtersOf = <
  const F extends Readonly<Record<string, Field>>,
  const Filters extends Readonly<Record<string, string>>
>({
  fields,
  listing
}: {
  readonly fields: F
  readonly listing: { readonly filters: Filters }
}) =>
  Object.fromEntries(
    Object.entries(listing.filters).map(([name, says]) => {
      const choices = choicesOf(fields[name]!)
      const [flag, help] = [name.replaceAll("_", "-"), says.replaceAll("`", "").replace(/\.$/, "")]
      return [name, choices === undefined ? text(flag, help) : oneOf(flag, choices, help)]
    })
  ) as unknown as Flags<Filtered<F, Filters>>

type Flags<Values> = { readonly [Name in keyof Values]: Flag.Flag<Values[Name]> }
