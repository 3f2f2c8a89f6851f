/**
 * A row of a list on a phone: a card of two lines. The first has the row's first column and its state, the second one
 * more text and the time. What the row can be made to do is below; everything else is on the row's page.
 */
import type { Column } from "./ListPage.tsx"

export type CardPlace = "acts" | "lead" | "none" | "state" | "text" | "time"

/** Where the card of this row has each column. An empty text leaves its place to the next one. */
export const cardPlaces = <Row>(columns: ReadonlyArray<Column<Row>>, row: Row): ((id: string) => CardPlace) => {
  const [lead, ...others] = columns
  const places = new Map<string, CardPlace>()
  const take = (place: CardPlace, column: Column<Row> | undefined) => {
    if (column !== undefined) places.set(column.id, place)
  }
  take("lead", lead)
  const isFree = ({ id }: Column<Row>) => !places.has(id)
  for (const column of others) if (column.text === undefined && column.amount === undefined) take("acts", column)
  take(
    "time",
    others.filter(isFree).find(({ kind }) => kind === "time")
  )
  const texts = others.filter((column) => isFree(column) && column.kind === undefined)
  take("state", others.filter(isFree).find(({ kind }) => kind === "state") ?? texts.find(isShort))
  // A name or a number says more than a second amount.
  const left = texts.filter(isFree).toSorted((one, other) => Number(isAmount(one)) - Number(isAmount(other)))
  take(
    "text",
    left.find(({ text }) => text?.(row) !== "")
  )
  return (id) => places.get(id) ?? "none"
}

const isAmount = <Row>({ amount }: Column<Row>) => amount !== undefined

/** Without a state, what stands first is beside the lead. */
const isShort = <Row>({ isWide }: Column<Row>) => isWide !== true
