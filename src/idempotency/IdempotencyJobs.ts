/** Deletes idempotency keys after their 24 hours (silences: I3). */
import { keptDuration } from "@coffer/rules/idempotency/claim"
import { DateTime, Effect, Layer } from "effect"
import { hourly } from "../platform/jobs/dueWork.ts"
import { Workers } from "../platform/jobs/Workers.ts"
import { IdempotencyStore } from "./IdempotencyStore.ts"

/** Rows removed by one statement, so that none holds locks for long. */
const batchMax = 1_000

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { supervise } = yield* Workers
    const store = yield* IdempotencyStore
    yield* supervise(() =>
      hourly("expired idempotency keys", (now) =>
        store.dropBefore(DateTime.subtractDuration(now, keptDuration), batchMax)
      )
    )
  })
)
