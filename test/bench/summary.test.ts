/** The few sums that the bench's figures come from. */
import { assert, describe, it } from "@effect/vitest"
import { median, percentile, summarize } from "../../packages/bench/src/driver/summary.ts"

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

describe("bench: percentiles", () => {
  it("takes the nearest rank: of 100 values the 99th is the p99", () => {
    assert.strictEqual(percentile(upTo(100), 0.99), 99)
    assert.strictEqual(percentile(upTo(1_000), 0.99), 990)
    assert.strictEqual(percentile(upTo(100), 0.5), 50)
  })

  it("of few values the p99 is the largest", () => assert.strictEqual(percentile(upTo(10), 0.99), 10))

  it("of none there is none", () => assert.isNaN(percentile([], 0.5)))

  it("a median of an even number of rounds lies between the middle two", () => {
    assert.strictEqual(median([4, 1, 3]), 3)
    assert.strictEqual(median([4, 1, 3, 2]), 2.5)
  })

  it("throughput is what was answered within the time that was measured", () => {
    const summary = summarize([3, 1, 2], 1_500, 0)
    assert.deepInclude(summary, { requests: 3, perSecond: 2, p50: 2, p99: 3, max: 3 })
  })
})
