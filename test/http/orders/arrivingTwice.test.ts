/** Messages to owners may arrive twice: a runner died after it had committed and before it answered (ground/ask.ts). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { doubling } from "../../kit/faults/Faults.ts"
import { assertLedgerWhole } from "../../kit/ledger.ts"
import { merchantOf } from "../../kit/Merchant.ts"
import { start } from "../../kit/Service.ts"

const lostAnswers = Effect.gen(function* () {
  const service = yield* start({ clock: "test", faults: doubling("Orders.perform") })
  const shop = merchantOf(service)
  yield* shop.paid(100_000)
  const { trade_no } = yield* shop.paid(1_000)
  const movements = Effect.map(service.sql`select 1 from sandbox_refunds`, ({ length }) => length)
  return { service, shop, trade_no: trade_no as string, movements }
})

describe("a message to the order that arrives twice, since its answer was lost", () => {
  it.live("makes one refund, also without a number and without a key", () =>
    Effect.gen(function* () {
      const { movements, service, shop, trade_no } = yield* lostAnswers
      const reply = yield* shop.refund({ trade_no, amount: 400 })
      assert.deepStrictEqual([reply.status, reply.body.data.status], [201, "succeeded"])
      yield* service.pass("2 minutes")
      assert.strictEqual((yield* shop.get("/v1/refunds")).body.data.data.length, 1)
      assert.strictEqual(yield* movements, 1)
      assert.deepInclude(yield* shop.order(trade_no), { refunded_amount: 400 })
      yield* assertLedgerWhole(service.sql)
    })
  )

  it.live("is not refused because of itself, when it takes all that is left", () =>
    Effect.gen(function* () {
      const { movements, service, shop, trade_no } = yield* lostAnswers
      assert.strictEqual((yield* shop.refund({ trade_no })).status, 201)
      const { body } = yield* shop.post(`/v1/test_helpers/orders/${trade_no}/dispute`, { amount: 1 })
      assert.strictEqual(body.data.status, "needs_response")
      assert.strictEqual(yield* movements, 1)
      yield* assertLedgerWhole(service.sql)
    })
  )

  it.live("opens, loses and regains a dispute once", () =>
    Effect.gen(function* () {
      const { service, shop, trade_no } = yield* lostAnswers
      const { body } = yield* shop.post(`/v1/test_helpers/orders/${trade_no}/dispute`, {})
      const disputeNo = body.data.dispute_no
      for (const outcome of ["lost", "won"]) {
        const reply = yield* shop.post(`/v1/test_helpers/disputes/${disputeNo}/resolve`, { outcome })
        assert.deepStrictEqual([reply.status, reply.body.data.status], [200, outcome])
      }
      assert.deepStrictEqual(
        (yield* shop.ledger(disputeNo)).map(([type]) => type),
        ["dispute_freeze", "dispute_debit", "dispute_fee", "dispute_unfreeze"]
      )
      assert.deepStrictEqual(yield* shop.events(disputeNo), ["dispute.created", "dispute.lost", "dispute.won"])
      yield* assertLedgerWhole(service.sql)
    })
  )
})
