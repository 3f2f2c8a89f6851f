/** Refunds over HTTP: what is accepted, what is refused and in which order (spec: Endpoints, Refunds; silences: R). */
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { assertLedgerWhole } from "../../kit/ledger.ts"
import { assertRefused, merchantOf } from "../../kit/Merchant.ts"
import { type Running, start, withNewMerchant } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/refunds") {}

/** A merchant of a test's own. The fee of 1,000 by the default schedule is 59. */
const seeded = Effect.gen(function* () {
  const service = yield* withNewMerchant(yield* Service)
  const shop = merchantOf(service)
  yield* shop.paid(100_000)
  return { service, shop }
})

layer(Layer.effect(Service, start({ clock: "test" })), { excludeTestServices: true })("refunds", (it) => {
  describe("a refund that the channel completes at once", () => {
    it.effect("is answered 201, lowers available by one refund_debit, and causes refund.succeeded", () =>
      Effect.gen(function* () {
        const { service, shop } = yield* seeded
        const { trade_no } = yield* shop.paid(1_000)
        const before = yield* shop.balance()
        const reply = yield* shop.refund({ trade_no, amount: 400, out_refund_no: "r-1", reason: "torn" })
        assert.strictEqual(reply.status, 201)
        const refund = reply.body.data
        assert.deepInclude(refund, {
          object: "refund",
          out_refund_no: "r-1",
          trade_no,
          amount: 400,
          reason: "torn",
          status: "succeeded",
          funds_frozen: false,
          metadata: {},
          currency: "USD",
          failure_reason: null
        })
        assert.isString(refund.settled_at)
        assert.deepStrictEqual(yield* shop.ledger(refund.refund_no), [
          ["refund_debit", -400, before.available, before.available - 400]
        ])
        assert.deepStrictEqual(yield* shop.events(refund.refund_no), ["refund.succeeded"])
        const after = yield* shop.balance()
        assert.deepStrictEqual(
          [after.available, after.frozen, after.refund, after.fee],
          [before.available - 400, 0, 400, before.fee],
          "fees are not returned"
        )
        assert.deepInclude(yield* shop.order(trade_no), { status: "partially_refunded", refunded_amount: 400 })
        yield* assertLedgerWhole(service.sql)
      })
    )

    it.effect("may be partial several times, up to the order's amount, and then the order is refunded", () =>
      Effect.gen(function* () {
        const { service, shop } = yield* seeded
        const { trade_no } = yield* shop.paid(1_000)
        assert.strictEqual((yield* shop.refund({ trade_no, amount: 999 })).status, 201)
        assertRefused(yield* shop.refund({ trade_no, amount: 2 }), 400, "invalid_request", "amount")
        assert.strictEqual((yield* shop.refund({ trade_no, amount: 1 })).status, 201)
        assert.deepInclude(yield* shop.order(trade_no), { status: "refunded", refunded_amount: 1_000 })
        assertRefused(yield* shop.refund({ trade_no, amount: 1 }), 409, "conflict")
        assertRefused(yield* shop.refund({ trade_no }), 409, "conflict")
        yield* assertLedgerWhole(service.sql)
      })
    )

    it.effect("without an amount is all that remains", () =>
      Effect.gen(function* () {
        const { shop } = yield* seeded
        const { trade_no } = yield* shop.paid(1_000)
        yield* shop.refund({ trade_no, amount: 300 })
        assert.strictEqual((yield* shop.refund({ trade_no })).body.data.amount, 700)
      })
    )
  })

  describe("a refund that the channel settles later", () => {
    const asynchronous = Effect.gen(function* () {
      const { service, shop } = yield* seeded
      const { trade_no } = yield* shop.paid(1_000, {}, "alipay")
      const before = yield* shop.balance()
      const reply = yield* shop.refund({ trade_no, amount: 400, out_refund_no: "later" })
      return { service, shop, trade_no, before, reply, refundNo: reply.body.data.refund_no as string }
    })

    it.effect("is answered 202 and moves the amount from available to frozen", () =>
      Effect.gen(function* () {
        const { before, refundNo, reply, service, shop, trade_no } = yield* asynchronous
        assert.strictEqual(reply.status, 202)
        assert.deepInclude(reply.body.data, { status: "pending", funds_frozen: true, settled_at: null })
        assert.deepStrictEqual(yield* shop.ledger(refundNo), [
          ["refund_freeze", -400, before.available, before.available - 400]
        ])
        const after = yield* shop.balance()
        assert.deepStrictEqual([after.available, after.frozen, after.refund], [before.available - 400, 400, 0])
        assert.deepInclude(yield* shop.order(trade_no), { status: "paid", refunded_amount: 0 })
        assert.deepStrictEqual(yield* shop.events(refundNo), [])
        yield* assertLedgerWhole(service.sql)
      })
    )

    it.effect("that the channel confirms deducts the frozen amount and causes refund.succeeded", () =>
      Effect.gen(function* () {
        const { before, refundNo, service, shop, trade_no } = yield* asynchronous
        const { body } = yield* shop.settle(refundNo, "succeeded")
        assert.deepInclude(body.data, { status: "succeeded", funds_frozen: false })
        assert.isString(body.data.settled_at)
        const left = before.available - 400
        assert.deepStrictEqual(yield* shop.ledger(refundNo), [
          ["refund_freeze", -400, before.available, left],
          ["refund_debit", -400, left, left]
        ])
        assert.deepStrictEqual(yield* shop.events(refundNo), ["refund.succeeded"])
        assert.deepInclude(yield* shop.order(trade_no), { status: "partially_refunded", refunded_amount: 400 })
        yield* assertLedgerWhole(service.sql)
      })
    )

    it.effect("that the channel rejects returns the frozen amount and causes refund.failed", () =>
      Effect.gen(function* () {
        const { before, refundNo, service, shop, trade_no } = yield* asynchronous
        const { body } = yield* shop.settle("later", "failed")
        assert.deepInclude(body.data, { status: "failed", funds_frozen: false, settled_at: null })
        assert.isString(body.data.failure_reason)
        const left = before.available - 400
        assert.deepStrictEqual(yield* shop.ledger(refundNo), [
          ["refund_freeze", -400, before.available, left],
          ["refund_unfreeze", 400, left, before.available]
        ])
        assert.deepStrictEqual(yield* shop.events(refundNo), ["refund.failed"])
        assert.deepInclude(yield* shop.order(trade_no), { status: "paid", refunded_amount: 0 })
        assert.strictEqual((yield* shop.refund({ trade_no, amount: 1_000 })).status, 202, "all may be asked for again")
        yield* assertLedgerWhole(service.sql)
      })
    )

    it.effect("settles by itself: the channel is asked every ten seconds, and had confirmed after a minute", () =>
      Effect.gen(function* () {
        const { refundNo, service, shop } = yield* asynchronous
        yield* service.pass("59 seconds")
        assert.strictEqual((yield* shop.get(`/v1/refunds/${refundNo}`)).body.data.status, "pending")
        yield* service.pass("1 second")
        assert.strictEqual((yield* shop.get(`/v1/refunds/${refundNo}`)).body.data.status, "succeeded")
      })
    )

    it.effect("counts against what remains while it is pending", () =>
      Effect.gen(function* () {
        const { shop, trade_no } = yield* asynchronous
        assertRefused(yield* shop.refund({ trade_no, amount: 601 }), 400, "invalid_request", "amount")
        assert.strictEqual((yield* shop.refund({ trade_no })).body.data.amount, 600)
        assertRefused(yield* shop.refund({ trade_no }), 409, "conflict")
      })
    )

    it.effect(
      "that had succeeded and comes back raises available, lowers refunded_amount, and causes refund.failed",
      () =>
        Effect.gen(function* () {
          const { before, refundNo, service, shop, trade_no } = yield* asynchronous
          yield* shop.settle(refundNo, "succeeded")
          const { body } = yield* shop.settle(refundNo, "failed")
          assert.deepInclude(body.data, { status: "failed", funds_frozen: false, settled_at: null })
          assert.deepStrictEqual(yield* shop.events(refundNo), ["refund.succeeded", "refund.failed"])
          assert.deepStrictEqual(yield* shop.balance(), before)
          assert.deepInclude(yield* shop.order(trade_no), { status: "paid", refunded_amount: 0 })
          assertRefused(yield* shop.settle(refundNo, "succeeded"), 409, "conflict")
          yield* assertLedgerWhole(service.sql)
        })
    )
  })

  describe("a refund is refused", () => {
    it.effect("404 order_not_found for an order that is not the caller's, or none", () =>
      Effect.gen(function* () {
        const { service, shop } = yield* seeded
        const { trade_no } = yield* shop.paid(1_000)
        const other = merchantOf(service, (yield* service.api.newMerchant()).sandboxKey)
        assertRefused(yield* other.refund({ trade_no }), 404, "order_not_found")
        assertRefused(yield* shop.refund({ trade_no: "TRD_SB_none" }), 404, "order_not_found")
      })
    )

    it.effect("409 conflict while the order is not paid", () =>
      Effect.gen(function* () {
        const { shop } = yield* seeded
        const { body } = yield* shop.post("/v1/orders", { amount: 5 })
        assertRefused(yield* shop.refund({ trade_no: body.data.trade_no }), 409, "conflict")
      })
    )

    it.effect("400 insufficient_balance, param amount, when available does not cover it, and nothing has changed", () =>
      Effect.gen(function* () {
        const service = yield* withNewMerchant(yield* Service)
        const shop = merchantOf(service)
        const { trade_no } = yield* shop.paid(1_000)
        const before = yield* shop.balance()
        assertRefused(yield* shop.refund({ trade_no, amount: 942 }), 400, "insufficient_balance", "amount")
        assertRefused(yield* shop.refund({ trade_no }), 400, "insufficient_balance", "amount")
        assert.deepStrictEqual(yield* shop.balance(), before)
        assert.deepStrictEqual((yield* shop.get("/v1/refunds")).body.data.data, [])
        assert.strictEqual((yield* shop.refund({ trade_no, amount: 941 })).status, 201)
        yield* assertLedgerWhole(service.sql)
      })
    )

    it.effect("502 processor_error while the channel is unreachable, and nothing has changed", () =>
      Effect.gen(function* () {
        const { service, shop } = yield* seeded
        const { trade_no } = yield* shop.paid(1_000)
        const before = yield* shop.balance()
        yield* shop.reachable(false)
        assertRefused(yield* shop.refund({ trade_no, out_refund_no: "again" }), 502, "processor_error")
        assert.deepStrictEqual(yield* shop.balance(), before)
        assert.deepStrictEqual((yield* shop.get("/v1/refunds")).body.data.data, [])
        assertRefused(yield* shop.get("/v1/refunds/again"), 404, "refund_not_found")
        yield* shop.reachable(true)
        yield* service.pass("1 hour")
        assert.deepStrictEqual(yield* shop.balance(), before, "nor does anything happen later")
        assert.strictEqual((yield* shop.refund({ trade_no, out_refund_no: "again" })).status, 201)
        yield* assertLedgerWhole(service.sql)
      })
    )

    for (const [method, days] of [
      ["alipay", 90],
      ["wechat_pay", 180]
    ] as const) {
      it.effect(`400 refund_window_expired ${days} days after a payment by ${method}, to the millisecond`, () =>
        Effect.gen(function* () {
          const { service, shop } = yield* seeded
          const { refundable_until, trade_no } = yield* shop.paid(1_000, {}, method)
          assert.isString(refundable_until)
          yield* service.leap(`${days} days`)
          const first = yield* shop.refund({ trade_no, amount: 1, out_refund_no: "in-time" })
          assert.strictEqual(first.status, 202, "at the last millisecond")
          yield* service.leap("1 millis")
          const before = yield* shop.balance()
          assertRefused(yield* shop.refund({ trade_no, amount: 1 }), 400, "refund_window_expired")
          assert.deepStrictEqual(yield* shop.balance(), before)
          const asked = yield* service.sql`select 1 from sandbox_refunds join sandbox_payments using (payment_id)
          where trade_no = ${trade_no}`
          assert.strictEqual(asked.length, 1, "nothing was sent to the channel")
          const again = yield* shop.refund({ trade_no, amount: 1, out_refund_no: "in-time" })
          assert.deepStrictEqual([again.status, again.body.data.refund_no], [200, first.body.data.refund_no])
        })
      )
    }

    it.effect("400 with the field's name when a field is not valid", () =>
      Effect.gen(function* () {
        const { service, shop } = yield* seeded
        const { trade_no } = yield* shop.paid(1_000)
        for (const [body, param] of [
          [{}, "trade_no"],
          [{ trade_no, amount: 0 }, "amount"],
          [{ trade_no, amount: -1 }, "amount"],
          [{ trade_no, amount: "5" }, "amount"],
          [{ trade_no, amount: 1.5 }, "amount"],
          [{ trade_no, reason: "x".repeat(501) }, "reason"],
          [{ trade_no, out_refund_no: "" }, "out_refund_no"],
          [{ trade_no, out_refund_no: "x".repeat(129) }, "out_refund_no"],
          [{ trade_no, metadata: { a: 1 } }, "metadata.a"],
          [{ trade_no, metadata: { svc_payment_link: "1" } }, "metadata.svc_payment_link"]
        ] as const) {
          assertRefused(yield* shop.refund(body), 400, "invalid_request", param)
        }
        yield* service.api.operator("POST", `/merchants/${service.merchant.merchantId}`, { approved: true })
        const live = merchantOf(service, service.merchant.liveKey)
        assertRefused(yield* live.refund({ trade_no }), 400, "invalid_request", "out_refund_no")
      })
    )
  })
})
