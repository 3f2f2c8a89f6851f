/** Calls that no quota let through: one row a minute that counts them (silences: A11). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { flushed, type Log } from "../../kit/logs.ts"
import { said } from "../../kit/Merchant.ts"
import { type Running, start } from "../../kit/Service.ts"

const quotas = { quotas: { writes: 2, reads: 1_000 } }

const limited = Effect.gen(function* () {
  const running = yield* start()
  const { api } = running
  const merchant = yield* api.newMerchant("Over its quota", "default")
  yield* said(api.operator("POST", `/merchants/${merchant.merchantId}`, quotas))
  return { running, api, merchant }
})

const logsOf = Effect.fnUntraced(function* (running: Running, key: string, query: string) {
  yield* flushed(running)
  return (yield* said(running.api.get(`/v1/logs?limit=100&${query}`, key)))["data"] as ReadonlyArray<Log>
})

describe("calls above the quota", () => {
  it.live("are one row without bodies that says how many they were; what was let through is kept as ever", () =>
    Effect.gen(function* () {
      const { api, merchant, running } = yield* limited
      const large = { amount: 5, note: "x".repeat(10_000) }
      const replies = yield* Effect.replicateEffect(api.post("/v1/orders", merchant.sandboxKey, large), 50)
      const first = replies.find(({ status }) => status === 429)!
      const [row, ...others] = yield* logsOf(running, merchant.sandboxKey, "status=429")
      assert.deepStrictEqual(others, [])
      assert.strictEqual(row.request_id, first.body.request_id)
      assert.deepStrictEqual([row.path, row.error_code, row.request_body], ["/v1/orders", "rate_limited", null])
      assert.deepStrictEqual(row.response_body, { _refused: { count: 48 } })
      const kept = yield* logsOf(running, merchant.sandboxKey, "status=201")
      assert.deepStrictEqual(
        kept.map(({ request_body }) => request_body.note.length),
        [10_000, 10_000]
      )
    })
  )

  it.live("take no place in the log from what others do meanwhile", () =>
    Effect.gen(function* () {
      const { api, merchant, running } = yield* limited
      const flood = Effect.replicateEffect(api.post("/v1/orders", merchant.sandboxKey, { amount: 5 }), 500, {
        concurrency: 16
      })
      const other = yield* api.newMerchant()
      const work = Effect.replicateEffect(api.post("/v1/orders", other.sandboxKey, { amount: 5 }), 50)
      yield* Effect.all([flood, work], { concurrency: 2 })
      assert.lengthOf(yield* logsOf(running, other.sandboxKey, "status=201"), 50)
      const [{ count }] = (yield* running.sql<{ count: number }>`select count(*)::int as count from api_logs
        where merchant_id = ${merchant.merchantId}`) as [{ count: number }]
      assert.isAtMost(count, 4)
    })
  )
})

it.live("calls that are refused before the quota are one row for each status, the first with its bodies", () =>
  Effect.gen(function* () {
    const { api, merchant, running } = yield* limited
    const { liveKey, merchantId } = merchant
    yield* Effect.replicateEffect(api.post("/v1/orders", liveKey, { amount: 7 }), 30)
    yield* Effect.replicateEffect(api.post("/v1/none", liveKey, { amount: 7 }), 20)
    yield* flushed(running)
    yield* said(api.operator("POST", `/merchants/${merchantId}`, { approved: true }))
    const [unapproved, ...others] = yield* logsOf(running, liveKey, "status=403")
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual(unapproved.request_body, { amount: 7 })
    assert.deepStrictEqual(unapproved.response_body._refused, { count: 30 })
    assert.strictEqual(unapproved.response_body.error, "merchant_not_approved")
    const missing = yield* logsOf(running, liveKey, "status=404")
    assert.deepStrictEqual(
      missing.map(({ response_body }) => response_body._refused),
      [{ count: 20 }]
    )
  })
)
