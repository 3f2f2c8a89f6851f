/**
 * Disputes from their opening to the bank's decision: states, the exact rows of the ledger, balances and events (spec:
 * Dispute; States and transitions, Dispute; Balance transaction; silences: D1, D8 to D13).
 */
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { disputed, feeOf, isRefused, shop } from "../kit/disputed.ts"
import { type Running, start } from "../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/disputes") {}

const frozen = { type: "dispute_freeze", amount: -1000 }

layer(Layer.effect(Service, start()), { excludeTestServices: true })("disputes", (it) => {
  describe("a dispute is opened", () => {
    it.effect("as needs_response, with the fields of the specification and no others", () =>
      Effect.gen(function* () {
        const dispute = yield* disputed(yield* Service, {
          amount: 400,
          reason: "product_not_received",
          evidence_due_by: "2100-01-02T03:04:05.006Z"
        })
        const { opened } = dispute
        assert.deepStrictEqual(opened, {
          object: "dispute",
          dispute_no: opened.dispute_no,
          trade_no: dispute.tradeNo,
          merchant_id: dispute.merchantId,
          processor_dispute_id: opened.processor_dispute_id,
          amount: 400,
          fee: null,
          currency: "USD",
          status: "needs_response",
          processor_status: "needs_response",
          reason: "product_not_received",
          mode: "sandbox",
          funds_frozen: true,
          evidence_due_by: "2100-01-02T03:04:05.006Z",
          opened_at: opened.opened_at,
          closed_at: null,
          created_at: opened.created_at,
          updated_at: opened.created_at
        })
        assert.match(opened.dispute_no, /^dsp_[0-9A-Z]{26}$/)
        assert.deepStrictEqual(yield* dispute.read, opened)
        yield* dispute.whole
      })
    )
    it.effect("moves the amount from available to frozen, and says so in one dispute.created", () =>
      Effect.gen(function* () {
        const dispute = yield* disputed(yield* Service)
        const net = 1000 - feeOf(1000)
        assert.deepStrictEqual(yield* dispute.rows, [[frozen.type, frozen.amount, net, net - 1000]])
        const { available_balance, frozen_balance, total_fee } = yield* dispute.balance
        assert.deepStrictEqual([available_balance, frozen_balance, total_fee], [net - 1000, 1000, feeOf(1000)])
        assert.deepStrictEqual(yield* dispute.events, ["dispute.created"])
        yield* dispute.whole
      })
    )
  })
})
void isRefused
void shop
