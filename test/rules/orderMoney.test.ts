/** What the facts of an order move and announce. */
import { assert, describe, it } from "@effect/vitest"
import { Minor } from "@coffer/model/Money"
import { consequences } from "@coffer/rules/order/consequences"
import { decide } from "@coffer/rules/order/decide"
import { evolve } from "@coffer/rules/order/evolve"
import { DisputeOpened, facts, PaymentSucceeded, pendingOrder, RefundReserved } from "../kit/fixtures.ts"
import { given } from "../kit/Given.ts"

const paid = given({ decide, evolve, initial: pendingOrder })(PaymentSucceeded.make({ facts }))

describe("order: what a fact moves", () => {
  it("a payment is two rows, the whole amount in and the fee out, and is announced", () => {
    const {
      announced,
      movements,
      order: command,
      reserve
    } = consequences(pendingOrder, PaymentSucceeded.make({ facts }))
    assert.deepStrictEqual([announced, command, reserve], ["payment.succeeded", undefined, 0])
    assert.deepStrictEqual(
      movements.map(({ amount, referenceId, type }) => [type, amount, referenceId]),
      [
        ["payment_credit", 10_00, pendingOrder.tradeNo],
        ["fee_debit", -59, pendingOrder.tradeNo]
      ]
    )
  })

  it("a fee of 0 is 0 and not minus zero", () => {
    const free = PaymentSucceeded.make({ facts: { ...facts, fee: Minor.make(0) } })
    assert.isTrue(Object.is(consequences(pendingOrder, free).movements[1]!.amount, 0))
  })

  it("the order's half of a refund or a dispute moves nothing: the other half does", () => {
    for (const fact of [RefundReserved.make({ amount: Minor.make(1) }), DisputeOpened.make({})]) {
      assert.deepStrictEqual(consequences(paid.state, fact), {
        movements: [],
        reserve: 0,
        order: undefined,
        announced: undefined
      })
    }
  })
})
