/** What a lane of the Transactor has waiting, how many change sets it writes together, and how long that takes. */
import { Effect, Metric } from "effect"
import { shownAs } from "../runtime/Vitals.ts"
import { elapsedMillis } from "../runtime/realTime.ts"

const waiting = Metric.gauge("coffer_lane_waiting", { description: "Change sets that wait for their lane, by lane" })
const sizes = Metric.histogram("coffer_batch_size", {
  description: "Change sets that a lane took together, by lane",
  boundaries: [1, 2, 4, 8, 16, 32, 64, 128, 256]
})
const durations = Metric.histogram("coffer_batch_duration_seconds", {
  description: "Time from taking a batch until all in it were answered or had gone aside, seconds, by lane",
  boundaries: [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
})

/** Answers what measures one round of the lane. */
export const makeLaneMetrics = Effect.fnUntraced(function* (number: number, size: () => number) {
  const lane = String(number)
  const context = yield* Effect.context()
  const [ofSize, ofDuration] = [Metric.withAttributes(sizes, { lane }), Metric.withAttributes(durations, { lane })]
  yield* shownAs(Metric.withAttributes(waiting, { lane }), size)
  for (const histogram of [ofSize, ofDuration]) yield* Metric.value(histogram)

  return <A, E, R>(taken: number, round: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      const began = elapsedMillis()
      ofSize.updateUnsafe(taken, context)
      return Effect.ensuring(
        round,
        Effect.sync(() => ofDuration.updateUnsafe((elapsedMillis() - began) / 1_000, context))
      )
    })
})
