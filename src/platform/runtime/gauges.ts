/** Gauges that are read when somebody looks at the metrics, so that nothing has to keep them up to date. */
import { Effect, Metric } from "effect"

type Gauge = Metric.Metric<number, Metric.GaugeState<number>>

/** Shows what `read` answers, for as long as the scope is open. */
export const shownAs = Effect.fnUntraced(function* (gauge: Gauge, read: () => number) {
  const context = yield* Effect.context()
  const ignore = () => undefined
  const { remove } = Metric.registerUnsafe(gauge, context, {
    get: () => ({ value: read() }),
    update: ignore,
    modify: ignore
  })
  yield* Effect.addFinalizer(() => Effect.sync(remove))
})
