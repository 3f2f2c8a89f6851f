/**
 * New ids: a prefix and 26 characters of time and randomness. Within this process each id of one clock is greater than
 * the one before, even if many are made in one millisecond or the clock is set back. The ids of a sandbox whose clock
 * was moved must not push those of others ahead: lists seek times by ids.
 */
import { randomFillSync } from "node:crypto"
import { idBody, idBodyAfter } from "@coffer/model/Ids"
import { Clock, Context, DateTime, Effect, Layer } from "effect"
import { millisOf } from "./clock.ts"

export class NewIds extends Context.Service<
  NewIds,
  {
    /** The 26 characters without a prefix. */
    readonly body: Effect.Effect<string>
    readonly next: (prefix: string) => Effect.Effect<string>
    /** The same in a synchronous block, for a caller that has the time and the clock that it was read from. */
    readonly at: (prefix: string, now: DateTime.Utc, clock: Clock.Clock) => string
  }
>()("@coffer/platform/NewIds") {}

/** Random bytes drawn at a time. Drawing a few costs as much as drawing all of them. */
const drawn = 16 * 256

export const layer = Layer.sync(NewIds, () => {
  const pool = new Uint8Array(drawn)
  let used = drawn
  /** The last id of each clock; nearly always of the same one. */
  const lasts = new WeakMap<Clock.Clock, { body: string }>()
  let recent: Clock.Clock | undefined
  let last = { body: "" }
  const lastOf = (clock: Clock.Clock) => {
    if (clock === recent) return last
    recent = clock
    const known = lasts.get(clock)
    last = known ?? { body: "" }
    if (known === undefined) lasts.set(clock, last)
    return last
  }

  /** The last digit 0 reserves 31 ids for ledger rows, which a wallet numbers by counting up. */
  const randomDigits = () => {
    if (used === drawn) {
      randomFillSync(pool)
      used = 0
    }
    const digits = pool.subarray(used, (used += 16))
    digits[15] = 0
    return digits
  }

  const bodyAt = (millis: number, clock: Clock.Clock) => {
    const fresh = idBody(millis, randomDigits())
    const last = lastOf(clock)
    // In the same millisecond, or an earlier one, the last id is counted up instead.
    const isLater = fresh.slice(0, 10) > last.body.slice(0, 10)
    last.body = isLater ? fresh : `${idBodyAfter(last.body.slice(0, -1))}0`
    return last.body
  }
  // One step of the fiber, because a payment needs five ids.
  const next = (prefix: string) =>
    Effect.withFiberSucceed((fiber) => prefix + bodyAt(millisOf(fiber), fiber.getRef(Clock.Clock)))
  const at = (prefix: string, now: DateTime.Utc, clock: Clock.Clock) =>
    prefix + bodyAt(DateTime.toEpochMillis(now), clock)
  return NewIds.of({ body: next(""), next, at })
})
