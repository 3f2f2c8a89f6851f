/**
 * Keeps the locks of this runner's shards over a loss of the connection that holds them. The library takes a lost
 * connection for lost shards: it breaks off what is done on them, and takes them again some seconds later. Here the
 * locks are taken again at once, as far as no other runner has them. Another runner may
 * have written in between: give each row a version, and let an update name the version that it replaces. Model:
 * models/shards.pml.
 */
import { Effect, Exit } from "effect"
import type { RunnerAddress, RunnerStorage, ShardId } from "effect/cluster"

type Storage = RunnerStorage.RunnerStorage["Service"]

/** The library gives a refresh up after three seconds, and then all shards. */
const patience = "1 second"

export interface KeptLocks extends Pick<Storage, "acquire" | "refresh" | "release" | "releaseAll"> {
  /** Takes those again that this runner had. */
  readonly retake: Effect.Effect<void>
}

export const make = (storage: Storage): KeptLocks => {
  const owned = new Map<string, ShardId.ShardId>()
  let own: RunnerAddress.RunnerAddress | undefined

  const isOwned = (shard: ShardId.ShardId) => owned.has(shard.toString())
  const forget = (shard: ShardId.ShardId) => void owned.delete(shard.toString())
  const inTime = <A, E>(effect: Effect.Effect<A, E>) => Effect.exit(Effect.timeout(effect, patience))

  /** Takes these again. Returns those of them that this runner has now, or has for all that Postgres says. */
  const again = Effect.fnUntraced(function* (address: RunnerAddress.RunnerAddress, missing: Array<ShardId.ShardId>) {
    if (missing.length === 0) return []
    const taken = yield* inTime(storage.acquire(address, missing))
    if (Exit.isFailure(taken)) return missing.filter(isOwned)
    const has = new Set(taken.value.map(String))
    for (const shard of missing) {
      if (!has.has(shard.toString())) forget(shard)
      // It was given up meanwhile.
      else if (!isOwned(shard)) yield* Effect.ignore(storage.release(address, shard))
    }
    return missing.filter(isOwned)
  })

  return {
    acquire: (address, shards) =>
      Effect.tap(storage.acquire(address, shards), (taken) =>
        Effect.sync(() => {
          own = address
          for (const shard of taken) owned.set(shard.toString(), shard)
        })
      ),
    /** While Postgres does not answer, no runner can take a lock, and this runner writes nothing. */
    refresh: (address, shards) =>
      Effect.gen(function* () {
        const wanted = [...shards]
        const found = yield* inTime(storage.refresh(address, wanted))
        if (Exit.isFailure(found)) return wanted.filter(isOwned)
        const held = new Set(found.value.map(String))
        const missing = wanted.filter((shard) => !held.has(shard.toString()) && isOwned(shard))
        return [...found.value, ...(yield* again(address, missing))]
      }),
    release: (address, shard) => Effect.suspend(() => (forget(shard), storage.release(address, shard))),
    releaseAll: (address) => Effect.suspend(() => (owned.clear(), storage.releaseAll(address))),
    retake: Effect.suspend(() => (own === undefined ? Effect.void : Effect.asVoid(again(own, [...owned.values()]))))
  }
}
