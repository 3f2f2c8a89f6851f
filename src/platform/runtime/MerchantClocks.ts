/**
 * The clock of one merchant's sandbox, which runs ahead of the service's own (docs/decisions/0005), and which merchants
 * have one. Code that runs under this clock takes its dates from it. Sleeps are not shortened: timers, sockets and
 * leases keep real time.
 */
import { Clock, Context, DateTime, Duration, Effect, type Fiber, Layer } from "effect"
import { sandboxClockMax } from "@coffer/model/Limits"
import type { Account } from "@coffer/model/Account"

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
  /** For spans and the collector: operators see one time for all merchants. */
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

/** For quotas, leases and everything else that a merchant must not move. */
export const unmovedMillisOf = (fiber: Fiber.Fiber<unknown, unknown>): number =>
  unmoved(fiber.getRef(Clock.Clock)).currentTimeMillisUnsafe()

export const unmovedMillis: Effect.Effect<number> = Effect.withFiberSucceed(unmovedMillisOf)

export const unmovedTime: Effect.Effect<DateTime.Utc> = Effect.withFiberSucceed((fiber) =>
  DateTime.makeUnsafe(unmovedMillisOf(fiber))
)

// The merchants that have one ----------------------------------------------------
// As this runner knows them. They are read when the service starts and when its listener connects; changes come by
// NOTIFY with their value (`merchants/`), and with each command of another runner. Without moved clocks this costs a
// lookup in an empty map.

export class MerchantClocks extends Context.Service<
  MerchantClocks,
  {
    /** Milliseconds that the account's clock is ahead of the service's: 0 for live. */
    readonly offsetOf: (account: Account) => number
    /** A clock was moved to this offset. Clocks only go forward: a smaller offset is outdated. */
    readonly hear: (merchantId: string, offset: number) => void
    /** Merchants whose sandbox has a moved clock. */
    readonly moved: () => ReadonlyArray<string>
    /** Runs the effect under the account's current clock. It may leave due work. */
    readonly within: <A, E, R>(account: Account, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** The same for a worker that does the due work. */
    readonly working: <A, E, R>(account: Account, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Calls back whenever something has run within a moved clock. */
    readonly onUse: (listener: (merchantId: string) => void) => Effect.Effect<void>
    /** The same for a command of another runner, which names the clock it was sent under ({@link clockHeader}). */
    readonly withinHeader: <A, E, R>(
      header: string | undefined,
      effect: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E, R>
  }
>()("@coffer/platform/MerchantClocks") {}

const offsetMax = Duration.toMillis(sandboxClockMax)

export const layer = Layer.effect(
  MerchantClocks,
  Effect.gen(function* () {
    const base = yield* Clock.Clock
    const clocks = new Map<string, MovedClock>()

    const hear = (merchantId: string, offset: number) => {
      if (!Number.isSafeInteger(offset) || offset <= 0 || offset > offsetMax) return
      let clock = clocks.get(merchantId)
      if (clock === undefined) clocks.set(merchantId, (clock = new MovedClock(merchantId, base)))
      clock.offset = Math.max(clock.offset, offset)
    }
    const clockOf = ({ merchantId, mode }: Account) =>
      clocks.size === 0 || mode !== "sandbox" ? undefined : clocks.get(merchantId)
    const listeners = new Set<(merchantId: string) => void>()
    const working = <A, E, R>(clock: MovedClock | undefined, effect: Effect.Effect<A, E, R>) =>
      clock === undefined ? effect : Effect.provideService(effect, Clock.Clock, clock)
    const within = <A, E, R>(clock: MovedClock | undefined, effect: Effect.Effect<A, E, R>) =>
      clock === undefined
        ? effect
        : Effect.onExit(working(clock, effect), () =>
            Effect.sync(() => listeners.forEach((listener) => listener(clock.merchantId)))
          )

    return MerchantClocks.of({
      offsetOf: (account) => clockOf(account)?.offset ?? 0,
      hear,
      moved: () => [...clocks.keys()],
      within: (account, effect) => within(clockOf(account), effect),
      working: (account, effect) => working(clockOf(account), effect),
      onUse: (listener) => Effect.sync(() => void listeners.add(listener)),
      withinHeader: (header, effect) => {
        if (header === undefined) return effect
        const [merchantId = "", offset] = header.split(" ")
        hear(merchantId, Number(offset))
        return within(clocks.get(merchantId), effect)
      }
    })
  })
)

/** The header of a message between runners. A runner without it works on real time. */
export const clockHeader = "coffer-clock"

/** The value of {@link clockHeader} for the fiber's clock; undefined for the service's own clock. */
export const headerOf = (clock: Clock.Clock): string | undefined =>
  clock instanceof MovedClock ? `${clock.merchantId} ${clock.offset}` : undefined
