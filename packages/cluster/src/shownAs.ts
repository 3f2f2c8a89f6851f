/** Gauges that are evaluated when metrics are read, without further work. Counters for plain code. */
import { type Context, Effect, Metric } from "effect"

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

/** Shows a counter from now on, also while it is zero. The result adds one to it. */
export const countedAs = (
  counter: Metric.Metric<number, Metric.CounterState<number>>,
  context: Context.Context<never>
): (() => void) => {
  counter.updateUnsafe(0, context)
  return () => counter.updateUnsafe(1, context)
}
