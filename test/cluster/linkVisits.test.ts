/** Concurrent visits to one payment link at two runners (spec: Payment link; silences: L4). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeRetrying } from "../kit/callers/retrying.ts"
import { newKey, twoRunnersWith } from "../kit/runners/TwoRunners.ts"

const visits = 200
const uses = 30

it.live("visits over two runners create max_uses orders, each with a different number", () =>
  Effect.gen(function* () {
    const { a, b, sql } = yield* twoRunnersWith({ TRUSTED_PROXIES: "127.0.0.1" })
    const key = yield* newKey(a)
    const { link_id, url } = (yield* a.api.post("/v1/payment_links", key, { amount: 100, max_uses: uses })).body.data
    const { pathname } = new URL(url)
    const visit = (number: number) =>
      (number % 2 === 0 ? a : b).api.call("GET", pathname, {
        headers: { "X-Forwarded-For": `198.51.${number >> 8}.${number & 255}` }
      })
    const retrying = yield* makeRetrying()
    const replies = yield* Effect.forEach(Array(visits).keys(), (number) => retrying(visit(number)), {
      concurrency: "unbounded"
    })
    const statuses = Object.groupBy(replies, ({ status }) => status)
    assert.deepStrictEqual([statuses[303]?.length, statuses[200]?.length], [uses, visits - uses])

    const made = yield* sql<{ out_trade_no: string }>`select out_trade_no from orders`
    const expected = Array.from({ length: uses }, (_, index) => `${link_id}_${index + 1}`)
    assert.sameMembers(
      made.map(({ out_trade_no }) => out_trade_no),
      expected
    )
    for (const { api } of [a, b]) {
      assert.strictEqual((yield* api.get(`/v1/payment_links/${link_id}`, key)).body.data.used_count, uses)
    }
  })
)
