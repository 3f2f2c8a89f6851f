/** Filters that name an order, refund, dispute or payout by its number take the merchant's own as well (silences: P17). */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { merchantOf } from "../../kit/Merchant.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/http/lists/ownNumbers") {}

const busyShop = Effect.gen(function* () {
  const service = yield* Service
  const merchant = yield* service.api.newMerchant()
  const shop = merchantOf({ ...service, merchant })
  const listed = (path: string) =>
    Effect.map(shop.get(`/v1/${path}`), ({ body, status, text }) => {
      assert.strictEqual(status, 200, text)
      return body.data.data as ReadonlyArray<Record<string, unknown>>
    })
  /** The same by both numbers, and not nothing. */
  const isSame = Effect.fnUntraced(function* (filter: string, ours: string, own: string) {
    const byOurs = yield* listed(`${filter}=${ours}`)
    assert.isNotEmpty(byOurs, filter)
    assert.deepStrictEqual(yield* listed(`${filter}=${encodeURIComponent(own)}`), byOurs, `${filter}=${own}`)
    return byOurs
  })
  const sale = yield* shop.paid(100_000, { out_trade_no: "sale/1 &" })
  const refund = (yield* shop.refund({ trade_no: sale["trade_no"], amount: 10, out_refund_no: "back-1" })).body.data
  const dispute = (yield* shop.dispute(sale["trade_no"], { amount: 20 })).body.data
  return { dispute, isSame, listed, merchant, refund, sale, service, shop }
})

layer(Layer.effect(Service, start()), { excludeTestServices: true })("a filter by number", (it) => {
  it.effect("takes the merchant's own number of an order, of a refund, and the channel's of a dispute", () =>
    Effect.gen(function* () {
      const { dispute, isSame, refund, sale } = yield* busyShop
      const numbers = [
        [sale["trade_no"], "sale/1 &"],
        [refund.refund_no, "back-1"],
        [dispute.dispute_no, dispute.processor_dispute_id]
      ] as const
      for (const [ours, own] of numbers) {
        yield* isSame("events?object_id", ours, own)
        yield* isSame("balance_transactions?reference_id", ours, own)
      }
      for (const list of ["refunds", "disputes"]) {
        const found = yield* isSame(`${list}?trade_no`, sale["trade_no"], "sale/1 &")
        assert.lengthOf(found, 1)
      }
      yield* isSame("events?type=refund.succeeded&object_id", refund.refund_no, "back-1")
      yield* isSame("refunds?status=succeeded&trade_no", sale["trade_no"], "sale/1 &")
    })
  )

  it.effect("takes the operator's own number of a payout", () =>
    Effect.gen(function* () {
      const { isSame, merchant, service } = yield* busyShop
      const body = { mode: "sandbox", currency: "USD", amount: 100, reference: "week-1" }
      const { payout_no } = (yield* service.api.operator("POST", `/merchants/${merchant.merchantId}/payouts`, body))
        .body.data
      yield* isSame("balance_transactions?reference_id", payout_no, "week-1")
    })
  )

  it.effect("exports the same by both numbers", () =>
    Effect.gen(function* () {
      const { sale, shop } = yield* busyShop
      for (const filter of ["refunds?trade_no", "disputes?trade_no", "balance_transactions?reference_id"]) {
        const file = (number: string) =>
          Effect.map(shop.get(`/v1/${filter}=${encodeURIComponent(number)}&format=csv`), ({ text }) => text)
        const byOurs = yield* file(sale["trade_no"])
        assert.isAbove(byOurs.split("\r\n").length, 2, filter)
        assert.strictEqual(yield* file("sale/1 &"), byOurs)
      }
    })
  )

  it.effect("means our number first, and all that share a number of the merchant's own", () =>
    Effect.gen(function* () {
      const { listed, sale, shop } = yield* busyShop
      // An order that has another's number as its own, and a refund that has an order's.
      const other = yield* shop.paid(500, { out_trade_no: sale["trade_no"] })
      yield* shop.refund({ trade_no: other["trade_no"], amount: 7, out_refund_no: "sale/1 &" })
      const amounts = (path: string) =>
        Effect.map(listed(path), (rows) => rows.map(({ amount }) => Math.abs(Number(amount))))
      assert.deepStrictEqual(yield* amounts(`refunds?trade_no=${sale["trade_no"]}`), [10])
      assert.deepStrictEqual(
        yield* amounts(`balance_transactions?type=payment_credit&reference_id=${sale["trade_no"]}`),
        [100_000]
      )
      const shared = "balance_transactions?reference_id=sale%2F1%20%26"
      assert.includeMembers(yield* amounts(shared), [7, 100_000])
      const [first, ...rest] = yield* listed(`${shared}&limit=1`)
      assert.deepStrictEqual([first!["amount"], rest], [-7, []])
      assert.lengthOf(yield* listed("events?object_id=sale%2F1%20%26&type=refund.succeeded&type=payment.succeeded"), 2)
    })
  )

  it.effect("finds nothing by another merchant's own number, by one of another environment, or by an unknown one", () =>
    Effect.gen(function* () {
      const { merchant, service } = yield* busyShop
      const stranger = yield* service.api.newMerchant()
      yield* service.api.operator("POST", `/merchants/${merchant.merchantId}`, { approved: true })
      for (const key of [stranger.sandboxKey, merchant.liveKey]) {
        for (const filter of [
          "refunds?trade_no",
          "disputes?trade_no",
          "balance_transactions?reference_id",
          "events?object_id"
        ]) {
          for (const number of ["sale%2F1%20%26", "back-1", "nothing", "%00", ""]) {
            const { body } = yield* service.api.get(`/v1/${filter}=${number}`, key)
            assert.deepStrictEqual([body.code, body.data.data], [200, []], `${filter}=${number}`)
          }
        }
      }
    })
  )
})
