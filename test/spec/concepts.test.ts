/** What the pages of concepts and the examples say of the product is what the rules do. */
import { readFileSync } from "node:fs"
import { orderStatuses } from "@coffer/rules/order/statusTable"
import { effects } from "@coffer/rules/wallet/post"
import { assert, it } from "@effect/vitest"
import { snippets } from "../kit/texts/snippets.ts"

const read = (file: string) => readFileSync(file, "utf8")

/** The cells of each row of the tables on a page. */
const rowsOf = (text: string) =>
  [...text.matchAll(/^\| (.*) \|$/gm)].map(([, row]) => row!.split(" |").map((cell) => cell.trim()))

const wordsIn = (cell: string) => [...cell.matchAll(/`(\w+)`/g)].map(([, word]) => word!)

it("the page of an order knows each status, and which may follow it, in both languages", () => {
  for (const file of ["docs/concepts/order.md", "docs/zh/concepts/order.md"]) {
    const rows = rowsOf(read(file)).filter(([first = ""]) => wordsIn(first).length === 1)
    const after = Object.fromEntries(rows.map(([status, , next]) => [wordsIn(status!)[0], wordsIn(next!)]))
    assert.deepStrictEqual(
      after,
      {
        pending: ["paid", "failed", "expired"],
        paid: ["partially_refunded", "refunded"],
        partially_refunded: ["refunded"],
        refunded: [],
        failed: [],
        expired: []
      },
      file
    )
    assert.sameMembers(Object.keys(after), [...orderStatuses], file)
  }
  for (const status of orderStatuses) assert.include(read("docs/drawings/order.svg"), `>${status}<`)
})

it("the page of the wallet says which balance a row moves", () => {
  const told = rowsOf(read("docs/concepts/wallet.md")).flatMap(([types = "", , available, frozen]) =>
    wordsIn(types).flatMap((type) => (type in effects ? [{ type, available, frozen }] : []))
  )
  assert.isAbove(told.length, 4)
  for (const { available, frozen, type } of told) {
    // A refund of a card takes what was reserved without a row (R7).
    if (type === "refund_debit") continue
    const { available: movesAvailable, frozen: movesFrozen } = effects[type as keyof typeof effects]
    assert.deepStrictEqual([available !== "", frozen !== ""], [movesAvailable !== 0, movesFrozen !== 0], type)
  }
})

it("no example takes each conflict for a buyer who has just paid", () => {
  const code = [
    ...snippets().map(({ source, text }) => [source, text] as const),
    ...["packages/sdk/examples/shop.ts", "examples/shop/src/shop.ts", "examples/effect/src/Shop.ts"].map(
      (file) => [file, read(file)] as const
    )
  ]
  assert.isTrue(code.some(([, text]) => text.includes(`"just_paid"`)))
  for (const [source, text] of code) {
    for (const line of text.split("\n").filter((each) => /409|ConflictError|"conflict"/.test(each))) {
      assert.notMatch(line, /just paid|was faster|ship/i, source)
    }
    if (/just paid|was faster/i.test(text)) assert.include(text, "just_paid", source)
  }
})

it("an order that was paid is known by paid_at in each example that thanks its buyer, since its status goes on", () => {
  const thanking = snippets().filter(({ text }) => /Thank you/.test(text) && /orders\.get|orders\/cart/.test(text))
  assert.isAbove(thanking.length, 1)
  for (const { source, text } of thanking) assert.include(text, "paid_at", source)
})
