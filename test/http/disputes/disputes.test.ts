/**
 * A dispute is opened: its fields, what it freezes, of which payments there can be one, and what becomes of refunds
 * beside it (spec: Dispute; Balance transaction; silences: D1, D9 to D12).
 */
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { disputed, sold } from "../../kit/stories/disputed.ts"
import { assertRefused, type Books, feeOf } from "../../kit/Merchant.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/disputes") {}

/** The net of 10.00. */
const net = 1000 - feeOf(1000)

const balances = ({ available, fee, frozen }: Books) => [available, frozen, fee]

layer(Layer.effect(Service, start()), { excludeTestServices: true })("disputes", (it) => {
  describe("a dispute is opened", () => {
    it.effect(
      "as needs_response, with the fields of the specification in its order, and the merchant's number of the order after them",
      () =>
        Effect.gen(function* () {
          const dispute = yield* disputed(yield* Service, {
            amount: 400,
            reason: "product_not_received",
            evidence_due_by: "2100-01-02T03:04:05.006Z"
          })
          const { opened } = dispute
          const expected = {
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
            updated_at: opened.created_at,
            out_trade_no: opened.out_trade_no
          }
          assert.strictEqual(JSON.stringify(opened), JSON.stringify(expected))
          assert.match(opened.dispute_no, /^dsp_[0-9A-HJKMNP-TV-Z]{26}$/)
          assert.deepStrictEqual(yield* dispute.read, opened)
          yield* dispute.whole
        })
    )

    it.effect("over the whole payment unless told otherwise, with a deadline, or with none", () =>
      Effect.gen(function* () {
        const { opened } = yield* disputed(yield* Service)
        assert.deepStrictEqual([opened.amount, opened.reason], [1000, "fraudulent"])
        assert.isAbove(Date.parse(opened.evidence_due_by), Date.parse(opened.opened_at))
        const endless = yield* disputed(yield* Service, { evidence_due_by: null })
        assert.isNull(endless.opened.evidence_due_by)
        assert.strictEqual((yield* endless.respond({ evidence: { customer_name: "A" }, submit: true })).status, 200)
      })
    )

    it.effect("and its amount moves from available to frozen: one dispute_freeze, one dispute.created", () =>
      Effect.gen(function* () {
        const dispute = yield* disputed(yield* Service, { amount: 400 })
        assert.deepStrictEqual(yield* dispute.rows, [["dispute_freeze", -400, net, net - 400]])
        assert.deepStrictEqual(balances(yield* dispute.balance), [net - 400, 400, feeOf(1000)])
        assert.deepStrictEqual(yield* dispute.events, ["dispute.created"])
        yield* dispute.whole
      })
    )

    it.effect("although the balance does not cover it: available goes below zero", () =>
      Effect.gen(function* () {
        const dispute = yield* disputed(yield* Service)
        assert.deepStrictEqual(yield* dispute.rows, [["dispute_freeze", -1000, net, net - 1000]])
        assert.isBelow(net - 1000, 0)
        assert.deepStrictEqual(balances(yield* dispute.balance), [net - 1000, 1000, feeOf(1000)])
        yield* dispute.whole
      })
    )

    it.effect("more than once for one order; each is frozen for itself", () =>
      Effect.gen(function* () {
        const first = yield* disputed(yield* Service, { amount: 300 })
        const second = yield* first.open({ amount: 200 })
        assert.strictEqual(second.status, 201)
        assert.notStrictEqual(second.body.data.processor_dispute_id, first.opened.processor_dispute_id)
        assert.deepStrictEqual(balances(yield* first.balance), [net - 500, 500, feeOf(1000)])
        yield* first.resolve("won")
        assert.deepStrictEqual(balances(yield* first.balance), [net - 200, 200, feeOf(1000)])
        assertRefused(yield* first.refund({ amount: 1 }), 409, "conflict")
        yield* first.whole
      })
    )

    it.effect("for no more than the payment by all of them together; what was won may be disputed again", () =>
      Effect.gen(function* () {
        const first = yield* disputed(yield* Service, { amount: 600 })
        const both = yield* Effect.all([first.open({ amount: 400 }), first.open({ amount: 400 })], { concurrency: 2 })
        assert.deepStrictEqual(both.map(({ status }) => status).toSorted(), [201, 400])
        assertRefused(yield* first.open({ amount: 1 }), 400, "invalid_request", "amount")
        assert.deepStrictEqual(balances(yield* first.balance), [net - 1_000, 1_000, feeOf(1000)])
        yield* first.resolve("won")
        assertRefused(yield* first.open({ amount: 601 }), 400, "invalid_request", "amount")
        assert.strictEqual((yield* first.open({ amount: 600 })).status, 201)
        yield* first.whole
      })
    )

    for (const method of ["apple_pay", "google_pay"]) {
      it.effect(`of a payment by ${method}, which is a card`, () =>
        Effect.gen(function* () {
          assert.strictEqual((yield* disputed(yield* Service, {}, { method })).opened.status, "needs_response")
        })
      )
    }

    for (const method of ["alipay", "wechat_pay"]) {
      it.effect(`not of a payment by ${method}: 409 conflict`, () =>
        Effect.gen(function* () {
          const { balance, open, rows } = yield* sold(yield* Service, { method })
          assertRefused(yield* open(), 409, "conflict")
          assert.deepStrictEqual(yield* rows, [])
          assert.deepStrictEqual(balances(yield* balance), [net, 0, feeOf(1000)])
        })
      )
    }

    it.effect("not of an order that is not paid, not of none, and not for more than was paid", () =>
      Effect.gen(function* () {
        const { api, key, open, rows } = yield* sold(yield* Service)
        assertRefused(yield* open({ amount: 1001 }), 400, "invalid_request", "amount")
        for (const amount of [0, -1, 1.5, "100"]) {
          assertRefused(yield* open({ amount }), 400, "invalid_request", "amount")
        }
        assertRefused(yield* open({ evidence_due_by: "tomorrow" }), 400, "invalid_request", "evidence_due_by")
        yield* api.post("/v1/orders", key, { amount: 1000, out_trade_no: "unpaid" })
        assertRefused(yield* api.post("/v1/test_helpers/orders/unpaid/dispute", key, {}), 409, "conflict")
        assertRefused(yield* api.post("/v1/test_helpers/orders/none/dispute", key, {}), 404, "order_not_found")
        assert.deepStrictEqual(yield* rows, [])
      })
    )

    it.effect("in sandbox only: a live key finds no such route", () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const { liveKey, merchantId } = yield* api.newMerchant()
        yield* api.operator("POST", `/merchants/${merchantId}`, { approved: true })
        for (const path of ["orders/1/dispute", "disputes/1/resolve"]) {
          assertRefused(yield* api.post(`/v1/test_helpers/${path}`, liveKey, {}), 404, "route_not_found")
        }
      })
    )
  })

  describe("refunds during a dispute", () => {
    it.effect("are refused while it is open, 409 conflict, and taken when it was won or withdrawn", () =>
      Effect.gen(function* () {
        for (const outcome of ["won", "closed"]) {
          const dispute = yield* disputed(yield* Service, { amount: 100 })
          assertRefused(yield* dispute.refund({ amount: 100 }), 409, "conflict")
          yield* dispute.respond({ evidence: { customer_name: "A" }, submit: true })
          assertRefused(yield* dispute.refund({ amount: 100 }), 409, "conflict")
          yield* dispute.resolve(outcome)
          assert.strictEqual((yield* dispute.refund({ amount: 100 })).status, 201)
          yield* dispute.whole
        }
      })
    )

    it.effect("refund after chargeback pays twice: what the bank took is not refunded again", () =>
      Effect.gen(function* () {
        const running = yield* Service
        const { api } = running
        const whole = yield* disputed(running)
        yield* api.post("/v1/orders", whole.key, { amount: 100_000, out_trade_no: "cover" })
        yield* api.post("/v1/test_helpers/orders/cover/pay", whole.key, {})
        yield* whole.resolve("lost")
        assertRefused(yield* whole.refund({}), 409, "conflict")
        assertRefused(yield* whole.refund({ amount: 1 }), 409, "conflict")

        const partly = yield* disputed(running, { amount: 400 })
        yield* api.post("/v1/orders", partly.key, { amount: 100_000, out_trade_no: "cover" })
        yield* api.post("/v1/test_helpers/orders/cover/pay", partly.key, {})
        yield* partly.resolve("lost")
        assertRefused(yield* partly.refund({ amount: 601 }), 400, "invalid_request", "amount")
        const rest = yield* partly.refund({})
        assert.deepStrictEqual([rest.status, rest.body.data.amount], [201, 600])
        assertRefused(yield* partly.refund({ amount: 1 }), 409, "conflict")

        // An appeal gives it back, and then it may be refunded.
        yield* whole.resolve("won")
        assert.strictEqual((yield* whole.refund({ amount: 1000 })).status, 201)
        yield* whole.whole
      })
    )
  })
})
