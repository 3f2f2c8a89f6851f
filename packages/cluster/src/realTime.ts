/**
 * Real time, for sockets and for locks in Postgres. Other processes do not follow a test that moves the application's
 * clock by a day.
 */
import { Clock, Effect, Layer } from "effect"

const clock = Clock.Clock.defaultValue()

export const onRealTime = Effect.provideService(Clock.Clock, clock)

export const layer = Layer.succeed(Clock.Clock, clock)

/** Milliseconds since some moment in the past, for measuring. Setting the machine's clock does not change them. */
export const elapsedMillis = (): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
