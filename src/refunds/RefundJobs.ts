/** Refunds that the channel has not settled, or whose driver died: it is asked about them (silences: R8). */
import { Effect, Layer } from "effect"
import { Refunds } from "./Refunds.ts"
import { RefundStore } from "./RefundStore.ts"
import { dueWork } from "../platform/jobs/dueWork.ts"
import { forEachLeased } from "../platform/jobs/forEachLeased.ts"
import { Workers } from "../platform/jobs/Workers.ts"

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const store = yield* RefundStore
    const refunds = yield* Refunds

    yield* workers.supervise(() => ({
      name: "refunds",
      callsOutside: true,
      wakeup: "refunds",
      ...dueWork(store, (due) =>
        forEachLeased("refund", due, (refundNo) => refundNo, refunds.check, store.noteOutcomes)
      ),
      next: store.nextDue,
      backlog: store.backlog
    }))
  })
)
