/** Sandboxes whose seeding failed or was cut off: it is taken up again (silences: R2). */
import { DateTime, Effect, Layer } from "effect"
import { Seeds } from "./Seeds.ts"
import { SeedStore } from "./SeedStore.ts"
import { claimedMax, forEachLeased } from "../platform/jobs/forEachLeased.ts"
import { Workers } from "../platform/jobs/Workers.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const store = yield* SeedStore
    const seeds = yield* Seeds

    yield* workers.supervise(() => ({
      name: "seeding",
      signal: "sandbox_seeds",
      run: Effect.gen(function* () {
        const due = yield* store.claimDue(yield* DateTime.now, claimedMax)
        return yield* forEachLeased("the sandbox of merchant", due, (merchantId) => merchantId, seeds.finish)
      }),
      next: store.nextDue
    }))
  })
)
