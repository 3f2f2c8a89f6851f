/**
 * Limits what is done in callbacks to one length of time on Effect's clock. `Effect.timeoutOrElse` starts two fibers
 * and a timer for each effect. This keeps one timer for all, since they end in the order in which they began.
 */
import { Clock, Duration, Effect, FiberHandle } from "effect"

interface Entry {
  /** Milliseconds of the clock. */
  readonly at: number
  readonly fire: () => void
}

export const makeDeadlines = Effect.fnUntraced(function* (limit: Duration.Input) {
  const clock = yield* Clock.Clock
  const run = yield* FiberHandle.makeRuntime<never>()
  const millis = Duration.toMillis(Duration.fromInputUnsafe(limit))
  const entries = new Set<Entry>()

  const watch = Effect.gen(function* () {
    for (let [first] = entries; first !== undefined; [first] = entries) {
      const left = first.at - clock.currentTimeMillisUnsafe()
      if (left <= 0) first.fire()
      else yield* clock.sleep(Duration.millis(left))
    }
  })

  /** Calls `late` when the limit is over, unless what it returns is called before. */
  const after = (late: () => void): (() => boolean) => {
    const entry: Entry = {
      at: clock.currentTimeMillisUnsafe() + millis,
      fire: () => {
        entries.delete(entry)
        late()
      }
    }
    entries.add(entry)
    run(watch, { onlyIfMissing: true })
    return () => entries.delete(entry)
  }

  return { after }
})
