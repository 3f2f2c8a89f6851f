/**
 * A cache of merchants and of the accounts of keys, since every request needs them. A change of a merchant drops its
 * entries at once on every runner. While this runner cannot prove that it receives changes, it reads from the database
 * instead (spec: Authentication, 4 and 5).
 */
import { MerchantId } from "@coffer/model/Ids"
import { Cache, Clock, Duration, Effect, Exit, MutableHashMap, Option, Schema } from "effect"
import { MerchantClocks } from "../../platform/runtime/MerchantClocks.ts"
import { Secrets } from "../../platform/runtime/Secrets.ts"
import { ShopHosts } from "../../shared/signedUrls/ShopHosts.ts"
import { listenForChanges } from "./listenForChanges.ts"
import { MerchantStore, type MovedSandbox } from "./MerchantStore.ts"

/** Merchants, and likewise keys, that are kept in memory. */
export const cachedMax = 10_000

/** The lifetime of an entry, in case a change was missed. */
const lifetime = Duration.minutes(1)

export const make = Effect.gen(function* () {
  const store = yield* MerchantStore
  const secrets = yield* Secrets
  const clocks = yield* MerchantClocks
  const hosts = yield* ShopHosts

  const byKeyHash = yield* Cache.makeWith(store.byKeyHash, { capacity: cachedMax, timeToLive: lifetimeOf })
  const byId = yield* Cache.makeWith(store.byId, { capacity: cachedMax, timeToLive: lifetimeOf })
  const clear = Effect.andThen(Cache.invalidateAll(byKeyHash), Cache.invalidateAll(byId))
  /** A pending look-up of a key may be of this merchant: it is dropped, too. */
  const forget = (merchantId: string) =>
    isMerchantId(merchantId)
      ? Effect.suspend(() => {
          const hashes = Array.from(byKeyHash.map).flatMap(([hash, { fiber }]) => {
            const exit = fiber.pollUnsafe()
            return exit === undefined || belongsTo(exit, merchantId) ? [hash] : []
          })
          const forgetKeys = Effect.forEach(hashes, (hash) => Cache.invalidate(byKeyHash, hash), { discard: true })
          return Effect.andThen(Cache.invalidate(byId, merchantId), forgetKeys)
        })
      : clear
  const hear = (moved: ReadonlyArray<MovedSandbox>) => {
    for (const { merchantId, offset } of moved) clocks.hear(merchantId, offset)
  }
  const readClocks = Effect.map(store.movedClocks, hear)
  yield* readClocks
  const reread = Effect.andThen(
    Effect.tap(clear, () => Effect.sync(() => hosts.hear(undefined))),
    readClocks
  )
  const heard = (merchantId: string) => {
    hosts.hear(isMerchantId(merchantId) ? merchantId : undefined)
    return forget(merchantId)
  }
  const listener = yield* listenForChanges(yield* secrets.random(12), { forget: heard, reread })

  const clock = yield* Clock.Clock
  /** If changes may be missed, so may moves of clocks. */
  const cached =
    <Value>(
      cache: Cache.Cache<string, Option.Option<Value>>,
      lookup: (key: string) => Effect.Effect<Option.Option<Value>>,
      merchantOf: (value: Value) => string
    ) =>
    (key: string) =>
      listener.isProven()
        ? (recall(cache, key, clock) ?? Cache.get(cache, key))
        : Effect.tap(lookup(key), (found) =>
            Option.isNone(found) ? Effect.void : Effect.map(store.movedClock(merchantOf(found.value)), hear)
          )

  return {
    /** Both look up when they are called, and answer cached entries at once. */
    byKeyHash: cached(byKeyHash, store.byKeyHash, ({ merchant }) => merchant.merchant_id),
    byId: cached(byId, store.byId, ({ merchant_id }) => merchant_id),
    forget,
    clockIsHeard: listener.clockIsHeard
  }
})

const isMerchantId = Schema.is(MerchantId)

/**
 * A cached entry, without a step of the fiber: every request needs some. An entry that was read under a sandbox's moved
 * clock does not count under this clock.
 */
const recall = <Value, E>(cache: Cache.Cache<string, Value, E>, key: string, clock: Clock.Clock) => {
  const entry = Option.getOrUndefined(MutableHashMap.get(cache.map, key))
  if (entry?.expiresAt === undefined) return undefined
  const left = entry.expiresAt - clock.currentTimeMillisUnsafe()
  return left > 0 && left <= Duration.toMillis(lifetime) ? entry.fiber.pollUnsafe() : undefined
}

const belongsTo = <E>(
  exit: Exit.Exit<Option.Option<{ readonly merchant: { readonly merchant_id: string } }>, E>,
  merchantId: string
) => Exit.isSuccess(exit) && Option.isSome(exit.value) && exit.value.value.merchant.merchant_id === merchantId

/** Only found entries are cached: guessed keys must not evict real ones, and a failure must not outlive its cause. */
const lifetimeOf = <A, E>(exit: Exit.Exit<Option.Option<A>, E>) =>
  Exit.isSuccess(exit) && Option.isSome(exit.value) ? lifetime : Duration.zero
