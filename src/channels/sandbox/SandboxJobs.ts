/** Finishes the seeding of a new sandbox that failed or was interrupted (silences: R2). */
import { Effect, Layer } from "effect"
import { currentTime } from "../../platform/runtime/clock.ts"
import { MerchantClocks } from "../../platform/runtime/MerchantClocks.ts"
import { leasedMax, forEachLeased } from "../../platform/jobs/forEachLeased.ts"
import { Workers } from "../../platform/jobs/Workers.ts"
import { Seeds } from "./Seeds.ts"
import { SeedStore } from "./SeedStore.ts"

/** Less than the lease of a seed. */
const seedingMax = "50 seconds"

const finishSeeds = Effect.gen(function* () {
  const workers = yield* Workers
  const store = yield* SeedStore
  const seeds = yield* Seeds
  const clocks = yield* MerchantClocks

  yield* workers.supervise(() => ({
    name: "seeding",
    wakeup: "sandbox_seeds",
    run: Effect.gen(function* () {
      const due = yield* store.leaseDue(yield* currentTime, leasedMax)
      return yield* forEachLeased(
        "the sandbox of merchant",
        due,
        (merchantId) => merchantId,
        (merchantId) => clocks.within({ merchantId, mode: "sandbox" }, seeds.finish(merchantId)),
        undefined,
        seedingMax
      )
    }),
    next: store.nextDue,
    backlog: store.backlog
  }))
})

export const layer = Layer.effectDiscard(finishSeeds)
