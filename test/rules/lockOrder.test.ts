/**
 * The order in which a batch of change sets takes its locks, since batches of two runners may want the same rows; and
 * the number by which it is compared with what lists have shown (docs/decisions/0050).
 */
import { bodyOf } from "@coffer/model/Ids"
import { assert, it } from "@effect/vitest"
import { DateTime } from "effect"
import { insertion, replacement } from "../../src/money/orders/OrderStore.ts"
import { plan } from "../../src/platform/commit/statements.ts"
import { pendingOrder } from "../kit/rules/fixtures.ts"

const unsorted = [4, 2, 5, 1, 3]
const sorted = unsorted.toSorted()
const now = DateTime.makeUnsafe(0)
const number = (index: number) => `TRD_SB_${String(index).padStart(26, "0")}` as typeof pendingOrder.tradeNo
const merchant = (index: number) => `mer_${String(index).padStart(26, "0")}` as typeof pendingOrder.merchantId
const orderOf = (index: number) => ({
  ...pendingOrder,
  tradeNo: number(index),
  merchantId: merchant(index),
  outTradeNo: `cart-${index}` as typeof pendingOrder.outTradeNo
})

it("rows of a table are inserted and updated in the order of their keys, whatever the order of their sets", () => {
  const inserts = unsorted.map((index) => ({ changes: [insertion(orderOf(index))] }))
  const updates = unsorted.map((index) => {
    const order = orderOf(index + 5)
    return { changes: [replacement({ state: order, version: 1 }, { ...order, metadata: { note: "later" } }, now)] }
  })
  const { statements } = plan([...updates, ...inserts])
  assert.deepStrictEqual(
    statements.map(({ keys, op }) => [op, keys]),
    [
      ["insert", sorted.map(number)],
      ["update", sorted.map((index) => number(index + 5))]
    ]
  )
})

it("a batch looks at its accounts in one order, of merchants and of the environments of each", () => {
  const sets = unsorted.flatMap((index) =>
    (["sandbox", "live"] as const).map((mode) => ({
      changes: [insertion({ ...orderOf(index), tradeNo: number(index + (mode === "live" ? 10 : 0)), mode })]
    }))
  )
  assert.deepStrictEqual(
    plan(sets).accounts.map(({ merchantId, mode }) => [merchantId, mode]),
    sorted.flatMap((index) => [
      [merchant(index), "live"],
      [merchant(index), "sandbox"]
    ])
  )
})

it("a batch looks at an account by the lowest number that it brings there, since that is overtaken first", () => {
  const sets = unsorted.map((index) => ({ changes: [insertion({ ...orderOf(index), merchantId: merchant(1) })] }))
  assert.deepStrictEqual(
    plan(sets).accounts.map(({ lowest }) => lowest),
    [bodyOf(number(1))]
  )
})
