/** The calculations behind the bench's figures. */
import { assert, describe, it } from "@effect/vitest"
import { kneeOf } from "../../packages/bench/src/curve.ts"
import { countOf, makeHistogram, quantile } from "../../packages/bench/src/driver/histogram.ts"
import { makeSchedule } from "../../packages/bench/src/driver/loops.ts"
import { sourceOf } from "../../packages/bench/src/driver/requests.ts"
import { median } from "../../packages/bench/src/driver/summary.ts"
import { makeTally } from "../../packages/bench/src/driver/tally.ts"

const bucketsOf = (...millis: ReadonlyArray<number>) => {
  const histogram = makeHistogram()
  for (const each of millis) histogram.add(each)
  return histogram.take()
}
const upTo = (count: number, unit = 1) => Array.from({ length: count }, (_, index) => (index + 1) * unit)

describe("bench: latencies", () => {
  it("takes the nearest rank: of 100 values the 99th is the p99", () => {
    assert.strictEqual(quantile(bucketsOf(...upTo(100, 0.001)), 0.99), 0.099)
    assert.strictEqual(quantile(bucketsOf(...upTo(100, 0.001)), 0.5), 0.05)
    assert.strictEqual(quantile(bucketsOf(0.002), 0.999), 0.002)
  })

  it("without values there is no percentile", () => assert.isNaN(quantile(bucketsOf(), 0.5)))

  it("a percentile is at most 0.8 % above the truth, and never below it", () => {
    for (const millis of [0, 0.001, 0.255, 0.256, 1, 2.5, 10, 99.9, 1_000, 60_000]) {
      const found = quantile(bucketsOf(millis), 0.5)
      assert.isAtLeast(found, millis)
      assert.isAtMost(found, millis * 1.008)
    }
  })

  it("counts each value once, buckets rise, and what was taken is gone", () => {
    const histogram = makeHistogram()
    for (const each of [...upTo(1_000), ...upTo(1_000)]) histogram.add(each)
    const buckets = histogram.take()
    assert.strictEqual(countOf(buckets), 2_000)
    assert.deepStrictEqual(
      buckets,
      buckets.toSorted(([a], [b]) => a - b)
    )
    assert.deepStrictEqual(histogram.take(), [])
  })

  it("a median of an even number of rounds lies between the middle two", () => {
    assert.strictEqual(median([4, 1, 3]), 3)
    assert.strictEqual(median([4, 1, 3, 2]), 2.5)
  })
})

describe("bench: an open loop", () => {
  it("has its moments as far from one another as the rate says, also when it was looked late", () => {
    const schedule = makeSchedule(200, 1_000)
    assert.deepStrictEqual(schedule.dueBy(1_000), [1_000])
    assert.deepStrictEqual(schedule.dueBy(1_004), [])
    assert.deepStrictEqual(schedule.dueBy(1_022), [1_005, 1_010, 1_015, 1_020])
  })

  it("does not drift in a day", () => {
    const schedule = makeSchedule(3, 0)
    const day = 86_400_000
    assert.strictEqual(schedule.dueBy(day).at(-1), day)
  })

  it("measures what fell due in its time, from that moment on, and what has no answer by its age", () => {
    const tally = makeTally(true)
    tally.count(200, 200, 5, 50)
    tally.start(100)
    // Due before it: an answer, but no latency.
    tally.count(200, 200, 90, 110)
    tally.count(200, 200, 120, 150)
    tally.end(1_100)
    // Due in its time, answered afterwards.
    tally.count(200, 200, 1_000, 1_400)
    tally.give([900], 2_000)
    const { latencies, perSecond, requests } = tally.summary(2_000)
    assert.strictEqual(requests, 3)
    assert.strictEqual(perSecond, 2)
    assert.strictEqual(countOf(latencies), 3)
    assert.isAtLeast(quantile(latencies, 1), 1_100)
  })

  it("counts 503 apart, and takes no other answer for the expected one", () => {
    const tally = makeTally(true)
    tally.start(0)
    assert.isTrue(tally.count(503, 201, 1, 2))
    assert.isFalse(tally.count(200, 201, 1, 2))
    const { latencies, requests, unavailable } = tally.summary(1_000)
    assert.deepStrictEqual([requests, unavailable, countOf(latencies)], [0, 1, 0])
  })
})

describe("bench: the knee", () => {
  const point = (rate: number, perSecond: number, p99: number) => ({ rate, perSecond, p99 })

  it("is the first rate whose p99 exceeds the bound", () =>
    assert.strictEqual(kneeOf([point(100, 100, 5), point(200, 200, 50), point(300, 300, 51)], 50), 2))

  it("is the first rate of which more than 1 % is not answered within the time", () =>
    assert.strictEqual(kneeOf([point(100, 99, 5), point(200, 197, 5), point(300, 300, 5)], 50), 1))

  it("is nowhere while all is kept up with", () =>
    assert.strictEqual(kneeOf([point(100, 100, 5), point(200, 199, 9)], 50), -1))

  it("is at a rate without any answer", () => assert.strictEqual(kneeOf([point(100, 0, Number.NaN)], 50), 0))
})

describe("bench: the soak's requests", () => {
  it("pay, read and refund existing orders, and create one if there are none", () => {
    const source = sourceOf({ kind: "mix", keys: ["key_a", "key_b"] })
    const counts = new Map<string, number>()
    for (let number = 0; number < 4_000; number++) {
      const { answered, expected, text } = source.next()!
      const name = /^(POST|GET) \/v1\/(test_helpers|refunds|orders\/|orders)/.exec(text)!.slice(1).join(" ")
      counts.set(name, (counts.get(name) ?? 0) + 1)
      assert.strictEqual(expected, /^POST (orders|refunds)$/.test(name) ? 201 : 200, name)
      const key = /X-Api-Key: (\w+)/.exec(text)![1]
      if (name === "POST test_helpers") assert.include(text, `/TRD_${key}_`, "with the key of its merchant")
      answered?.(() => JSON.stringify({ data: { trade_no: `TRD_${key}_${number}` } }))
    }
    assert.strictEqual(counts.get("GET orders"), 400)
    assert.strictEqual(counts.get("POST test_helpers"), 1_000)
    // Few until there are two hundred paid orders.
    assert.isAbove(counts.get("GET orders/")!, 900)
    assert.isAbove(counts.get("POST refunds")!, 150)
  })
})
