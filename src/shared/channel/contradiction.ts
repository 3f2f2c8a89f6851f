/** A report of the channel that contradicts an earlier one: it changes nothing, and a person has to look. */
import { Mode } from "@coffer/model/Ids"
import { Effect, Metric } from "effect"

const contradictions = Metric.counter("coffer_channel_contradictions_total", {
  description: "Reports of the channel that contradict an earlier one; a person has to look",
  incremental: true
})

const inMode = (mode: Mode) => Metric.withAttributes(contradictions, { mode })

/** Makes the alarm, and shows its counter with zero from the start. */
export const makeAlarmOfContradiction = Effect.as(
  Effect.forEach(Mode.literals, (mode) => Metric.update(inMode(mode), 0), { discard: true }),
  (mode: Mode, about: Readonly<Record<string, string>>): Effect.Effect<void> =>
    Effect.logError("the channel contradicts itself").pipe(
      Effect.annotateLogs({ mode, ...about }),
      Effect.andThen(Metric.update(inMode(mode), 1))
    )
)
