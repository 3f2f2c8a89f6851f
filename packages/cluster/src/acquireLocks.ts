/**
 * Takes the locks of shards that were assigned together. Their owners see the change within half a second of each
 * other, and give them up one after the other, which takes a second on a busy machine. The library pauses for a second
 * after each answer, so that shards which are not in the first one would have no owner for two or three seconds.
 */
import { Clock, Effect } from "effect"

/** How long locks that were given up already wait for the others. The library gives the whole three seconds. */
const patienceMillis = 2_000
const pause = "50 millis"

/** `take` returns those of the given shards whose locks it got. `isOver`: this runner wants no more of them. */
export const acquireLocks = <Shard, E, R>(
  shards: Iterable<Shard>,
  take: (missing: Iterable<Shard>) => Effect.Effect<ReadonlyArray<Shard>, E, R>,
  isOver: () => boolean
): Effect.Effect<Array<Shard>, E, R> =>
  Effect.gen(function* () {
    const missing = new Set(shards)
    const taken: Array<Shard> = []
    const begun = yield* Clock.currentTimeMillis
    while (true) {
      const more = yield* take(missing)
      for (const shard of more) missing.delete(shard)
      taken.push(...more)
      const waited = (yield* Clock.currentTimeMillis) - begun
      if (missing.size === 0 || waited >= patienceMillis || isOver()) return taken
      yield* Effect.sleep(pause)
    }
  })
