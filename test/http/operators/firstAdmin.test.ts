/** Acts of one operator that must not be done by asking twice, or often at once (TWO_OPERATORS). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { merchantOf } from "../../kit/Merchant.ts"
import { callAs, newOperator, newOperatorOfTwo } from "../../kit/callers/operators.ts"
import { start } from "../../kit/Service.ts"

const env = { TWO_OPERATORS: "payouts:100000,live_keys,fees,channels,approvals" }

it.live("of twelve first admins at one moment one is made, and no other later", () =>
  Effect.gen(function* () {
    const { api } = yield* start({ env })
    const ask = (name: string) => api.operator("POST", "/operators", { name, role: "admin" })
    const names = Array.from({ length: 12 }, (_, index) => `first ${index}`)
    const replies = yield* Effect.forEach(names, ask, { concurrency: "unbounded" })
    assert.deepStrictEqual(replies.map(({ status }) => status).toSorted(), [
      201,
      ...Array.from({ length: 11 }, () => 202)
    ])
    assert.strictEqual((yield* ask("one more")).status, 202)
  })
)

it.live("payouts that one approves alone add up over a day, also two at one moment", () =>
  Effect.gen(function* () {
    const running = yield* start({ env, clock: "test" })
    const { api, leap, merchant } = running
    const root = yield* newOperator(api, "Root", "admin")
    const ada = yield* newOperatorOfTwo(api, root.token, "Ada", "finance")
    yield* merchantOf(running).paid(10_000_000)
    const payout = Effect.fnUntraced(function* (amount: number) {
      const terms = { mode: "sandbox", currency: "USD", amount }
      const { body } = yield* callAs(api, ada.token, "POST", `/merchants/${merchant.merchantId}/payouts`, terms)
      return `/payouts/${body.data.payout_no}/approve`
    })
    const approve = (path: string) => Effect.map(callAs(api, ada.token, "POST", path), ({ status }) => status)
    const both = [yield* payout(90_000), yield* payout(90_000)]
    assert.deepStrictEqual((yield* Effect.forEach(both, approve, { concurrency: 2 })).toSorted(), [200, 202])
    assert.strictEqual(yield* approve(yield* payout(10_000)), 200)
    assert.strictEqual(yield* approve(yield* payout(1)), 202)
    yield* leap("25 hours")
    assert.strictEqual(yield* approve(yield* payout(100_000)), 200)
  })
)
