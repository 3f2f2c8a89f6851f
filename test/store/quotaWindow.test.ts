/** The sliding window, in memory and in a real Redis: the same rules for both (silences: U1). */
import { assert, describe, it } from "@effect/vitest"
import { Context, Duration, Effect, Layer } from "effect"
import { layerMemory, layerRedis, makeMemory, QuotaStore, type Taken } from "../../src/door/edge/QuotaStore.ts"
import { leftOut, named, running } from "../kit/servers/Redis.ts"

/** In a test that is not about a slow Redis, a busy machine must not slow it down. */
const patience = Duration.seconds(30)

const second = 1_000
const window = 60 * second
const answers = ({ allowed, remaining, resetMillis, retryAfterMillis }: Taken) => [
  allowed,
  remaining,
  retryAfterMillis,
  resetMillis
]

const stores = [
  { where: "in memory", left: false, build: Layer.build(layerMemory) },
  {
    where: "in Redis",
    left: leftOut,
    build: Effect.flatMap(running, ({ url }) => Layer.build(layerRedis(url, patience)))
  }
]

for (const { build, left, where } of stores) {
  const store = Effect.map(build, Context.get(QuotaStore))
  describe.skipIf(left)(left ? named(`a window ${where}`) : `a window ${where}`, () => {
    it.live("says how many are left, when the next is allowed, and when the oldest stops counting", () =>
      Effect.gen(function* () {
        const { take } = yield* store
        const at = (now: number) => Effect.map(take("key", 3, window, now), answers)
        assert.deepStrictEqual(yield* at(1_000), [true, 2, 0, window])
        assert.deepStrictEqual(yield* at(11_000), [true, 1, 0, window - 10 * second])
        assert.deepStrictEqual(yield* at(11_000), [true, 0, 0, window - 10 * second])
        assert.deepStrictEqual(yield* at(11_001), [false, 0, window - 10_001, window - 10_001])
        assert.deepStrictEqual(yield* at(60_999), [false, 0, 1, 1])
        assert.deepStrictEqual(yield* at(61_000), [true, 0, 0, 10 * second])
        assert.deepStrictEqual(yield* at(61_000), [false, 0, 10 * second, 10 * second])
        assert.deepStrictEqual(yield* at(71_000), [true, 1, 0, 50 * second])
        assert.deepStrictEqual(yield* at(10_000_000), [true, 2, 0, window])
      })
    )

    it.live("allows at most the limit in any 60 seconds, whatever comes when", () =>
      Effect.gen(function* () {
        const { take } = yield* store
        const limit = 7
        const allowed: Array<number> = []
        // Each call has its own step, some of them 0, the same in every run.
        for (let index = 0, now = 5; index < 600; index++, now += (index * index * 7_919) % 9_000) {
          if ((yield* take("key", limit, window, now)).allowed) allowed.push(now)
        }
        assert.isAbove(allowed.length, 100)
        for (const [index, first] of allowed.entries()) {
          const next = allowed[index + limit]
          if (next !== undefined) assert.isAtLeast(next - first, window)
        }
      })
    )

    it.live("is looked at without being counted, and what has left it is not in it", () =>
      Effect.gen(function* () {
        const { take, used } = yield* store
        const at = (now: number) => used(["looked", "other"], window, now)
        assert.deepStrictEqual(yield* at(1_000), [0, 0])
        for (const now of [1_000, 2_000, 3_000]) yield* take("looked", 3, window, now)
        yield* take("looked", 3, window, 3_001)
        assert.deepStrictEqual(yield* at(3_002), [3, 0])
        assert.deepStrictEqual(yield* at(3_002), [3, 0])
        assert.deepStrictEqual(yield* at(1_000 + window), [2, 0])
        assert.deepStrictEqual(yield* at(100_000_000), [0, 0])
      })
    )

    it.live("counts each key separately", () =>
      Effect.gen(function* () {
        const { take } = yield* store
        assert.isTrue((yield* take("one", 1, window, 0)).allowed)
        assert.isTrue((yield* take("other", 1, window, 0)).allowed)
        assert.isFalse((yield* take("one", 1, window, 0)).allowed)
      })
    )

    it.live("does as a limit says that was lowered or raised meanwhile", () =>
      Effect.gen(function* () {
        const { take } = yield* store
        for (let now = 0; now < 5; now++) yield* take("key", 5, window, now)
        // The first four of the five must leave before there is one where two may be.
        assert.deepStrictEqual(answers(yield* take("key", 2, window, 10)), [false, 0, window - 7, window - 7])
        assert.deepStrictEqual(answers(yield* take("key", 7, window, 10)), [true, 1, 0, window - 10])
        assert.isFalse((yield* take("key", 2, window, window + 3)).allowed)
        assert.isTrue((yield* take("key", 2, window, window + 4)).allowed)
      })
    )

    it.live("is not opened by a clock that is set back", () =>
      Effect.gen(function* () {
        const { take } = yield* store
        assert.isTrue((yield* take("key", 2, window, 100_000)).allowed)
        assert.isTrue((yield* take("key", 2, window, 99_000)).allowed)
        assert.isFalse((yield* take("key", 2, window, 98_000)).allowed)
        assert.isFalse((yield* take("key", 2, window, 159_999)).allowed)
        assert.isTrue((yield* take("key", 2, window, 160_000)).allowed)
      })
    )
  })
}

describe("a window in memory", () => {
  it("is not kept when it is empty", () => {
    const memory = makeMemory()
    for (let index = 0; index < 1_000; index++) memory.take(`key ${index}`, 10, window, index)
    assert.strictEqual(memory.size(), 1_000)
    memory.take("key 999", 10, window, window + 999)
    assert.strictEqual(memory.size(), 1)
  })

  it("is one of at most so many, and the first of them makes room", () => {
    const memory = makeMemory({ keysMax: 3 })
    for (const key of ["a", "b", "c", "d"]) memory.take(key, 1, window, 0)
    assert.strictEqual(memory.size(), 3)
    assert.isFalse(memory.take("d", 1, window, 0).allowed)
    assert.isTrue(memory.take("a", 1, window, 0).allowed)
    assert.strictEqual(memory.size(), 3)
  })

  it("does not stay full for ever when the clock is set back by an hour", () => {
    const memory = makeMemory()
    memory.take("key", 1, window, 3_600_000)
    assert.isTrue(memory.take("key", 1, window, 0).allowed)
  })
})
