/**
 * Fresh ids: a prefix and 26 characters of time and randomness. Within this process each is greater than the one
 * before, also when many are made in one millisecond or the clock steps back.
 */
import { randomBytes } from "node:crypto"
import { idBody, idBodyAfter } from "@coffer/model/Ids"
import { Clock, Context, Effect, Layer } from "effect"

export class NewIds extends Context.Service<
  NewIds,
  {
    /** 26 characters without a prefix. */
    readonly body: Effect.Effect<string>
    readonly next: (prefix: string) => Effect.Effect<string>
  }
>()("@coffer/ground/NewIds") {}

export const layer = Layer.sync(NewIds, () => {
  let last = ""
  const body = Effect.map(Clock.currentTimeMillis, (millis) => {
    // Each ends in 0: a wallet that numbers several rows counts on from one, and must not meet the next one.
    const fresh = idBody(millis, [...randomBytes(15), 0])
    // Only the time decides whether a fresh one may be taken: equal times count on from the last.
    last = fresh.slice(0, 10) > last.slice(0, 10) ? fresh : `${idBodyAfter(last.slice(0, -1))}0`
    return last
  })
  return NewIds.of({ body, next: (prefix) => Effect.map(body, (text) => prefix + text) })
})
