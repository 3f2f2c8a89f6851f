/** Change sets that wait for their commit: the end of each that is not written, and since when none could be. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Metric } from "effect"
import { TestClock } from "effect/testing"
import { NotCommitted } from "../../src/platform/commit/Change.ts"
import { makeOpenSets } from "../../src/platform/commit/openSets.ts"
import { realMillis } from "../../src/platform/runtime/realTime.ts"

/** Until real time has gone on by a millisecond or two. */
const aMoment = Effect.sync(() => {
  for (const begun = realMillis(); realMillis() - begun < 2;);
})

it.effect("a set whose time is over ends, as certainly not written unless a transaction with it is under way", () =>
  Effect.gen(function* () {
    const sets = yield* makeOpenSets
    const [waiting, written, later] = [sets.open("a", [], 0), sets.open("b", [], 0), sets.open("c", [], 600_000)]
    written.writing = true
    yield* TestClock.adjust("1 second")
    const reasonOf = ({ done }: typeof waiting) =>
      Effect.map(Effect.flip(Deferred.await(done)), (error) => "reason" in error && error.reason)
    assert.deepStrictEqual([yield* reasonOf(waiting), yield* reasonOf(written)], ["overloaded", "unknown"])
    assert.deepStrictEqual([waiting, written, later].map(sets.isOpen), [false, false, true])
    assert.isTrue(sets.isTooLate(waiting))
    assert.isFalse(sets.isTooLate(later))
  })
)

it.effect("a set whose time is over is counted once, although its batch gives it up later", () =>
  Effect.gen(function* () {
    const sets = yield* makeOpenSets
    const countOf = Effect.map(Metric.snapshot, (metrics) => {
      const sets = metrics.filter(({ id }) => id === "coffer_change_sets_total")
      const of = (outcome: string) => sets.find(({ attributes }) => attributes?.outcome === outcome)!
      return ["overloaded", "unknown"].map((outcome) => Number((of(outcome).state as { count: number }).count))
    })
    const before = yield* countOf
    const set = sets.open("a", [], 0)
    yield* TestClock.adjust("1 second")
    sets.fail(set, new NotCommitted({ reason: "unknown" }))
    assert.deepStrictEqual(yield* countOf, [before[0]! + 1, before[1]!])
  })
)

it.effect(
  "writing stands still from the first set that could not be written until one is; a refused one says nothing",
  () =>
    Effect.gen(function* () {
      const sets = yield* makeOpenSets
      const open = () => sets.open("a", [], 600_000)
      sets.failAll([open()], "rejected")
      yield* aMoment
      assert.strictEqual(sets.stalledMillis(), 0)
      sets.failAll([open()], "unknown")
      yield* aMoment
      const first = sets.stalledMillis()
      assert.isAbove(first, 0)
      sets.failAll([open()], "unknown")
      sets.stalls()
      yield* aMoment
      assert.isAbove(sets.stalledMillis(), first)
      sets.succeed(open())
      yield* aMoment
      assert.strictEqual(sets.stalledMillis(), 0)
      sets.stalls()
      yield* aMoment
      assert.isAbove(sets.stalledMillis(), 0)
    })
)
