/** The queue of change sets, and the lanes that take them (docs/decisions/0010). */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import type { OpenSet } from "../../src/platform/commit/openSets.ts"
import { batchMax, makeWaitingSets, manyMin, waitingMax } from "../../src/platform/commit/waitingSets.ts"

const setOf = (lane: string): OpenSet => ({
  lane,
  changes: [],
  done: Deferred.makeUnsafe(),
  until: Infinity,
  since: 0,
  writing: false,
  doubts: []
})

interface Batch {
  readonly lane: number
  readonly keys: ReadonlyArray<string>
  readonly onWritten: () => void
  readonly end: () => void
}

/** Lanes whose batches end when the test says so. */
const lanes = Effect.gen(function* () {
  const waiting = makeWaitingSets()
  const begun: Array<Batch> = []
  const told: Array<() => void> = []
  for (const [lane, writing] of waiting.lanes.entries()) {
    const write = (taken: ReadonlyArray<OpenSet>, onWritten: () => void) =>
      Effect.callback<void>((resume) => {
        begun.push({ lane, keys: taken.map((set) => set.lane), onWritten, end: () => resume(Effect.void) })
        for (const tell of told.splice(0)) tell()
      })
    yield* Effect.forkScoped(writing(write), { startImmediately: true })
  }
  // A batch that has begun keeps its lane, so that the scope would wait for it.
  const endAll = Effect.sync(() => begun.forEach(({ end }) => end()))
  /** Waits for so many batches. */
  const batches = (count: number): Effect.Effect<ReadonlyArray<Batch>> =>
    Effect.callback((resume) => {
      const look = () => (begun.length >= count ? resume(Effect.succeed(begun)) : void told.push(look))
      look()
    })
  const offer = (...keys: ReadonlyArray<string>) => keys.map((key) => waiting.offer(setOf(key)))
  return { batches, begun, offer, size: waiting.size, endAll }
})

const keysOf = (batches: ReadonlyArray<Batch>) => batches.map(({ keys }) => keys.join(" "))

describe("change sets that wait", () => {
  it.live("are one batch when the batch before them has ended, whatever their keys", () =>
    Effect.gen(function* () {
      const { batches, begun, endAll, offer, size } = yield* lanes
      yield* Effect.addFinalizer(() => endAll)
      offer("a")
      yield* batches(1)
      offer("b", "c", "a", "d")
      assert.deepStrictEqual([keysOf(begun), size()], [["a"], 4])
      begun[0]!.end()
      assert.deepStrictEqual(keysOf(yield* batches(2)), ["a", "b c a d"])
    })
  )

  it.live("are one batch where they come in one turn of the event loop", () =>
    Effect.gen(function* () {
      const { batches, endAll, offer } = yield* lanes
      yield* Effect.addFinalizer(() => endAll)
      offer("a", "b")
      offer("a")
      assert.deepStrictEqual(keysOf(yield* batches(1)), ["a b a"])
    })
  )

  it.live("are taken by the first lane alone while no batch takes long", () =>
    Effect.gen(function* () {
      const { batches, begun, endAll, offer } = yield* lanes
      yield* Effect.addFinalizer(() => endAll)
      for (let count = 1; count <= 50; count++) {
        offer("a")
        const { end } = (yield* batches(count))[count - 1]!
        end()
        yield* Effect.promise(() => Promise.resolve())
      }
      assert.isTrue(begun.every(({ lane }) => lane === 0))
    })
  )

  it.live("are taken by another lane while a batch takes long, but for those whose key is in it", () =>
    Effect.gen(function* () {
      const { batches, begun, endAll, offer, size } = yield* lanes
      yield* Effect.addFinalizer(() => endAll)
      offer("a")
      yield* batches(1)
      offer("b", "a", "c")
      const second = yield* batches(2)
      assert.deepStrictEqual([keysOf(second), second.map(({ lane }) => lane), size()], [["a", "b c"], [0, 1], 1])
      offer("a", "b", "d")
      begun[1]!.end()
      // The first lane's batch has taken long enough: the second continues at once.
      assert.deepStrictEqual(keysOf(yield* batches(3)), ["a", "b c", "b d"])
      begun[0]!.end()
      begun[2]!.end()
      assert.deepStrictEqual(keysOf(yield* batches(4)), ["a", "b c", "b d", "a a"])
    })
  )

  it.live(`are begun by the other lane before the replies of a batch that is written, where ${manyMin} wait`, () =>
    Effect.gen(function* () {
      const { batches, begun, endAll, offer, size } = yield* lanes
      yield* Effect.addFinalizer(() => endAll)
      offer("a")
      yield* batches(1)
      const many = Array.from({ length: manyMin - 1 }, (_, index) => `${index}`)
      offer(...many)
      begun[0]!.onWritten()
      assert.deepStrictEqual([begun.length, size()], [1, manyMin - 1])
      // The key of the batch that is written is free.
      offer("a")
      begun[0]!.onWritten()
      // It has begun when the call returns: the replies come after it.
      assert.deepStrictEqual([begun[1]?.lane, begun[1]?.keys], [1, [...many, "a"]])
      // Its replies are made, and the second batch is still being written: new sets wait for it.
      begun[0]!.end()
      offer("a", "b")
      begun[1]!.end()
      assert.deepStrictEqual((yield* batches(3))[2]!.keys, ["a", "b"])
    })
  )

  it.live(`that are fewer than ${manyMin} wait for the replies of a batch that is written`, () =>
    Effect.gen(function* () {
      const { batches, begun, endAll, offer, size } = yield* lanes
      yield* Effect.addFinalizer(() => endAll)
      offer("a")
      yield* batches(1)
      offer("b")
      begun[0]!.onWritten()
      // Sets that are gathered in this turn begin no batch.
      offer("c", "d")
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      assert.deepStrictEqual([begun.length, size()], [1, 3])
      begun[0]!.end()
      assert.deepStrictEqual(keysOf(yield* batches(2)), ["a", "b c d"])
    })
  )

  it.live(`are ${batchMax} in a batch at the most, in their order`, () =>
    Effect.gen(function* () {
      const { batches, begun, endAll, offer } = yield* lanes
      yield* Effect.addFinalizer(() => endAll)
      offer("first")
      yield* batches(1)
      const keys = Array.from({ length: batchMax + 3 }, (_, index) => `${index}`)
      offer(...keys)
      begun[0]!.end()
      assert.deepStrictEqual((yield* batches(2))[1]!.keys, keys.slice(0, batchMax))
      begun[1]!.end()
      assert.deepStrictEqual((yield* batches(3))[2]!.keys, keys.slice(batchMax))
    })
  )

  it.live(`are ${waitingMax} at the most: a further one is refused`, () =>
    Effect.gen(function* () {
      const { batches, endAll, offer } = yield* lanes
      yield* Effect.addFinalizer(() => endAll)
      offer("first")
      yield* batches(1)
      assert.isTrue(offer(...Array.from({ length: waitingMax }, () => "first")).every(Boolean))
      assert.deepStrictEqual(offer("first", "other"), [false, false])
    })
  )

  it.live("are finished when they were taken, although the service closes", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { batches, begun, offer } = yield* Scope.provide(lanes, scope)
      offer("a")
      yield* batches(1)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      assert.isUndefined(closing.pollUnsafe())
      begun[0]!.end()
      yield* Fiber.join(closing)
    })
  )
})
