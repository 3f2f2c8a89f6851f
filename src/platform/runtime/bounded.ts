/**
 * Limits an effect in real time. `Effect.timeout` does not fit here for two reasons. It waits until the interrupted
 * effect has ended, but a statement on a dead connection never ends. And it follows a test's clock, which sockets do
 * not.
 */
import { Effect, type Exit, Fiber } from "effect"

/** After `millis` the caller fails with `late` at once. The effect is interrupted, and ends when it can. */
export const bounded = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  millis: number,
  late: () => E
): Effect.Effect<A, E, R> =>
  Effect.withFiber<A, E, R>((parent) =>
    Effect.callback<A, E, R>((resume) => {
      const fiber = Effect.runForkWith(parent.context)(effect as Effect.Effect<A, E>)
      const done: Exit.Exit<A, E> | undefined = fiber.pollUnsafe()
      if (done !== undefined) return resume(done)
      let running = true
      const giveUp = () => {
        if (!running) return
        running = false
        resume(Effect.fail(late()))
        fiber.interruptUnsafe()
      }
      // After a long pause of this process, an answer that has arrived in the socket comes first.
      const timer = setTimeout(() => setImmediate(() => setImmediate(giveUp)), millis)
      fiber.addObserver((exit) => {
        clearTimeout(timer)
        if (running) resume(exit)
        running = false
      })
      return Effect.suspend(() => Fiber.interrupt(fiber))
    })
  )
