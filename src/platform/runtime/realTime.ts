/**
 * Real time, for sockets, disks and other processes. They do not follow a test that moves the service's clock by a day.
 */
import { Clock, Effect, Layer } from "effect"

const clock = Clock.Clock.defaultValue()

export const onRealTime = Effect.provideService(Clock.Clock, clock)

/** Milliseconds since 1970. */
export const realMillis = () => clock.currentTimeMillisUnsafe()

export const layer = Layer.succeed(Clock.Clock, clock)

/** Milliseconds since some moment in the past, for measuring. Setting the machine's clock does not change them. */
export const elapsedMillis = (): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
