/**
 * Limits effects, and what is done in callbacks, to one length of time on Effect's clock. `Effect.timeoutOrElse` starts
 * two fibers and a timer for each effect. This starts one fiber for an effect and none for a callback, and keeps one
 * timer for all of them, since they end in the order in which they began.
 */
import { Clock, Duration, Effect, Fiber, FiberHandle } from "effect"

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

  return {
    after,
    /** After the limit the caller goes on with `late` at once. The effect is interrupted, and ends when it can. */
    heed: <A, E, R>(effect: Effect.Effect<A, E, R>, late: () => A): Effect.Effect<A, E, R> =>
      Effect.withFiber<A, E, R>((parent) =>
        Effect.callback<A, E, R>((resume) => {
          const fiber = Effect.runForkWith(parent.context)(effect as Effect.Effect<A, E>)
          const done = fiber.pollUnsafe()
          if (done !== undefined) return resume(done)
          const inTime = after(() => {
            resume(Effect.succeed(late()))
            fiber.interruptUnsafe()
          })
          fiber.addObserver((exit) => {
            if (inTime()) resume(exit)
          })
          return Effect.suspend(() => {
            inTime()
            return Fiber.interrupt(fiber)
          })
        })
      )
  }
})
