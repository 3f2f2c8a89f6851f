/** The CSV file of a list's rows: the columns that it may have, and how they are written. */
import { csvHeader, csvRow } from "@coffer/rules/csv"
import type { Column } from "./ListPage.tsx"

/** Controls, such as buttons, have nothing to write. `mayBuyers`: whether the role may export what tells of a buyer. */
export const exportedColumns = <Row>(
  columns: ReadonlyArray<Column<Row>>,
  mayBuyers = true
): ReadonlyArray<Column<Row>> =>
  columns.filter(
    ({ amount, isOfBuyer, text }) => (amount !== undefined || text !== undefined) && (mayBuyers || isOfBuyer !== true)
  )

const instant = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/**
 * The file of some rows, written as the service writes its own. The first amount of a row is followed by its currency,
 * unless the currency is a column of the list.
 */
export const csvOf = <Row>(
  chosen: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>,
  zone: string,
  currencyTitle: string
): string => {
  const times = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "medium", timeZone: zone })
  const shownText = (text: string) => (instant.test(text) ? times.format(new Date(text)) : text)
  const columns = withCurrency(chosen, currencyTitle)
  const cells = columns.map(({ amount, id, name }) => ({ name: id, title: name, isMoney: amount !== undefined }))
  const itemOf = (row: Row) =>
    Object.fromEntries(
      columns.map(({ amount, id, text }) => [
        id,
        amount === undefined ? shownText(text?.(row) ?? "") : amount(row)?.minor
      ])
    )
  return csvHeader(cells) + rows.map((row) => csvRow(cells, itemOf(row))).join("")
}

const withCurrency = <Row>(columns: ReadonlyArray<Column<Row>>, name: string): ReadonlyArray<Column<Row>> => {
  const first = columns.findIndex(({ amount }) => amount !== undefined)
  if (first === -1 || columns.some(({ id }) => id === "currency")) return columns
  const amounts = columns.flatMap(({ amount }) => (amount === undefined ? [] : [amount]))
  const text = (row: Row) => amounts.map((amount) => amount(row)).find((amount) => amount !== null)?.currency ?? ""
  return columns.toSpliced(first + 1, 0, { id: "currency", name, text, cell: text })
}
