/**
 * The clock of one merchant's sandbox, which runs ahead of the service's own (docs/decisions/0043). Code that runs
 * under this clock takes its dates from it. Sleeps are not shortened: timers, sockets and leases keep real time.
 */
import { Clock, DateTime, type Duration, Effect, type Fiber } from "effect"

export class MovedClock implements Clock.Clock {
  /** Milliseconds ahead of `base`. It only grows. */
  offset = 0
  readonly merchantId: string
  readonly base: Clock.Clock

  constructor(merchantId: string, base: Clock.Clock) {
    this.merchantId = merchantId
    this.base = base
  }
  currentTimeMillisUnsafe() {
    return this.base.currentTimeMillisUnsafe() + this.offset
  }
  readonly currentTimeMillis = Effect.sync(() => this.currentTimeMillisUnsafe())
  /** For spans and the collector: the operator has one time for all merchants. */
  currentTimeNanosUnsafe() {
    return this.base.currentTimeNanosUnsafe()
  }
  readonly currentTimeNanos = Effect.sync(() => this.currentTimeNanosUnsafe())
  monotonicTimeNanosUnsafe() {
    return this.base.monotonicTimeNanosUnsafe()
  }
  readonly monotonicTimeNanos = Effect.sync(() => this.monotonicTimeNanosUnsafe())
  sleep(duration: Duration.Duration) {
    return this.base.sleep(duration)
  }
}

/** The service's own clock, also for a fiber that runs under the clock of a sandbox. */
const unmoved = (clock: Clock.Clock): Clock.Clock => (clock instanceof MovedClock ? clock.base : clock)

/** For the operator's rows, whose times do not follow the clock of a sandbox. */
export const onUnmovedClock = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => Effect.provideService(effect, Clock.Clock, unmoved(fiber.getRef(Clock.Clock))))

/** For quotas, leases and whatever else no merchant may move. */
export const unmovedMillisOf = (fiber: Fiber.Fiber<unknown, unknown>): number =>
  unmoved(fiber.getRef(Clock.Clock)).currentTimeMillisUnsafe()

export const unmovedMillis: Effect.Effect<number> = Effect.withFiberSucceed(unmovedMillisOf)

export const unmovedTime: Effect.Effect<DateTime.Utc> = Effect.withFiberSucceed((fiber) =>
  DateTime.makeUnsafe(unmovedMillisOf(fiber))
)
