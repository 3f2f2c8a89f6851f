/**
 * The current time in one step of a fiber. `DateTime.now` takes three steps and `Clock.currentTimeMillis` two, and a
 * payment asks nine times (docs/performance-notes.md). The clock is the same.
 */
import { Clock, DateTime, Effect, type Fiber } from "effect"

/** The time of the fiber's clock, for code that already runs in a step of the fiber. */
export const millisOf = (fiber: Fiber.Fiber<unknown, unknown>): number =>
  fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()

export const currentMillis: Effect.Effect<number> = Effect.withFiberSucceed(millisOf)

export const currentTime: Effect.Effect<DateTime.Utc> = Effect.withFiberSucceed((fiber) =>
  DateTime.makeUnsafe(millisOf(fiber))
)
