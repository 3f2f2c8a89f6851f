/** What the console's lists show and write, where no browser is needed for it. */
import { globSync, readFileSync } from "node:fs"
import { Api } from "@coffer/contract/Api"
import { OperatorApi } from "@coffer/contract/Operator"
import { assert, describe, it } from "@effect/vitest"
import { OpenApi } from "effect/http-api"
import type { OrderResource } from "@coffer/contract/Orders"
import { orders } from "@coffer/resources/orders"
import { columnsOf } from "../../packages/console/src/parts/declared.tsx"
import { csvOf, exportedColumns } from "../../packages/console/src/parts/exportedRows.ts"
import type { Column } from "../../packages/console/src/parts/ListPage.tsx"
import { attention } from "../../packages/console/src/parts/attention.ts"
import { stateText, stateWords } from "../../packages/console/src/parts/stateWords.ts"

interface Row {
  readonly id: string
  readonly minor: number
}
const columns: ReadonlyArray<Column<Row>> = [
  { id: "id", name: "Number", text: ({ id }) => id, cell: ({ id }) => id },
  { id: "amount", name: "Amount", amount: ({ minor }) => ({ minor, currency: "HKD" }), cell: () => "" },
  { id: "whole", name: "Raw data", cell: () => "a button" }
]

describe("an export of a list", () => {
  it("has no column for controls, which would be empty", () => {
    assert.deepStrictEqual(
      exportedColumns(columns).map(({ id }) => id),
      ["id", "amount"]
    )
  })

  it("has nothing that tells of the buyer for a role that may not export a buyer's data", () => {
    const declared = columnsOf<OrderResource>(orders, "en")
    const written = (may: boolean) => exportedColumns(declared, may).map(({ id }) => id)
    assert.includeMembers(written(true), ["trade_no", "receipt_email", "subject"])
    assert.include(written(false), "trade_no")
    assert.notIncludeMembers(written(false), ["receipt_email", "subject"])
  })

  it("gets no empty text from any column: one of controls is declared without", () => {
    const empty = globSync("packages/console/src/**/*.tsx").filter((file) =>
      /\btext: \(\) => ""/.test(readFileSync(file, "utf8"))
    )
    assert.deepStrictEqual(empty, [])
  })

  it("has amounts as numbers, and their currency beside the first", () => {
    assert.strictEqual(
      csvOf(exportedColumns(columns), [{ id: "r_1", minor: 1999 }], "UTC", "Currency"),
      "\uFEFFNumber,Amount,Currency\r\nr_1,19.99,HKD\r\n"
    )
  })
})

/** The words that each field `status` of the documents may have. */
const statesIn = (value: unknown): ReadonlyArray<ReadonlyArray<string>> => {
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(
    ([name, inner]: readonly [string, { readonly enum?: ReadonlyArray<string> }]) => [
      ...(name === "status" && Array.isArray(inner?.enum) ? [inner.enum] : []),
      ...statesIn(inner)
    ]
  )
}

describe("the label of a state", () => {
  const states = [...statesIn(OpenApi.fromApi(Api)), ...statesIn(OpenApi.fromApi(OperatorApi))]

  it.each(["en", "zh"] as const)("is no other state's of the same object, in %s", (language) => {
    assert.isAbove(states.length, 10)
    for (const words of states) {
      const labels = words.map((word) => stateText(word, language))
      assert.lengthOf(new Set(labels), words.length, labels.join(", "))
    }
  })

  it.each(["en", "zh"] as const)("is not that of the list of what needs attention, in %s", (language) => {
    const labels = [...Object.keys(stateWords.zh), "pending"].map((word) => stateText(word, language))
    assert.notInclude(labels, attention[language].title)
  })
})
