/** Refunds, for the wiring. */
import { Effect, Layer } from "effect"
import { jobs } from "../../platform/jobs/Opening.ts"
import * as RefundCommands from "./RefundCommands.ts"
import * as Refunds from "./Refunds.ts"
import { dueWork, Workers } from "../../platform/jobs/Workers.ts"
import { forEachLeased } from "../../platform/jobs/forEachLeased.ts"

/** Refunds that the channel has not settled, or whose driver died: it is asked about them (silences: R8). */
const checks = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const store = yield* RefundCommands.RefundStore
    const refunds = yield* Refunds.Refunds

    yield* workers.supervise(() => ({
      name: "refunds",
      callsOutside: true,
      wakeup: "refunds",
      ...dueWork(store, (due) =>
        forEachLeased("refund", due, (refundNo) => refundNo, refunds.check, store.noteOutcomes)
      )
    }))
  })
)

export const layer = jobs(checks).pipe(
  Layer.provideMerge(Refunds.layer),
  Layer.provideMerge(RefundCommands.layer),
  Layer.provideMerge(RefundCommands.layerStore)
)
