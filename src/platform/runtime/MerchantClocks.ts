/**
 * Which sandboxes have a clock that was moved, as this runner knows it (docs/decisions/0043). It is read when the
 * service starts and when its listener connects; changes come by NOTIFY with their value (`merchants/`), and with each
 * command of another runner. Where no clock was moved this costs a look at an empty map.
 */
import { sandboxClockMax } from "@coffer/model/Limits"
import type { Account } from "@coffer/model/Account"
import { Clock, Context, Duration, Effect, Layer } from "effect"
import { MovedClock } from "./MovedClock.ts"

export class MerchantClocks extends Context.Service<
  MerchantClocks,
  {
    /** Milliseconds that the account's clock is ahead of the service's: 0 for live. */
    readonly offsetOf: (account: Account) => number
    /** A clock was moved to this offset. Clocks only go forward: a smaller one is old news. */
    readonly hear: (merchantId: string, offset: number) => void
    /** Merchants whose sandbox has a moved clock. */
    readonly moved: () => ReadonlyArray<string>
    /** Runs the effect under the clock that the account has when this is called. It may leave work that is due. */
    readonly within: <A, E, R>(account: Account, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** The same for a worker that does the due work. */
    readonly working: <A, E, R>(account: Account, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Calls back whenever something has run within a moved clock. */
    readonly onUse: (listener: (merchantId: string) => void) => Effect.Effect<void>
    /** The same for a command of another runner, that tells of the clock it was sent under ({@link clockHeader}). */
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

/** The header of a message between runners. A runner that does not know it works on real time. */
export const clockHeader = "coffer-clock"

/** The value of {@link clockHeader} for whatever the fiber does; undefined under the service's own clock. */
export const headerOf = (clock: Clock.Clock): string | undefined =>
  clock instanceof MovedClock ? `${clock.merchantId} ${clock.offset}` : undefined
