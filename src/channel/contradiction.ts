/** The channel says what cannot follow what it said before: nothing is changed by it, and a person has to look. */
import { Effect, Metric } from "effect"

const contradictions = Metric.counter("coffer_channel_contradictions", {
  description: "Reports of the channel that cannot follow what it said before; somebody has to look",
  incremental: true
})

/** Makes the alarm, and shows its counter with zero from the start. */
export const makeAlarmOfContradiction = Effect.as(
  Metric.update(contradictions, 0),
  (about: Readonly<Record<string, string>>): Effect.Effect<void> =>
    Effect.logError("the channel contradicts itself").pipe(
      Effect.annotateLogs(about),
      Effect.andThen(Metric.update(contradictions, 1))
    )
)
