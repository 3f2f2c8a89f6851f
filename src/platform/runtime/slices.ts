/**
 * Work on items that may be large, such as a page of orders with a hundred kilobytes each, in slices: after some
 * milliseconds the event loop serves others first. Items of usual size are one slice without a pause.
 */
import { Context, Effect } from "effect"
import { elapsedMillis } from "./realTime.ts"

/** A slice ends after the step during which this time runs out. A page of a hundred usual objects takes less. */
export const sliceMillis = 5
/** Items per step. Items of usual size take longer if they are handled one by one. */
export const stepItems = 8

/** The clock that measures slices. A reference, so that a test can say how long a step takes. */
export const SliceClock = Context.Reference<() => number>("@coffer/platform/SliceClock", {
  defaultValue: () => elapsedMillis
})

/** The results of `work` for the items of each step, in their order. */
export const inSlices = <A, B>(
  items: ReadonlyArray<A>,
  work: (some: ReadonlyArray<A>) => B,
  step = stepItems
): Effect.Effect<ReadonlyArray<B>> =>
  Effect.flatMap(SliceClock, (millis) => {
    const done: Array<B> = []
    let from = 0
    const slice = (): Effect.Effect<ReadonlyArray<B>> => {
      const end = millis() + sliceMillis
      while (from < items.length) {
        done.push(work(items.slice(from, (from += step))))
        if (from < items.length && millis() >= end) return Effect.flatMap(Effect.yieldNow, slice)
      }
      return Effect.succeed(done)
    }
    return slice()
  })
