/** Refunds that the channel has not settled, or whose driver died: it is asked about them (silences: R8). */
import { DateTime, Effect, Layer } from "effect"
import { Refunds } from "../refunds/Refunds.ts"
import { RefundStore } from "../refunds/RefundStore.ts"
import { Workers } from "./Workers.ts"

/** Rows claimed at once, and how many of them are worked on at a time. */
const batchMax = 100
const concurrency = 8

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const store = yield* RefundStore
    const refunds = yield* Refunds

    yield* workers.supervise(() => ({
      name: "refunds",
      signal: "refunds",
      run: Effect.gen(function* () {
        const due = yield* store.claimDue(yield* DateTime.now, batchMax)
        // One that fails was claimed until its next check; the others are not held up.
        const check = (refundNo: (typeof due)[number]) =>
          refunds.check(refundNo).pipe(
            Effect.catchCause((cause) => Effect.logWarning("will be asked about again", cause)),
            Effect.annotateLogs({ refund_no: refundNo })
          )
        yield* Effect.forEach(due, check, { concurrency, discard: true })
        return due.length
      }),
      next: store.nextDue
    }))
  })
)
