/**
 * What time it is, in one step of a fiber. `DateTime.now` takes three and `Clock.currentTimeMillis` two, and a payment
 * asks nine times (docs/performance-notes.md). For what requests pass through; the clock is the same.
 */
import { Clock, DateTime, Effect, type Fiber } from "effect"

/** What the fiber's clock shows, for who has a step of its own. */
export const millisOf = (fiber: Fiber.Fiber<unknown, unknown>): number =>
  fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()

export const currentMillis: Effect.Effect<number> = Effect.withFiberSucceed(millisOf)

export const currentTime: Effect.Effect<DateTime.Utc> = Effect.withFiberSucceed((fiber) =>
  DateTime.makeUnsafe(millisOf(fiber))
)
