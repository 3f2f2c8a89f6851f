/**
 * New ids: a prefix and 26 characters of time and randomness. Within this process each id is greater than the one
 * before, even if many are made in one millisecond or the clock is set back.
 */
import { randomFillSync } from "node:crypto"
import { idBody, idBodyAfter } from "@coffer/model/Ids"
import { Context, DateTime, Effect, Layer } from "effect"
import { millisOf } from "./clock.ts"

export class NewIds extends Context.Service<
  NewIds,
  {
    /** The 26 characters without a prefix. */
    readonly body: Effect.Effect<string>
    readonly next: (prefix: string) => Effect.Effect<string>
    /** The same for who knows what time it is, in a synchronous block. */
    readonly at: (prefix: string, now: DateTime.Utc) => string
  }
>()("@coffer/platform/NewIds") {}

/** Random bytes drawn at a time. Drawing a few costs as much as drawing all of them. */
const drawn = 16 * 256

export const layer = Layer.sync(NewIds, () => {
  const pool = new Uint8Array(drawn)
  let used = drawn
  let last = ""

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

  const bodyAt = (millis: number) => {
    const fresh = idBody(millis, randomDigits())
    // In the same millisecond, or an earlier one, the last id is counted up instead.
    last = fresh.slice(0, 10) > last.slice(0, 10) ? fresh : `${idBodyAfter(last.slice(0, -1))}0`
    return last
  }
  // One step of the fiber, because a payment needs five ids.
  const next = (prefix: string) => Effect.withFiberSucceed((fiber) => prefix + bodyAt(millisOf(fiber)))
  const at = (prefix: string, now: DateTime.Utc) => prefix + bodyAt(DateTime.toEpochMillis(now))
  return NewIds.of({ body: next(""), next, at })
})
