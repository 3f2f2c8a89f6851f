/**
 * Real time, for what is about sockets, disks and other processes: they know nothing of a test that moves the service's
 * clock by a day.
 */
import { Clock, Effect, Layer } from "effect"

const clock = Clock.Clock.defaultValue()

export const onRealTime = Effect.provideService(Clock.Clock, clock)

/** Milliseconds, for measuring how long something takes. */
export const realMillis = () => clock.currentTimeMillisUnsafe()

export const layer = Layer.succeed(Clock.Clock, clock)

/** Milliseconds since some moment in the past. They measure a span even where somebody sets the machine's clock. */
export const elapsedMillis = (): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
