/** Calls that never reached a quota or exceeded it: a row, and one a minute that counts the others (silences: A11). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { flushed, type Log } from "../../kit/rows/logs.ts"
import { said } from "../../kit/Merchant.ts"
import { eventually } from "../../kit/Process.ts"
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
  it.live(
    "are two rows without bodies, the first and the number of the others; what was let through is kept as ever",
    () =>
      Effect.gen(function* () {
        const { api, merchant, running } = yield* limited
        const large = { amount: 5, note: "x".repeat(10_000) }
        const replies = yield* Effect.replicateEffect(api.post("/v1/orders", merchant.sandboxKey, large), 50)
        const first = replies.find(({ status }) => status === 429)!
        const rows = yield* logsOf(running, merchant.sandboxKey, "status=429")
        assert.strictEqual(rows.at(-1)!.request_id, first.body.request_id)
        for (const row of rows) {
          assert.deepStrictEqual([row.path, row.error_code, row.request_body], ["/v1/orders", "rate_limited", null])
        }
        assert.deepStrictEqual(
          rows.map(({ response_body }) => response_body),
          [{ _refused: { count: 47 } }, { _refused: { count: 1 } }]
        )
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

it.live("calls that are refused before the quota are two rows for each status, the first with its bodies", () =>
  Effect.gen(function* () {
    const { api, merchant, running } = yield* limited
    const { liveKey, merchantId } = merchant
    yield* Effect.replicateEffect(api.post("/v1/orders", liveKey, { amount: 7 }), 30)
    yield* Effect.replicateEffect(api.post("/v1/none", liveKey, { amount: 7 }), 20)
    yield* flushed(running)
    yield* said(api.operator("POST", `/merchants/${merchantId}`, { approved: true }))
    const [others, unapproved, ...more] = yield* logsOf(running, liveKey, "status=403")
    assert.deepStrictEqual(more, [])
    assert.deepStrictEqual(unapproved.request_body, { amount: 7 })
    assert.isUndefined(unapproved.response_body._refused)
    assert.strictEqual(unapproved.response_body.error, "merchant_not_approved")
    assert.deepStrictEqual([others.request_body, others.response_body._refused], [null, { count: 29 }])
    const missing = yield* logsOf(running, liveKey, "status=404")
    assert.deepStrictEqual(
      missing.map(({ response_body }) => response_body._refused),
      [{ count: 19 }, undefined]
    )
  })
)

it.live("a reader who follows the log gets the number of refused calls too, though it comes late", () =>
  Effect.gen(function* () {
    const { api, merchant, running } = yield* limited
    const { sandboxKey } = merchant
    yield* Effect.replicateEffect(api.post("/v1/orders", sandboxKey, { amount: 5 }), 12)
    yield* said(api.get("/v1/orders", sandboxKey))
    const sql = running.sql
    const written = Effect.map(
      sql`select 1 from api_logs where path = '/v1/orders' and method = 'GET'`,
      (rows) => rows.length
    )
    yield* eventually(
      "the call to be written",
      Effect.map(written, (count) => count === 1)
    )
    const [newest] = (yield* said(api.get("/v1/logs?limit=1&path=/v1/orders", sandboxKey)))[
      "data"
    ] as ReadonlyArray<Log>
    yield* flushed(running)
    const query = `/v1/logs?limit=100&ending_before=${newest.request_id}&status=429`
    const later = (yield* said(api.get(query, sandboxKey)))["data"] as ReadonlyArray<Log>
    assert.deepStrictEqual(
      later.map(({ response_body }) => response_body),
      [{ _refused: { count: 9 } }]
    )
  })
)
