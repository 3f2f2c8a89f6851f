/** Common columns of lists, each of the row's field with the column's name. */
import type { Column } from "./ListPage.tsx"
import { Amount, State, Time } from "./values.tsx"

type More<Row> = Partial<Column<Row>>

/** The names of the row's fields that may have such a value. */
export type NamesOf<Row, Value> = {
  [Name in keyof Row & string]: Extract<Row[Name], Value> extends never ? never : Name
}[keyof Row & string]

const textOf = (value: unknown): string =>
  value === null || value === undefined ? "" : Array.isArray(value) ? value.join(" ") : String(value)

/** Two lines at most; what is cut off is read by pointing at it. */
const Clamped = ({ text }: { readonly text: string }) => (
  <span className="clamp" title={text.length > linesHold ? text : undefined}>
    {text}
  </span>
)
const linesHold = 24

/** The columns of a list whose rows are of this type. `more` adds to a column, or overrides parts of it. */
export const columnsFor = <Row extends object>() => {
  /** As it is; a dash for what is empty. */
  const plain = (id: keyof Row & string, name: string, more: More<Row> = {}): Column<Row> => ({
    id,
    name,
    text: (row) => textOf(row[id]),
    cell: (row) => (textOf(row[id]) === "" ? <span className="soft">–</span> : <Clamped text={textOf(row[id])} />),
    ...more
  })
  return {
    plain,
    /** An object's number, or another technical text. */
    code: (id: keyof Row & string, name: string, more: More<Row> = {}) =>
      plain(id, name, { cell: (row) => (textOf(row[id]) === "" ? "–" : <code>{textOf(row[id])}</code>), ...more }),
    time: (id: NamesOf<Row, string>, name: string, more: More<Row> = {}) =>
      plain(id, name, {
        kind: "time",
        cell: (row) => <Time at={(row[id] as string | null | undefined) ?? null} />,
        ...more
      }),
    /** A state; the field `status` unless another is named. */
    state: (name: string, more: More<Row> = {}, id = "status" as keyof Row & string) =>
      plain(id, name, {
        kind: "state",
        cell: (row) => (textOf(row[id]) === "" ? <span className="soft">–</span> : <State of={textOf(row[id])} />),
        ...more
      }),
    /** Minor units of the row's `currency`. */
    money: (id: NamesOf<Row, number>, name: string, more: More<Row> = {}) => {
      const minor = (row: Row) => (typeof row[id] === "number" ? (row[id] as number) : null)
      const currency = (row: Row) => textOf((row as { readonly currency?: unknown }).currency) || "USD"
      return plain(id, name, {
        isNumber: true,
        amount: (row) => (minor(row) === null ? null : { minor: minor(row)!, currency: currency(row) }),
        cell: (row) => <Amount minor={minor(row)} currency={currency(row)} />,
        ...more
      })
    }
  }
}
