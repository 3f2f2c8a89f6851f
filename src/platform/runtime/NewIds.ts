/**
 * Fresh ids: a prefix and 26 characters of time and randomness. Within this process each is greater than the one
 * before, also when many are made in one millisecond or the clock steps back.
 */
import { randomFillSync } from "node:crypto"
import { idBody, idBodyAfter } from "@coffer/model/Ids"
import { Context, DateTime, Effect, Layer } from "effect"
import { millisOf } from "./clock.ts"

export class NewIds extends Context.Service<
  NewIds,
  {
    /** 26 characters without a prefix. */
    readonly body: Effect.Effect<string>
    readonly next: (prefix: string) => Effect.Effect<string>
    /** The same for who knows what time it is, in a synchronous block. */
    readonly at: (prefix: string, now: DateTime.Utc) => string
  }
>()("@coffer/platform/NewIds") {}

/** Bytes that are drawn at a time: to draw a few costs as much as to draw them all. */
const drawn = 16 * 256

export const layer = Layer.sync(NewIds, () => {
  const pool = new Uint8Array(drawn)
  let used = drawn
  let last = ""

  /** Each ends in 0: a wallet that numbers several rows counts on from one, and must not meet the next one. */
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
    // Only the time decides whether a fresh one may be taken: equal times count on from the last.
    last = fresh.slice(0, 10) > last.slice(0, 10) ? fresh : `${idBodyAfter(last.slice(0, -1))}0`
    return last
  }
  // A payment takes five: each is one step of its fiber.
  const next = (prefix: string) => Effect.withFiberSucceed((fiber) => prefix + bodyAt(millisOf(fiber)))
  const at = (prefix: string, now: DateTime.Utc) => prefix + bodyAt(DateTime.toEpochMillis(now))
  return NewIds.of({ body: next(""), next, at })
})
