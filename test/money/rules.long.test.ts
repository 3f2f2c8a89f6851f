/** Any two hundred steps of a business, by the rules alone, are what the accountant's model says. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { rounds } from "../kit/run/soak.ts"
import { Model, stepOf } from "./model.ts"
import { Rules } from "./rules.ts"

const draws = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat(), fc.nat()), {
  minLength: 200,
  maxLength: 300,
  size: "max"
})

describe("the rules of money", () => {
  it("answer and book every step of a random business as the model does, and the laws hold after each", () => {
    fc.assert(
      fc.property(draws, (drawn) => {
        const model = new Model()
        const rules = new Rules()
        for (const numbers of drawn) {
          const step = stepOf(model, numbers)
          const expected = model.take(step)
          assert.deepStrictEqual([step, rules.take(step)], [step, expected])
          assert.deepStrictEqual(rules.books, model.books)
          if ("order" in step) assert.deepStrictEqual(rules.shown(step.order), model.shown(step.order))
          assertLaws(rules)
        }
      }),
      // The same businesses in every run; and the first that fails is shown as it is.
      { numRuns: rounds(30, 100), seed: 1, endOnFailure: true }
    )
  })
})

/** docs/ledger.md, on what is in memory. */
const assertLaws = ({ disputes, ledger, orders, payouts, refunds, wallet }: Rules) => {
  const sum = (amounts: ReadonlyArray<number>) => amounts.reduce((total, amount) => total + amount, 0)
  const amounts = (
    things: ReadonlyArray<{ readonly amount: number; readonly status: string }>,
    ...states: Array<string>
  ) => sum(things.filter(({ status }) => states.includes(status)).map(({ amount }) => amount))
  assert.strictEqual(sum(ledger.map((row) => row.balanceAfter - row.balanceBefore)), wallet.available)
  assert.strictEqual(
    wallet.frozen,
    amounts(refunds, "pending") + amounts(disputes, "needs_response") + amounts(payouts, "requested", "approved")
  )
  const lost = amounts(disputes, "lost")
  assert.strictEqual(
    wallet.available + wallet.frozen,
    wallet.totalRevenue - wallet.totalFee - wallet.totalRefund - wallet.totalPayout - lost
  )
  for (const order of orders) {
    if (!("paymentId" in order)) continue
    const mine = refunds.filter(({ tradeNo }) => tradeNo === order.tradeNo)
    assert.strictEqual(order.refundedAmount, amounts(mine, "succeeded"))
    assert.strictEqual(order.refundingAmount, amounts(mine, "reserved", "pending"))
    assert.isAtMost(order.refundedAmount + order.refundingAmount, order.amount)
  }
  // Only a dispute takes available below zero; once there, the fee of a payment or of a promised payout may lower it.
  const low = ledger.filter((row) => row.balanceAfter < 0 && row.balanceAfter < row.balanceBefore)
  const allowed = ["dispute_freeze", "dispute_fee", "payout_fee", "fee_debit"]
  assert.deepStrictEqual(
    low.filter(({ type }) => !allowed.includes(type)),
    []
  )
}
