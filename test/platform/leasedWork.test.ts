/** A leased row is worked on at once, and no longer than its lease. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Queue } from "effect"
import { TestClock } from "effect/testing"
import { dueWork } from "../../src/platform/jobs/Workers.ts"
import { workMax } from "../../src/platform/postgres/leasedRows.ts"
import { forEachLeased } from "../../src/platform/jobs/forEachLeased.ts"

it.effect("a worker leases no more rows than it works on at once", () =>
  Effect.gen(function* () {
    const begun = yield* Queue.unbounded<string>()
    const end = yield* Deferred.make<void>()
    let leased = 0
    const { run } = dueWork(
      {
        leaseDue: (_, limit) =>
          Effect.sync(() => {
            leased = limit
            return Array.from({ length: limit }, (_, row) => `row ${row}`)
          }),
        nextDue: Effect.succeedNone,
        nextDueOf: () => Effect.succeed([]),
        backlog: () => Effect.succeed({ count: 0, oldest: null })
      },
      (rows) =>
        forEachLeased(
          "row",
          rows,
          (row) => row,
          (row) => Effect.andThen(Queue.offer(begun, row), Deferred.await(end))
        )
    )
    const running = yield* Effect.forkChild(run)
    yield* Queue.take(begun)
    yield* Effect.yieldNow
    assert.strictEqual(1 + (yield* Queue.size(begun)), leased)
    yield* Deferred.succeed(end, undefined)
    assert.strictEqual(yield* Fiber.join(running), leased)
  })
)

it.effect("work that takes too long is broken off before the lease of its row ends, and holds up no other row", () =>
  Effect.gen(function* () {
    let isOver = false
    const endless = Effect.onInterrupt(Effect.never, () => Effect.sync(() => (isOver = true)))
    const told = new Map<string, string | null>()
    const running = yield* Effect.forkChild(
      forEachLeased(
        "row",
        ["endless", "short"],
        (row) => row,
        (row) => (row === "short" ? Effect.void : endless),
        (outcomes) => Effect.sync(() => outcomes.forEach((why, row) => told.set(row, why)))
      )
    )
    yield* TestClock.adjust(workMax)
    assert.strictEqual(yield* Fiber.join(running), 2)
    assert.isTrue(isOver)
    assert.deepStrictEqual(
      [...told],
      [
        ["endless", `TookTooLong, more than ${workMax}`],
        ["short", null]
      ]
    )
  })
)
