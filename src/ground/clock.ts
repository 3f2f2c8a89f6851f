/**
 * What time it is, in one step of a fiber. `DateTime.now` takes three and `Clock.currentTimeMillis` two, and a payment
 * asks nine times (docs/performance.md). For what requests pass through; the clock is the same.
 */
import { Clock, DateTime, Effect } from "effect"

export const currentMillis: Effect.Effect<number> = Effect.withFiberSucceed((fiber) =>
  fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()
)

export const currentTime: Effect.Effect<DateTime.Utc> = Effect.withFiberSucceed((fiber) =>
  DateTime.makeUnsafe(fiber.getRef(Clock.Clock).currentTimeMillisUnsafe())
)
