/** Idempotency keys, for the wiring. */
import { DateTime, Effect, Layer } from "effect"
import { jobs } from "../platform/jobs/Opening.ts"
import * as IdempotencyKeys from "./IdempotencyKeys.ts"
import * as IdempotencyStore from "./IdempotencyStore.ts"
import { keptDuration } from "@coffer/rules/idempotency/claim"
import { hourly, Workers } from "../platform/jobs/Workers.ts"

/** Rows removed by one statement, so that none holds locks for long. */
const batchMax = 1_000

/** Deletes keys after their 24 hours (silences: I3). */
const expiry = Layer.effectDiscard(
  Effect.gen(function* () {
    const { supervise } = yield* Workers
    const store = yield* IdempotencyStore.IdempotencyStore
    yield* supervise(() =>
      hourly("expired idempotency keys", (now) =>
        store.dropBefore(DateTime.subtractDuration(now, keptDuration), batchMax)
      )
    )
  })
)

export const layer = Layer.merge(IdempotencyKeys.layer, jobs(expiry)).pipe(Layer.provideMerge(IdempotencyStore.layer))
