/** Deliveries as an operator sees them, without a service: how attempts are counted, and when a line is due. */
import { assert, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import * as DeliveryMetrics from "../../src/webhooks/deliveries/DeliveryMetrics.ts"
import type { Posted } from "../../src/webhooks/deliveries/postDelivery.ts"

const answered = (status: number): Posted["outcome"] => ({ _tag: "Answered", status, snippet: "" })
const missed = (reason: "dns" | "tls"): Posted["outcome"] => ({ _tag: "NotDelivered", reason, detail: "" })

/** The counters and gauges of deliveries, by name and outcome; a counter that may fall has a mark. */
const shown = Effect.map(Metric.snapshot, (all) =>
  Object.fromEntries(
    all
      .filter(({ id }) => id.startsWith("coffer_deliver"))
      .map(({ attributes, id, state }) => {
        const { count, incremental, value } = state as {
          readonly count?: number
          readonly incremental?: boolean
          readonly value?: number
        }
        const falls = count !== undefined && incremental !== true
        return [`${attributes?.["outcome"] ?? id}${falls ? " may fall" : ""}`, count ?? value]
      })
  )
)

it.effect("each attempt counts once, by how it ended, and what is counted never falls", () =>
  Effect.gen(function* () {
    const metrics = yield* DeliveryMetrics.make((now) => now + 2)
    const before = yield* shown
    assert.deepStrictEqual(Object.keys(before).toSorted(), [
      "coffer_deliveries_in_flight",
      "coffer_delivery_destinations_failing",
      "coffer_delivery_successes_total",
      "connect",
      "dns",
      "protocol",
      "proxy",
      "refused_address",
      "secret",
      "status",
      "timeout",
      "tls"
    ])
    const outcomes = [answered(200), answered(204), answered(299), answered(300), answered(500), missed("dns")]
    yield* metrics.count([...outcomes, missed("dns"), missed("tls"), { _tag: "Unsigned" }])
    yield* DeliveryMetrics.countProxyFailure
    yield* metrics.underWay(7)
    assert.strictEqual(yield* metrics.work.run, 0)
    assert.deepStrictEqual(yield* shown, {
      ...before,
      coffer_deliveries_in_flight: 7,
      coffer_delivery_destinations_failing: 2,
      coffer_delivery_successes_total: 3,
      status: 2,
      dns: 2,
      tls: 1,
      secret: 1,
      proxy: 1
    })
  })
)

it("a destination that has failed for an hour is logged once an hour, from its first failure on", () => {
  const hour = 3_600_000
  const { failed } = DeliveryMetrics.makeFailingDestinations()
  const line = { mode: "live", merchantId: "mer_1", destination: "shop.example" } as const
  for (const [at, told] of [
    [1, undefined],
    [hour, undefined],
    [hour + 1, 1],
    [hour + 2, undefined],
    [2 * hour, undefined],
    [2 * hour + 1, 1],
    [2 * hour + 2, undefined]
  ] as const) {
    assert.strictEqual(failed(line, at), told, String(at))
  }
})
