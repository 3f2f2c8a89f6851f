/** Lists and pages of a declared resource: the columns, the filters, and the fields beside an object. */
import { type AnyListed, choicesOf, type Field, kindOf, tellsOfBuyer } from "@coffer/resources/listed"
import { columnsFor, type NamesOf } from "./columns.tsx"
import type { Filter } from "./Filters.tsx"
import type { Column } from "./ListPage.tsx"
import { stateText } from "./stateWords.ts"
import { Amount, Method, methodText, State, Time } from "./values.tsx"
import { type Language, wordsIn } from "./words.ts"

const places = { shown: {}, wide: { isWide: true }, hidden: { isHidden: true } }

/** The columns of its list. `own`: columns with a cell of their own. */
export const columnsOf = <Row extends object>(
  { fields, listing }: AnyListed,
  language: Language,
  own: { readonly [Name in keyof Row]?: Partial<Column<Row>> } = {}
): ReadonlyArray<Column<Row>> => {
  const { code, money, plain, state, time } = columnsFor<Row>()
  return Object.entries(listing.list).map(([name, place]): Column<Row> => {
    const field = fields[name]!
    const id = name as keyof Row & string
    const [label, more] = [
      wordsIn(field.label, language),
      { ...places[place], ...(tellsOfBuyer(field) && { isOfBuyer: true }), ...own[id] }
    ]
    if (kindOf(field) === "time") return time(name as NamesOf<Row, string>, label, more)
    switch (field.look) {
      case "money":
        return money(name as NamesOf<Row, number>, label, more)
      case "code":
        return code(id, label, more)
      case "state":
        return state(label, more, id)
      case "method":
        return plain(id, label, {
          cell: (row) => <Method of={((row as Values)[name] as string | null | undefined) ?? null} />,
          ...more
        })
      default:
        return plain(id, label, more)
    }
  })
}

type Values = Readonly<Record<string, unknown>>

/** The filters of its list. Those with a set of words are a choice. `own`: those that are asked for otherwise. */
export const filtersOf = <const Name extends string>(
  { fields, listing }: AnyListed & { readonly listing: { readonly filters: { readonly [N in Name]: string } } },
  language: Language,
  own: { readonly [N in Name]?: Partial<Filter> } = {}
): ReadonlyArray<Filter<Name>> =>
  (Object.keys(listing.filters) as Array<Name>).map((name) => {
    const field = fields[name]!
    const textOf = field.look === "method" ? methodText : stateText
    const choices = choicesOf(field)?.map((choice) => [choice, textOf(choice, language)] as const)
    return { label: wordsIn(field.label, language), ...(choices === undefined ? {} : { choices }), ...own[name], name }
  })

type Fact = readonly [name: string, value: React.ReactNode]

const texts = { en: { yes: "Yes", no: "No" }, zh: { yes: "是", no: "否" } }

/**
 * The fields of its page, without those that are null or left out. `own`: fields with a cell of their own, such as a link; an
 * undefined one is left out.
 */
export const factsOf = <Row extends object>(
  { fields, listing }: AnyListed,
  row: Row,
  language: Language,
  own: { readonly [Name in keyof Row]?: React.ReactNode } = {}
): ReadonlyArray<Fact> =>
  listing.facts.flatMap((name): ReadonlyArray<Fact> => {
    const field = fields[name]!
    const value = (row as Values)[name]
    const label = wordsIn(field.label, language)
    if (name in own) return own[name as keyof Row] === undefined ? [] : [[label, own[name as keyof Row]]]
    if (value == null) return []
    if (kindOf(field) === "map") {
      return Object.entries(value as Readonly<Record<string, string>>).map(([key, text]) => [`${label}: ${key}`, text])
    }
    return [[label, factOf(field, value, row as Values, language)]]
  })

const factOf = (field: Field, value: unknown, { currency }: Values, language: Language): React.ReactNode => {
  const kind = kindOf(field)
  if (kind === "time") return <Time at={String(value)} />
  if (kind === "truth") return value === true ? wordsIn(texts, language).yes : wordsIn(texts, language).no
  switch (field.look) {
    case "money":
      return <Amount minor={Number(value)} currency={String(currency)} />
    case "state":
      return <State of={String(value)} />
    case "method":
      return <Method of={String(value)} />
    case "code":
      return <code>{String(value)}</code>
    default:
      return String(value)
  }
}
