/** Rows of failing endpoints, and whether one has accepted anything (docs/decisions/0021; silences: W25, W26). */
import { assert, it } from "@effect/vitest"
import { Context, DateTime, Effect } from "effect"
import { type Ended, recordAttempts } from "../../src/webhooks/deliveries/deliveryResults.ts"
import { EndpointHealth, type HealthRow } from "../../src/webhooks/deliveries/EndpointHealth.ts"
import { insertDeliveries } from "../kit/rows/Rows.ts"
import { start } from "../kit/Service.ts"

const at = (seconds: number) => DateTime.makeUnsafe(seconds * 1_000)
const endpointId = "whe_1"

/** Deliveries to the endpoint, and the outcome of each of their attempts, by its number. */
const world = Effect.fnUntraced(function* (count: number) {
  const { context, merchant, sql } = yield* start({ clock: "test" })
  yield* insertDeliveries(sql, { merchantId: merchant.merchantId, count }, "'shop.example'")
  yield* sql`update deliveries set endpoint_id = ${endpointId}`
  const rows = yield* sql<{ readonly id: string; readonly url: string }>`select id, url from deliveries order by id`
  const deliveries = rows.map((row) => {
    const whose = { merchant_id: merchant.merchantId, mode: "sandbox", endpoint_id: endpointId }
    return { ...row, ...whose, attempts: 0 } as Ended["delivery"]
  })
  const endedWith = (index: number, statusCode: number, health: Ended["health"]): Ended => {
    const delivery = deliveries[index]!
    const status = statusCode === 200 ? "succeeded" : "failed"
    const attempt = { at: at(index), url: delivery.url, durationMillis: 1, failure: null, snippet: null }
    return { delivery, attempt: { ...attempt, status, statusCode, nextAttemptAt: undefined }, health }
  }
  return { endedWith, health: Context.get(context as Context.Context<EndpointHealth>, EndpointHealth), sql }
})

it.effect(
  "an endpoint's row keeps when its newest five first attempts have failed, until a look finds the outage over",
  () =>
    Effect.gen(function* () {
      const { endedWith, health, sql } = yield* world(7)
      const failures = Array.from({ length: 7 }, (_, index) => endedWith(index, 500, { mark: "first", at: at(index) }))
      const kept = Effect.map(
        sql<{ readonly at: number }>`select extract(epoch from at)::int4 as at
        from endpoint_health cross join lateral unnest(first_failures) as at`,
        (times) => times.map((time) => time.at)
      )
      yield* recordAttempts(sql, failures.slice(0, 6))
      assert.deepStrictEqual(yield* kept, [1, 2, 3, 4, 5])
      yield* recordAttempts(sql, failures.slice(6))
      assert.deepStrictEqual(yield* kept, [2, 3, 4, 5, 6])
      const look = (more: object) =>
        health.looked(
          { endpoint_id: endpointId, last_failed_at: at(6), well_since: null } as HealthRow,
          { isTold: true, toldAt: at(7), dueAt: at(8), ...more },
          at(7)
        )
      yield* look({})
      assert.deepStrictEqual(yield* kept, [2, 3, 4, 5, 6])
      yield* look({ isOver: true })
      assert.deepStrictEqual(yield* kept, [])
    })
)

it.effect(
  "an endpoint has taken something where an attempt since then has an answer of 2xx, whatever its row says",
  () =>
    Effect.gen(function* () {
      const { endedWith, health, sql } = yield* world(4)
      const hasTaken = (id: string, failingSince: number) =>
        health.hasTaken({ endpoint_id: id, failing_since: at(failingSince) } as HealthRow)
      // As another runner writes it that knows of no failure: without the endpoint's health.
      yield* recordAttempts(sql, [endedWith(1, 500, null), endedWith(2, 200, null), endedWith(3, 500, null)])
      assert.isTrue(yield* hasTaken(endpointId, 1))
      assert.isTrue(yield* hasTaken(endpointId, 2))
      assert.isFalse(yield* hasTaken(endpointId, 3))
      assert.isFalse(yield* hasTaken("whe_2", 1))
    })
)
