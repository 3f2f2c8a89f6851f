/** A merchant's quota is shared by all runners, even without Redis (docs/decisions/0088). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { twoRunners } from "../kit/runners/TwoRunners.ts"

it.live("two runners without Redis take 120 of 360 writes and 600 of 900 reads together", () =>
  Effect.gen(function* () {
    const { a, b } = yield* twoRunners
    const { sandboxKey } = yield* a.api.newMerchant("Both", "default")
    const sent = Effect.fnUntraced(function* (
      count: number,
      call: (api: typeof a.api) => ReturnType<typeof a.api.get>
    ) {
      const replies = yield* Effect.forEach(
        Array.from({ length: count }, (_, index) => (index % 2 === 0 ? a : b)),
        ({ api }) => call(api),
        { concurrency: 16 }
      )
      assert.isTrue(replies.every(({ status }) => [201, 200, 429].includes(status)))
      return replies.filter(({ status }) => status !== 429).length
    })
    assert.strictEqual(yield* sent(360, (api) => api.post("/v1/orders", sandboxKey, { amount: 100 })), 120)
    assert.strictEqual(yield* sent(900, (api) => api.get("/v1/balance", sandboxKey)), 600)
  }).pipe(Effect.scoped)
)
