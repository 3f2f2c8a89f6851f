/** Gauges that are read when the metrics are, so that no work keeps them up to date. */
import { Effect, Metric } from "effect"

/** Shows what `read` answers, for as long as the scope is open. */
export const shownAs = Effect.fnUntraced(function* (
  gauge: Metric.Metric<number, Metric.GaugeState<number>>,
  read: () => number
) {
  const context = yield* Effect.context()
  const ignore = () => undefined
  const { remove } = Metric.registerUnsafe(gauge, context, {
    get: () => ({ value: read() }),
    update: ignore,
    modify: ignore
  })
  yield* Effect.addFinalizer(() => Effect.sync(remove))
})
