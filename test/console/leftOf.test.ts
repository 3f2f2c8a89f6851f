/** What the console says is left of a payment. */
import { assert, it } from "@effect/vitest"
import { leftOf } from "../../packages/console/src/merchant/leftOf.ts"

it("of a payment its fee is kept, and what was refunded or lost in a dispute is gone", () => {
  const order = { amount: 7_777, fee: 256, refunded_amount: 0 }
  const dispute = { amount: 5_000, fee: 1_500, status: "lost" } as const
  assert.strictEqual(leftOf(order, []).left, 7_521)
  assert.strictEqual(leftOf({ ...order, refunded_amount: 7_777 }, []).left, -256)
  assert.deepStrictEqual(leftOf({ ...order, refunded_amount: 1_000 }, [dispute, { ...dispute, status: "won" }]), {
    fee: 256,
    refunded: 1_000,
    lost: 5_000,
    lostFee: 1_500,
    left: 21
  })
})
