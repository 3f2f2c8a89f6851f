/**
 * Every type of ledger row comes from something that merchants or their bank do, with its sign (spec: Balance
 * transaction).
 */
import { assert, describe, it } from "@effect/vitest"
import { LedgerType } from "@coffer/model/Ledger"
import { Effect } from "effect"
import { assertLedgerWhole } from "../../kit/ledger.ts"
import { merchantOf } from "../../kit/Merchant.ts"
import { start } from "../../kit/Service.ts"

/** As the specification's table has them; a fee of nothing is 0. */
const signs: Record<LedgerType, 1 | -1> = {
  payment_credit: 1,
  fee_debit: -1,
  refund_freeze: -1,
  refund_debit: -1,
  refund_unfreeze: 1,
  dispute_freeze: -1,
  dispute_unfreeze: 1,
  dispute_debit: -1,
  dispute_fee: -1,
  payout_freeze: -1,
  payout_unfreeze: 1,
  payout_success: -1,
  payout_fee: -1
}

describe("the ledger", () => {
  it.live("has a row of every type after a day on which everything happens once, each with its sign", () =>
    Effect.gen(function* () {
      const service = yield* start({ clock: "test" })
      const shop = merchantOf(service)
      const { merchantId } = service.merchant
      yield* service.api.operator("POST", `/merchants/${merchantId}`, { payout_fee: { USD: 5 } })
      const payout = (...steps: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const body = { mode: "sandbox", currency: "USD", amount: 100 }
          const requested = yield* service.api.operator("POST", `/merchants/${merchantId}/payouts`, body)
          for (const step of steps) {
            const path = `/payouts/${requested.body.data.payout_no}/${step}`
            assert.strictEqual((yield* service.api.operator("POST", path)).status, 200)
          }
        })
      const dispute = (outcome: string) =>
        Effect.gen(function* () {
          const { trade_no } = yield* shop.paid(1_000)
          const { body } = yield* shop.post(`/v1/test_helpers/orders/${trade_no}/dispute`, {})
          yield* shop.post(`/v1/test_helpers/disputes/${body.data.dispute_no}/resolve`, { outcome })
        })

      yield* shop.paid(100_000)
      const { trade_no } = yield* shop.paid(1_000, {}, "alipay")
      for (const outcome of ["succeeded", "failed"] as const) {
        const { body } = yield* shop.refund({ trade_no, amount: 10 })
        yield* shop.settle(body.data.refund_no, outcome)
      }
      yield* dispute("won")
      yield* dispute("lost")
      yield* payout("approve", "complete")
      yield* payout("reject")

      const seen = new Set<string>()
      for (const type of LedgerType.literals) {
        const { body } = yield* shop.get(`/v1/balance_transactions?type=${type}`)
        for (const row of body.data.data) {
          seen.add(row.type)
          assert.strictEqual(Math.sign(row.amount), signs[row.type as LedgerType], row.type)
        }
      }
      assert.sameMembers([...seen], [...LedgerType.literals])
      yield* assertLedgerWhole(service.sql)
    })
  )
})
