/** Acts that need two operators (TWO_OPERATORS): payouts above an amount, live keys, fees. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Api } from "../../kit/Api.ts"
import { callAs, newOperator, newOperatorOfTwo } from "../../kit/callers/operators.ts"
import { start } from "../../kit/Service.ts"

/** The first is made by one, the second by two. */
const twoAdmins = Effect.fnUntraced(function* (api: Api) {
  const ada = yield* newOperator(api, "Ada", "admin")
  return [ada, yield* newOperatorOfTwo(api, ada.token, "Bo", "admin")] as const
})

const env = { TWO_OPERATORS: "payouts:1000,live_keys,fees" }

it.live("a live key is reset when a second operator sends the same request, and not by one alone", () =>
  Effect.gen(function* () {
    const { api, merchant } = yield* start({ env })
    const [ada, bo] = yield* twoAdmins(api)
    const path = `/merchants/${merchant.merchantId}/keys`
    for (const _ of [1, 2]) {
      const first = yield* callAs(api, ada.token, "POST", `${path}/live/reset`)
      assert.deepStrictEqual([first.status, first.body.data.object], [202, "approval"])
    }
    const done = yield* callAs(api, bo.token, "POST", `${path}/live/reset`)
    assert.deepStrictEqual([done.status, typeof done.body.data.key], [200, "string"])
    const again = yield* callAs(api, bo.token, "POST", `${path}/live/reset`)
    assert.deepStrictEqual(
      [again.status, again.body.error],
      [409, "conflict"],
      "a double click leaves no consent behind"
    )
    assert.strictEqual((yield* callAs(api, ada.token, "POST", `${path}/live/reset`)).status, 409)
    assert.strictEqual((yield* callAs(api, ada.token, "POST", `${path}/sandbox/reset`)).status, 200)
  })
)

it.live("the first live key of a merchant is never shown, and two operators reset it", () =>
  Effect.gen(function* () {
    const { api } = yield* start({ env })
    const [ada, bo] = yield* twoAdmins(api)
    const made = yield* callAs(api, ada.token, "POST", "/merchants", { name: "Shop" })
    assert.strictEqual(made.status, 201)
    assert.isNull(made.body.data.live_key)
    assert.notInclude(made.text, "svc_live_")
    assert.isString(made.body.data.sandbox_key)
    const path = `/merchants/${made.body.data.merchant_id}/keys/live/reset`
    assert.strictEqual((yield* callAs(api, ada.token, "POST", path)).status, 202)
    assert.match((yield* callAs(api, bo.token, "POST", path)).body.data.key, /^svc_live_/)
  })
)

it.effect("what the first operator asked for is forgotten after a day", () =>
  Effect.gen(function* () {
    const { api, leap, merchant } = yield* start({ env, clock: "test" })
    const [ada, bo] = yield* twoAdmins(api)
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
    const [ada, bo] = yield* twoAdmins(api)
    const path = `/merchants/${merchant.merchantId}`
    assert.strictEqual((yield* callAs(api, ada.token, "POST", path, { name: "Tea" })).status, 200)
    assert.strictEqual((yield* callAs(api, ada.token, "POST", path, { payout_fee: { USD: 25 } })).status, 202)
    assert.strictEqual((yield* callAs(api, bo.token, "POST", path, { payout_fee: { USD: 26 } })).status, 202)
    const done = yield* callAs(api, bo.token, "POST", path, { payout_fee: { USD: 25 } })
    assert.deepStrictEqual([done.status, done.body.data.payout_fee.USD], [200, 25])
  })
)

it.live("a payout above the amount is approved by two operators, a smaller one by one", () =>
  Effect.gen(function* () {
    const { api, merchant } = yield* start({ env })
    const root = yield* newOperator(api, "Root", "admin")
    const ada = yield* newOperatorOfTwo(api, root.token, "Ada", "finance")
    const bo = yield* newOperatorOfTwo(api, root.token, "Bo", "finance")
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

it.live("it takes two to make an operator once there was an admin, whatever became of that one", () =>
  Effect.gen(function* () {
    const { api } = yield* start({ env: { TWO_OPERATORS: "fees" } })
    const finance = { name: "Fin", role: "finance" }
    assert.strictEqual((yield* api.operator("POST", "/operators", finance)).status, 202, "an admin comes first")
    const ada = yield* newOperator(api, "Ada", "admin")
    const eve = { name: "Eve", role: "finance" }
    for (const _ of [1, 2]) {
      const asked = yield* callAs(api, ada.token, "POST", "/operators", eve)
      assert.deepStrictEqual([asked.status, asked.body.data.act], [202, "operators.create"])
    }
    const other = yield* api.operator("POST", "/operators", { ...eve, role: "admin" })
    assert.strictEqual(other.status, 202, "another role is another request")
    assert.strictEqual((yield* api.operator("POST", "/operators", eve)).status, 201)
    yield* api.operator("POST", `/operators/${ada.operator_id}/revoke`)
    assert.strictEqual((yield* api.operator("POST", "/operators", { name: "Mal", role: "admin" })).status, 202)
  })
)

it.live("without TWO_OPERATORS one admin makes operators", () =>
  Effect.gen(function* () {
    const { api } = yield* start()
    for (const name of ["Ada", "Bo"]) yield* newOperator(api, name, "admin")
  })
)

it.effect("the request of an operator who was revoked, or whose token has expired, counts no more", () =>
  Effect.gen(function* () {
    const { api, leap, merchant } = yield* start({ env, clock: "test" })
    const [ada, bo] = yield* twoAdmins(api)
    const path = `/merchants/${merchant.merchantId}/keys/live/reset`
    assert.strictEqual((yield* callAs(api, ada.token, "POST", path)).status, 202)
    yield* api.operator("POST", `/operators/${ada.operator_id}/revoke`)
    assert.strictEqual((yield* callAs(api, bo.token, "POST", path)).status, 202)
    yield* leap("89 days")
    assert.strictEqual((yield* callAs(api, bo.token, "POST", path)).status, 202)
    yield* leap("23 hours")
    yield* leap("58 minutes")
    assert.strictEqual((yield* api.operator("POST", path)).status, 200, "the token is still valid")
    yield* leap("1 minute")
    assert.strictEqual((yield* callAs(api, bo.token, "POST", path)).status, 202)
    yield* leap("1 minute")
    assert.strictEqual((yield* api.operator("POST", path)).status, 202, "the token has expired")
  })
)

it.effect("requests that were not repeated are removed", () =>
  Effect.gen(function* () {
    const { api, pass, merchant, sql } = yield* start({ env, clock: "test" })
    yield* api.operator("POST", `/merchants/${merchant.merchantId}/keys/live/reset`)
    const kept = Effect.map(sql`select 1 from approvals`, ({ length }) => length)
    yield* pass("23 hours")
    assert.strictEqual(yield* kept, 1)
    yield* pass("2 hours")
    assert.strictEqual(yield* kept, 0)
  })
)
