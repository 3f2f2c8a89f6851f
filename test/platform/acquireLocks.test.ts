/** How the locks of shards are taken that another runner gives up one after the other. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { acquireLocks } from "@coffer/cluster/acquireLocks"

/** Locks that are given up one by one, and who asked for what. */
const locks = (free: () => ReadonlyArray<number>) => {
  const asked: Array<ReadonlyArray<number>> = []
  const take = (missing: Iterable<number>) =>
    Effect.sync(() => {
      const wanted = [...missing]
      asked.push(wanted)
      return wanted.filter((shard) => free().includes(shard))
    })
  return { asked, take }
}
const never = () => false

describe("the locks of shards that were assigned together", () => {
  it.effect("are asked for again until all are there, without those that are there", () =>
    Effect.gen(function* () {
      let free = [1]
      const { asked, take } = locks(() => free)
      const taking = yield* Effect.forkChild(acquireLocks([1, 2, 3], take, never), { startImmediately: true })
      free = [1, 2]
      yield* TestClock.adjust("50 millis")
      free = [1, 2, 3]
      yield* TestClock.adjust("50 millis")
      assert.deepStrictEqual(yield* Fiber.join(taking), [1, 2, 3])
      assert.deepStrictEqual(asked, [[1, 2, 3], [2, 3], [3]])
    })
  )

  it.effect("serve after two seconds without those that their owner keeps", () =>
    Effect.gen(function* () {
      const { take } = locks(() => [1, 3])
      const taking = yield* Effect.forkChild(acquireLocks([1, 2, 3], take, never), { startImmediately: true })
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(yield* Fiber.join(taking), [1, 3])
    })
  )

  it.effect("are not waited for by a runner that stops", () =>
    Effect.gen(function* () {
      const { asked, take } = locks(() => [])
      assert.deepStrictEqual(yield* acquireLocks([1], take, () => true), [])
      assert.lengthOf(asked, 1)
    })
  )
})
