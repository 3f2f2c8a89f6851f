/**
 * Limits an effect in real time. `Effect.timeout` does not fit here for two reasons. It waits until the interrupted
 * effect has ended, but a statement on a dead connection never ends. And it follows a test's clock, which sockets do
 * not.
 */
import { Effect, type Exit, Fiber } from "effect"
import { CurrentDeadline, realTime, type Time } from "./Deadline.ts"

/** After `millis` the caller fails with `late` at once. The effect is interrupted, and ends when it can. */
export const bounded = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  millis: number,
  late: () => E
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => boundedBy(effect, { left: once(millis), orElse: () => Effect.fail(late()), time: realTime }))

/**
 * Runs `effect`, and `orElse` instead when the request's time is over. `grace`: milliseconds that this waits beyond
 * other checks of the same deadline, also after a pause of this process.
 */
export const inTime = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  orElse: () => Effect.Effect<A, E, R>,
  grace = 0
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const deadline = fiber.getRef(CurrentDeadline)
    if (!Number.isFinite(deadline.left())) return effect
    const more = once(grace)
    const left = () => {
      const millis = deadline.left()
      return millis > 0 ? millis : more()
    }
    return boundedBy(effect, { left, orElse, time: deadline.time })
  })

interface Bound<A, E, R> {
  /** Milliseconds. Asked again when they are over: there may be more. */
  readonly left: () => number
  readonly orElse: () => Effect.Effect<A, E, R>
  readonly time: Time
}

const once = (millis: number) => {
  let left = millis
  return () => {
    const first = left
    left = 0
    return first
  }
}

const boundedBy = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  { left, orElse, time }: Bound<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.withFiber<A, E, R>((parent) =>
    Effect.callback<A, E, R>((resume) => {
      const fiber = Effect.runForkWith(parent.context)(effect as Effect.Effect<A, E>)
      const done: Exit.Exit<A, E> | undefined = fiber.pollUnsafe()
      if (done !== undefined) return resume(done)
      let running = true
      const giveUp = () => {
        if (!running) return
        const more = left()
        if (more > 0) return arm(more)
        running = false
        resume(orElse())
        fiber.interruptUnsafe()
      }
      // After a long pause of this process, an answer that has arrived in the socket comes first.
      const arm = (millis: number) => {
        disarm = time.after(millis, () => setImmediate(() => setImmediate(giveUp)))
      }
      let disarm = () => {}
      arm(left())
      fiber.addObserver((exit) => {
        disarm()
        if (running) resume(exit)
        running = false
      })
      return Effect.suspend(() => Fiber.interrupt(fiber))
    })
  )
