/**
 * Disputes of which nothing was heard for long enough: an answer of the merchant's that the channel has not confirmed,
 * a deadline that has passed, a bank that takes its time.
 */
import { Effect, Layer } from "effect"
import { Disputes } from "./Disputes.ts"
import { DisputeStore } from "./DisputeStore.ts"
import { dueWork } from "../platform/jobs/dueWork.ts"
import { forEachLeased } from "../platform/jobs/forEachLeased.ts"
import { Workers } from "../platform/jobs/Workers.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const store = yield* DisputeStore
    const disputes = yield* Disputes

    yield* workers.supervise(() => ({
      name: "dispute checks",
      callsOutside: true,
      wakeup: "disputes",
      ...dueWork(store, (due) =>
        forEachLeased("dispute", due, (disputeNo) => disputeNo, disputes.check, store.noteOutcomes)
      ),
      next: store.nextDue,
      backlog: store.backlog
    }))
  })
)
