/** Acts that need two operators (TWO_OPERATORS): payouts above an amount, live keys, fees. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { callAs, newOperator } from "../../kit/operators.ts"
import { start } from "../../kit/Service.ts"

const env = { TWO_OPERATORS: "payouts:1000,live_keys,fees" }

it.live("a live key is reset when a second operator sends the same request, and not by one alone", () =>
  Effect.gen(function* () {
    const { api, merchant } = yield* start({ env })
    const [ada, bo] = [yield* newOperator(api, "Ada", "admin"), yield* newOperator(api, "Bo", "admin")]
    const path = `/merchants/${merchant.merchantId}/keys`
    for (const _ of [1, 2]) {
      const first = yield* callAs(api, ada.token, "POST", `${path}/live/reset`)
      assert.deepStrictEqual([first.status, first.body.data.object], [202, "approval"])
    }
    const done = yield* callAs(api, bo.token, "POST", `${path}/live/reset`)
    assert.deepStrictEqual([done.status, typeof done.body.data.key], [200, "string"])
    assert.strictEqual((yield* callAs(api, bo.token, "POST", `${path}/live/reset`)).status, 202, "it is used up")
    assert.strictEqual((yield* callAs(api, ada.token, "POST", `${path}/sandbox/reset`)).status, 200)
  })
)

it.effect("what the first operator asked for is forgotten after a day", () =>
  Effect.gen(function* () {
    const { api, leap, merchant } = yield* start({ env, clock: "test" })
    const [ada, bo] = [yield* newOperator(api, "Ada", "admin"), yield* newOperator(api, "Bo", "admin")]
    const path = `/merchants/${merchant.merchantId}/keys/live/reset`
    yield* callAs(api, ada.token, "POST", path)
    yield* leap("24 hours")
    assert.strictEqual((yield* callAs(api, bo.token, "POST", path)).status, 202)
    assert.strictEqual((yield* callAs(api, ada.token, "POST", path)).status, 200)
  })
)

it.live("fees change when both ask for the same fees, and other settings need one operator", () =>
  Effect.gen(function* () {
    const { api, merchant } = yield* start({ env })
    const [ada, bo] = [yield* newOperator(api, "Ada", "admin"), yield* newOperator(api, "Bo", "admin")]
    const path = `/merchants/${merchant.merchantId}`
    assert.strictEqual((yield* callAs(api, ada.token, "POST", path, { approved: true })).status, 200)
    assert.strictEqual((yield* callAs(api, ada.token, "POST", path, { payout_fee: { USD: 25 } })).status, 202)
    assert.strictEqual((yield* callAs(api, bo.token, "POST", path, { payout_fee: { USD: 26 } })).status, 202)
    const done = yield* callAs(api, bo.token, "POST", path, { payout_fee: { USD: 25 } })
    assert.deepStrictEqual([done.status, done.body.data.payout_fee.USD], [200, 25])
  })
)

it.live("a payout above the amount is approved by two operators, a smaller one by one", () =>
  Effect.gen(function* () {
    const { api, merchant } = yield* start({ env })
    const [ada, bo] = [yield* newOperator(api, "Ada", "finance"), yield* newOperator(api, "Bo", "finance")]
    const order = yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 100_000, currency: "USD" })
    yield* api.post(`/v1/test_helpers/orders/${order.body.data.trade_no}/pay`, merchant.sandboxKey, {})
    const payout = Effect.fnUntraced(function* (amount: number) {
      const terms = { mode: "sandbox", currency: "USD", amount }
      const { body } = yield* callAs(api, ada.token, "POST", `/merchants/${merchant.merchantId}/payouts`, terms)
      return `/payouts/${body.data.payout_no}/approve`
    })
    const [small, large] = [yield* payout(1_000), yield* payout(1_001)]
    assert.strictEqual((yield* callAs(api, ada.token, "POST", small)).body.data.status, "approved")
    assert.strictEqual((yield* callAs(api, ada.token, "POST", large)).body.data.object, "approval")
    assert.strictEqual((yield* callAs(api, bo.token, "POST", large)).body.data.status, "approved")
  })
)
