/** Sandboxes whose seeding failed or was cut off: it is taken up again (silences: R2). */
import { DateTime, Effect, Layer } from "effect"
import { Seeds } from "../merchants/Seeds.ts"
import { SeedStore } from "../merchants/SeedStore.ts"
import { claimedMax, each } from "./each.ts"
import { Workers } from "./Workers.ts"

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
        return yield* each("the sandbox of merchant", due, (merchantId) => merchantId, seeds.finish)
      }),
      next: store.nextDue
    }))
  })
)
