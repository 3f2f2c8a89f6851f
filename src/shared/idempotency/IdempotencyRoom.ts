/** Idempotency keys, for the wiring. */
import { DateTime, Effect, Layer } from "effect"
import { jobs } from "../../platform/jobs/Opening.ts"
import * as IdempotencyKeys from "./IdempotencyKeys.ts"
import * as IdempotencyStore from "./IdempotencyStore.ts"
import { hourly, Workers } from "../../platform/jobs/Workers.ts"
import { Settings } from "../../platform/runtime/Settings.ts"

/** Rows removed by one statement, so that none holds locks for long. */
const batchMax = 1_000

/** Deletes keys when they have been kept as long as the settings say (silences: I3). */
const expiry = Layer.effectDiscard(
  Effect.gen(function* () {
    const { supervise } = yield* Workers
    const store = yield* IdempotencyStore.IdempotencyStore
    const { answers } = (yield* Settings).keep
    yield* supervise(() =>
      hourly("expired idempotency keys", (now) => store.dropBefore(DateTime.subtractDuration(now, answers), batchMax))
    )
  })
)

export const layer = Layer.merge(IdempotencyKeys.layer, jobs(expiry)).pipe(Layer.provideMerge(IdempotencyStore.layer))
