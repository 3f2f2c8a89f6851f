/** Deletes idempotency keys after their 24 hours (silences: I3). */
import { keptDuration } from "@coffer/rules/idempotency/claim"
import { DateTime, Effect, Layer, Option } from "effect"
import { currentTime } from "../platform/runtime/clock.ts"
import { IdempotencyStore } from "./IdempotencyStore.ts"
import { Workers } from "../platform/jobs/Workers.ts"

/** Rows removed by one statement, so that none holds locks for long. */
const batchMax = 1_000
const every = "1 hour"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const store = yield* IdempotencyStore
    yield* workers.supervise(() => ({
      name: "expired idempotency keys",
      tidies: true,
      run: Effect.flatMap(currentTime, (now) =>
        store.dropBefore(DateTime.subtractDuration(now, keptDuration), batchMax)
      ),
      next: Effect.map(currentTime, (now) => Option.some(DateTime.addDuration(now, every)))
    }))
  })
)
