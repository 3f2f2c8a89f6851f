/** How long what a test does holds the event loop. It is printed, and never asserted. */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { Effect } from "effect"

/** Longest gap between two turns of the event loop while it runs, client's part included; and its answer. */
export const loopDelay = <A>(effect: Effect.Effect<A>) =>
  Effect.gen(function* () {
    const delays = monitorEventLoopDelay({ resolution: 1 })
    delays.enable()
    const answer = yield* effect
    delays.disable()
    return { answer, millis: delays.max / 1e6 }
  })

/** The least of three measurements, since other processes may have used the machine meanwhile. */
export const leastLoopDelay = <A>(sending: Effect.Effect<{ readonly answer: A; readonly millis: number }>) =>
  Effect.map(Effect.replicateEffect(sending, 3), (tries) => ({
    answers: tries.map(({ answer }) => answer),
    millis: Math.min(...tries.map(({ millis }) => millis))
  }))
