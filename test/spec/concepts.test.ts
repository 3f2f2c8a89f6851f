/** What the pages of concepts and the examples say of the product is what the rules do. */
import { readFileSync } from "node:fs"
import {
  csvExportsPerMinuteMax,
  helpersPerMinuteMax,
  readsPerMinuteMax,
  writesPerMinuteMax
} from "@coffer/model/Limits"
import { EventType } from "@coffer/model/EventType"
import { PaymentMethod, refundDaysOf } from "@coffer/model/PaymentMethod"
import { Scope } from "@coffer/model/Scopes"
import { orderStatuses } from "@coffer/rules/order/statusTable"
import { effects } from "@coffer/rules/wallet/post"
import { assert, it } from "@effect/vitest"
import { makeSite } from "../../packages/site/src/site.ts"
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
        pending: ["paid", "failed", "expired", "authorized"],
        paid: ["partially_refunded", "refunded"],
        partially_refunded: ["refunded", "paid"],
        refunded: ["partially_refunded", "paid"],
        failed: [],
        expired: [],
        authorized: ["paid", "canceled", "expired"],
        canceled: []
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

it("the page of keys names each scope, and no other", () => {
  const rows = rowsOf(read("docs/basics/authentication.md")).flatMap(([first = ""]) => wordsWithColon(first))
  assert.sameMembers(rows, [...Scope.literals])
})
const wordsWithColon = (cell: string) => [...cell.matchAll(/`(\w+:\w+)`/g)].map(([, word]) => word!)

it("the page of limits has the quotas of a minute", () => {
  const told = rowsOf(read("docs/basics/rate-limits.md")).map(([, number]) => Number(number))
  const quotas = [writesPerMinuteMax, readsPerMinuteMax, csvExportsPerMinuteMax, helpersPerMinuteMax]
  assert.deepStrictEqual(
    told.filter((number) => number > 0),
    quotas
  )
})

it("the page of payment methods has each, and for how long it can be refunded", () => {
  const rows = rowsOf(read("docs/basics/payment-methods.md")).flatMap(([methods = "", , , days = ""]) =>
    wordsIn(methods).map((method) => [method, days] as const)
  )
  assert.sameMembers(
    rows.map(([method]) => method),
    [...PaymentMethod.literals]
  )
  for (const [method, told] of rows) {
    const days = refundDaysOf(method as PaymentMethod)
    assert.strictEqual(told, days === undefined ? "no limit" : `${days} days`, method)
  }
})

it("the reference says which object each event carries, and no example of it shows what cannot be", () => {
  const pages = new Map(makeSite().pages.map(({ address, markdown }) => [address, markdown]))
  const events = pages.get("reference/events")!
  const objects = { payment: "Order", refund: "Refund", dispute: "Dispute" }
  for (const type of EventType.literals) {
    const object = objects[type.split(".")[0] as keyof typeof objects]
    assert.match(events, new RegExp(`\\| \`${type}\` \\| \\[\`${object}\``), type)
  }
  const shown = [...pages].flatMap(([address, markdown]) =>
    address.startsWith("reference/")
      ? [...markdown.matchAll(/^```json\n([^]*?)^```$/gm)].flatMap(([, text]) => objectsIn(JSON.parse(text!)))
      : []
  )
  assert.isAbove(shown.length, 20)
  for (const each of shown) {
    if (each["object"] === "order") {
      const isPaid = each["paid_at"] !== null && each["receipt_url"] !== null && each["fee"] !== null
      assert.strictEqual(isPaid, ["paid", "partially_refunded", "refunded"].includes(each["status"]))
    }
    if (each["object"] === "refund") assert.strictEqual(each["settled_at"] !== null, each["status"] === "succeeded")
    if (each["object"] === "dispute") {
      assert.strictEqual(each["closed_at"] !== null, ["won", "lost", "closed"].includes(each["status"]))
    }
  }
  const created = /^## Create an order$[^]*?```json\n([^]*?)^```$/m.exec(pages.get("reference/orders")!)![1]!
  assert.strictEqual(JSON.parse(created).data.status, "pending")
})

// oxlint-disable-next-line no-explicit-any -- examples of any answer
type Json = Record<string, any>

/** Orders, refunds and disputes that are shown whole, however deep they are. */
const objectsIn = (node: unknown): ReadonlyArray<Json> => {
  if (typeof node !== "object" || node === null) return []
  const inner = Object.values(node).flatMap(objectsIn)
  const { object, created_at } = node as Json
  return ["order", "refund", "dispute"].includes(object) && created_at !== undefined ? [node, ...inner] : inner
}
