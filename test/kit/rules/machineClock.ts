/** The machine's clock, which goes by real time, as a test moves it. */
import { Clock, Context, Duration, Effect, Layer } from "effect"
import { vi } from "vitest"
import * as RealTime from "../../../src/platform/runtime/realTime.ts"

/** `millis`: the time that has gone by. A sleep ends at once; `sleeps` were asked for, in milliseconds. */
export const machineClock = Effect.gen(function* () {
  const clock = Context.get(yield* Layer.build(RealTime.layer), Clock.Clock)
  const state = { millis: 0, sleeps: new Array<number>() }
  yield* Effect.acquireRelease(
    Effect.sync(() => [
      vi.spyOn(clock, "monotonicTimeNanosUnsafe").mockImplementation(() => BigInt(state.millis) * 1_000_000n),
      vi.spyOn(clock, "sleep").mockImplementation((span) => {
        if (Duration.toMillis(span) > 0) state.sleeps.push(Duration.toMillis(span))
        return Effect.yieldNow
      })
    ]),
    (spies) => Effect.sync(() => spies.forEach((spy) => spy.mockRestore()))
  )
  return state
})
