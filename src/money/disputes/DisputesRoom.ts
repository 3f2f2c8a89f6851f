/** Disputes, for the wiring. */
import { Effect, Layer } from "effect"
import { jobs, slots } from "../../platform/jobs/Opening.ts"
import * as DisputeCommands from "./DisputeCommands.ts"
import * as Disputes from "./Disputes.ts"
import * as DisputeStore from "./DisputeStore.ts"
import { dueWork, Workers } from "../../platform/jobs/Workers.ts"
import { forEachLeased } from "../../platform/jobs/forEachLeased.ts"

/**
 * Disputes to look at again: an answer of the merchant's that the channel has not confirmed, a deadline that has
 * passed, a bank that has not decided yet.
 */
const checks = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const store = yield* DisputeStore.DisputeStore
    const disputes = yield* Disputes.Disputes

    yield* workers.supervise(() => ({
      name: "dispute checks",
      callsOutside: true,
      wakeup: "disputes",
      ...dueWork(store, (due) =>
        forEachLeased("dispute", due, (disputeNo) => disputeNo, disputes.check, store.noteOutcomes)
      )
    }))
  })
)

export const layer = Layer.mergeAll(jobs(checks), slots(DisputeCommands.layerSlots)).pipe(
  Layer.provideMerge(Disputes.layer),
  Layer.provideMerge(DisputeCommands.layer),
  Layer.provideMerge(DisputeStore.layer)
)
