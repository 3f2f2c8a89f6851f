/** What the card of a row has on a phone. */
import { assert, describe, it } from "@effect/vitest"
import { cardPlaces } from "../../packages/console/src/parts/cards.ts"
import type { Column } from "../../packages/console/src/parts/ListPage.tsx"

type Row = Readonly<Record<string, string>>
const column = (id: string, more: Partial<Column<Row>> = {}): Column<Row> => ({
  id,
  name: id,
  cell: (row) => row[id],
  text: (row) => row[id] ?? "",
  ...more
})

const orders = [
  column("amount"),
  column("status", { kind: "state" }),
  column("subject"),
  column("number"),
  column("buyer", { isWide: true }),
  column("created", { kind: "time" })
]

const placesIn = (columns: ReadonlyArray<Column<Row>>, row: Row) => {
  const placeOf = cardPlaces(columns, row)
  return Object.fromEntries(columns.map(({ id }) => [id, placeOf(id)]))
}

describe("the card of a row", () => {
  it("has the first column and the state, and below them one text and the time", () => {
    assert.deepStrictEqual(placesIn(orders, { subject: "Two books", number: "cart-1", buyer: "a@b.example" }), {
      amount: "lead",
      status: "state",
      subject: "text",
      number: "none",
      buyer: "none",
      created: "time"
    })
  })

  it("shows the next text where the first one is empty", () => {
    assert.strictEqual(placesIn(orders, { number: "cart-1" })["number"], "text")
    assert.strictEqual(placesIn(orders, { buyer: "a@b.example" })["buyer"], "text")
  })

  it("prefers a number that leads on to a second amount", () => {
    const amount = () => ({ minor: 1, currency: "USD" })
    const ledger = [column("type"), column("amount", { amount }), column("balance", { amount }), column("reference")]
    assert.deepStrictEqual(placesIn(ledger, { balance: "1", reference: "TRD_1" }), {
      type: "lead",
      amount: "state",
      balance: "none",
      reference: "text"
    })
  })

  it("keeps what the row can be made to do, which has no text", () => {
    const { text: _, ...acts } = column("acts")
    assert.strictEqual(placesIn([...orders, acts], {})["acts"], "acts")
  })

  it("has another column beside the first where the list has no state", () => {
    const logs = [column("time", { kind: "time" }), column("status"), column("path"), column("error")]
    assert.deepStrictEqual(placesIn(logs, { path: "/v1/orders" }), {
      time: "lead",
      status: "state",
      path: "text",
      error: "none"
    })
  })
})
