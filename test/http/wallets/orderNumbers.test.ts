/**
 * Both numbers of an order in what is reconciled: rows of the ledger, refunds, disputes, their files and their events
 * (spec: Balance transaction; Refund; Dispute; silences: P27).
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/orderNumbers") {}

const ownNumber = "cart-4711"

layer(Layer.effect(Service, start()), { excludeTestServices: true })("numbers of the order", (it) => {
  /** An order that was paid, refunded in part and disputed, and a payout under way. */
  const story = Effect.gen(function* () {
    const { api } = yield* Service
    const { merchantId, sandboxKey: key } = yield* api.newMerchant()
    const sent = { amount: 10_000, out_trade_no: ownNumber }
    const { trade_no } = (yield* api.post("/v1/orders", key, sent)).body.data
    yield* api.post(`/v1/test_helpers/orders/${trade_no}/pay`, key, {})
    const refund = (yield* api.post("/v1/refunds", key, { trade_no, amount: 1_000 })).body.data
    const dispute = (yield* api.post(`/v1/test_helpers/orders/${trade_no}/dispute`, key, {})).body.data
    const payout = { mode: "sandbox", currency: "USD", amount: 10 }
    yield* api
      .post("/v1/orders", key, { amount: 5_000 })
      .pipe(Effect.flatMap(({ body }) => api.post(`/v1/test_helpers/orders/${body.data.trade_no}/pay`, key, {})))
    assert.strictEqual((yield* api.operator("POST", `/merchants/${merchantId}/payouts`, payout)).status, 201)
    const both = { trade_no: trade_no as string, out_trade_no: ownNumber }
    return { api, both, dispute, key, merchantId, refund }
  })
  const rowsOf = (file: string) =>
    file
      .trimEnd()
      .split("\r\n")
      .map((line) => line.split(","))

  it.effect(
    "each row of the ledger has both, whether it is of the order, a refund or a dispute; a payout has none",
    () =>
      Effect.gen(function* () {
        const { api, both, dispute, key, merchantId, refund } = yield* story
        const { data } = (yield* api.get("/v1/balance_transactions?limit=100", key)).body.data
        const behind = (type: string) => {
          const { out_trade_no, reference_id, trade_no } = data.find((row: { type: string }) => row.type === type)
          return { reference_id, trade_no, out_trade_no }
        }
        assert.deepInclude(behind("refund_debit"), { reference_id: refund.refund_no, ...both })
        assert.deepInclude(behind("dispute_freeze"), { reference_id: dispute.dispute_no, ...both })
        assert.deepInclude(behind("payout_freeze"), { trade_no: null, out_trade_no: null })
        const ofOrder = data.filter(({ reference_id }: { reference_id: string }) => reference_id === both.trade_no)
        assert.isAtLeast(ofOrder.length, 2)
        for (const row of ofOrder) assert.deepInclude(row, both)

        const [header = [], ...lines] = rowsOf((yield* api.get("/v1/balance_transactions?format=csv", key)).text)
        assert.deepStrictEqual(header.slice(-2), ["trade_no", "out_trade_no"])
        const numbers = data.map((row: typeof both) => [row.trade_no ?? "", row.out_trade_no ?? ""])
        assert.deepStrictEqual(
          lines.map((cells) => cells.slice(-2)),
          numbers
        )
        const { body } = yield* api.operator("GET", `/merchants/${merchantId}/balance_transactions?mode=sandbox`)
        assert.deepInclude(
          body.data.data.find(({ type }: { type: string }) => type === "refund_debit"),
          both
        )
      })
  )

  it.effect("a refund and a dispute have the merchant's own, in answers, lists, files and events", () =>
    Effect.gen(function* () {
      const { api, both, dispute, key, refund } = yield* story
      for (const [object, path] of [
        [refund, `/v1/refunds/${refund.refund_no}`],
        [dispute, `/v1/disputes/${dispute.dispute_no}`]
      ] as const) {
        assert.deepInclude(object, both)
        assert.deepInclude((yield* api.get(path, key)).body.data, both)
        const list = path.slice(0, path.lastIndexOf("/"))
        assert.deepInclude((yield* api.get(list, key)).body.data.data[0], both)
        const [header = [], [cells = []] = []] = [
          rowsOf((yield* api.get(`${list}?format=csv`, key)).text)[0],
          rowsOf((yield* api.get(`${list}?format=csv`, key)).text).slice(1)
        ]
        assert.strictEqual(header.at(-1), "out_trade_no")
        assert.strictEqual(cells.at(-1), ownNumber)
      }
      const { data } = (yield* api.get("/v1/events?limit=100", key)).body.data
      const told = data.filter(({ type }: { type: string }) => /^(refund|dispute)\./.test(type))
      assert.isAtLeast(told.length, 2)
      for (const event of told) {
        assert.deepInclude(event.data.object, both)
        assert.deepInclude(event.data, both)
      }
    })
  )
})
