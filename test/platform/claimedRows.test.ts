/** A claimed row is worked on at once: its lease does not run while it waits for others. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Queue } from "effect"
import { dueWork } from "../../src/platform/jobs/dueWork.ts"
import { forEachLeased } from "../../src/platform/jobs/forEachLeased.ts"

it.effect("a worker claims no more rows than it works on at once", () =>
  Effect.gen(function* () {
    const begun = yield* Queue.unbounded<string>()
    const end = yield* Deferred.make<void>()
    let claimed = 0
    const { run } = dueWork(
      {
        claimDue: (_, limit) =>
          Effect.sync(() => {
            claimed = limit
            return Array.from({ length: limit }, (_, row) => `row ${row}`)
          }),
        nextDueOf: () => Effect.succeed([])
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
    assert.strictEqual(1 + (yield* Queue.size(begun)), claimed)
    yield* Deferred.succeed(end, undefined)
    assert.strictEqual(yield* Fiber.join(running), claimed)
  })
)
