/**
 * Counts requests in a sliding window: no span of its length ever holds more than the limit (silences: U1). The counts
 * are kept in this process, or for all runners together in Redis or in Postgres (`PostgresQuotas.ts`). While Redis does
 * not answer, each runner counts for itself (silences: U2).
 */
import { Context, Deferred, Duration, Effect, Exit, Layer, Metric, Redacted, References, Schema } from "effect"
import { Redis } from "effect/persistence"
import { onRealTime } from "../../platform/runtime/realTime.ts"

export interface Taken {
  readonly allowed: boolean
  /** Requests left at this moment. */
  readonly remaining: number
  /** Time until the next one is allowed; 0 if this one was. */
  readonly retryAfterMillis: number
  /** Time until `remaining` grows by one. */
  readonly resetMillis: number
}

export class QuotaStore extends Context.Service<
  QuotaStore,
  {
    /**
     * Counts one, unless the window that ends `now` already holds `limit`. Refused ones are not counted. It may count
     * when it is called, and must be run once.
     */
    readonly take: (key: string, limit: number, windowMillis: number, now: number) => Effect.Effect<Taken>
    /**
     * The count of each key in the window that ends `now`. Reading does not count. Undefined while the runners cannot
     * count together.
     */
    readonly used: (
      keys: ReadonlyArray<string>,
      windowMillis: number,
      now: number
    ) => Effect.Effect<ReadonlyArray<number> | undefined>
  }
>()("@coffer/edge/QuotaStore") {}

// In memory ----------------------------------------------------------------------

/** Keys in memory. A merchant has up to six. */
const keysMax = 100_000
/** Between two removals of keys whose window is empty. */
const sweepMillis = 60_000

/** When requests were counted, oldest first. Those before `head` have left the window. */
interface Moments {
  readonly times: Array<number>
  head: number
  windowMillis: number
}

/** Counts in memory. It never fails or waits, and is lost with the process. */
export const makeMemory = (options: { readonly keysMax: number } = { keysMax }) => {
  const kept = new Map<string, Moments>()
  let sweepAt = 0

  const sweep = (now: number) => {
    sweepAt = now + sweepMillis
    for (const [key, moments] of kept) if (isEmptyAt(moments, now)) kept.delete(key)
  }

  /** All keys are in use: the oldest are dropped, and start at zero again. */
  const makeRoom = () => {
    let excess = Math.ceil(options.keysMax / 100)
    for (const key of kept.keys()) {
      if (excess-- === 0) return
      kept.delete(key)
    }
  }

  const momentsOf = (key: string, windowMillis: number): Moments => {
    const known = kept.get(key)
    if (known !== undefined) return known
    if (kept.size >= options.keysMax) makeRoom()
    const moments = { times: [], head: 0, windowMillis }
    kept.set(key, moments)
    return moments
  }

  const take = (key: string, limit: number, windowMillis: number, clock: number): Taken => {
    if (clock >= sweepAt || sweepAt > clock + sweepMillis) sweep(clock)
    const moments = momentsOf(key, windowMillis)
    const { times } = moments
    // A clock that was set back must not empty the window.
    const now = Math.max(clock, times.at(-1) ?? clock)
    while (moments.head < times.length && times[moments.head]! <= now - windowMillis) moments.head++
    if (moments.head * 2 > times.length) {
      times.splice(0, moments.head)
      moments.head = 0
    }
    const used = times.length - moments.head
    const allowed = used < limit
    if (allowed) times.push(now)
    const free = times[moments.head + Math.max(used - limit, 0)]! + windowMillis - now
    return allowed
      ? { allowed, remaining: limit - used - 1, retryAfterMillis: 0, resetMillis: free }
      : { allowed, remaining: 0, retryAfterMillis: free, resetMillis: free }
  }

  const used = (key: string, windowMillis: number, now: number): number => {
    const { head, times } = kept.get(key) ?? { head: 0, times: [] }
    const first = times.findIndex((time, index) => index >= head && time > now - windowMillis)
    return first < 0 ? 0 : times.length - first
  }

  return { take, used, size: () => kept.size }
}

/** True also for moments in the future, from before the clock was set back: otherwise they would count for too long. */
const isEmptyAt = ({ times, windowMillis }: Moments, now: number): boolean => {
  const last = times.at(-1) ?? -Infinity
  return last <= now - windowMillis || last > now + windowMillis
}

export const layerMemory = Layer.sync(QuotaStore, () => {
  const memory = makeMemory()
  return {
    take: (key, limit, windowMillis, now) => Effect.succeed(memory.take(key, limit, windowMillis, now)),
    used: (keys, windowMillis, now) => Effect.sync(() => keys.map((key) => memory.used(key, windowMillis, now)))
  }
})

// In Redis -----------------------------------------------------------------------

/** A request waits no longer than this for Redis. */
const patienceDefault = Duration.millis(50)
/** The start of the service waits no longer than this for the first connection. */
const connectPatience = Duration.seconds(1)
/** Between two checks whether Redis answers again. */
const checkInterval = Duration.millis(250)

export const failures = Metric.counter("coffer_quota_store_failures_total", {
  description: "Requests counted on this runner alone, because Redis or Postgres did not answer",
  incremental: true
})

class NotAnswered extends Schema.TaggedError<NotAnswered>()("NotAnswered", { problem: Schema.String }) {}

/**
 * A list of moments for each key, oldest first. Redis drops it when its window is empty. Effect's RateLimiter has no
 * sliding window (docs/decisions/0088).
 */
const takeScript = Redis.script(
  (key: string, limit: number, windowMillis: number, now: number) => [key, limit, windowMillis, now],
  {
    numberOfKeys: 1,
    lua: `
local key, limit, window, now = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local last = redis.call('LINDEX', key, -1)
if last then now = math.max(now, tonumber(last)) end
local first = redis.call('LINDEX', key, 0)
while first and tonumber(first) <= now - window do
  redis.call('LPOP', key)
  first = redis.call('LINDEX', key, 0)
end
local used = redis.call('LLEN', key)
if used < limit then
  redis.call('RPUSH', key, string.format('%.0f', now))
  redis.call('PEXPIRE', key, window)
  return { 1, limit - used - 1, 0, tonumber(first or now) + window - now }
end
local free = tonumber(redis.call('LINDEX', key, used - limit)) + window - now
return { 0, 0, free, free }`
  }
).withReturnType<readonly [allowed: number, remaining: number, retryAfterMillis: number, resetMillis: number]>()

/** Drops moments that have left the window, as the script above. */
const lookScript = Redis.script((key: string, windowMillis: number, now: number) => [key, windowMillis, now], {
  numberOfKeys: 1,
  lua: `
local key, window, now = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local first = redis.call('LINDEX', key, 0)
while first and tonumber(first) <= now - window do
  redis.call('LPOP', key)
  first = redis.call('LINDEX', key, 0)
end
return redis.call('LLEN', key)`
}).withReturnType<number>()

type Look = (...params: Parameters<typeof lookScript.params>) => Effect.Effect<number, NotAnswered | Redis.RedisError>
type Take = (...params: Parameters<typeof takeScript.params>) => Effect.Effect<Taken, NotAnswered | Redis.RedisError>

export const layerRedis = (url: Redacted.Redacted, patience: Duration.Duration = patienceDefault) =>
  Layer.effect(
    QuotaStore,
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const memory = makeMemory()
      const redis = yield* connect(url)
      let answers = true

      // Checked by what requests do: a replica answers a PING, and takes no writes.
      const check = Effect.gen(function* () {
        yield* Effect.sleep(checkInterval)
        const [took, exit] = yield* Effect.timed(Effect.exit(redis.take("coffer:quota:look", 1, 1, 0)))
        answers = Exit.isSuccess(exit) && Duration.isLessThanOrEqualTo(took, patience)
        if (!answers) return
        redis.trouble = undefined
        yield* Effect.logInfo("Redis answers again; all runners count requests together")
      })
      const untilBack = Effect.repeat(check, { until: () => answers }).pipe(onRealTime)

      const lost = Effect.fnUntraced(function* (cause: unknown) {
        if (!answers) return
        answers = false
        yield* Effect.logWarning(
          "Redis does not answer; until it does, each runner counts requests for itself",
          redis.trouble ?? cause
        )
        yield* Effect.forkIn(untilBack, scope)
      }, Effect.uninterruptible)
      if (!redis.connected) yield* lost("no connection yet")

      const take: QuotaStore["Service"]["take"] = (key, limit, windowMillis, now) => {
        const withoutRedis = Effect.suspend(() =>
          Effect.as(Metric.update(failures, 1), memory.take(key, limit, windowMillis, now))
        )
        return Effect.suspend(() => {
          if (!answers) return withoutRedis
          return inTime(redis.take(`coffer:quota:${key}`, limit, windowMillis, now), patience).pipe(
            Effect.catch((error) => Effect.andThen(lost(error), withoutRedis))
          )
        })
      }
      const used: QuotaStore["Service"]["used"] = (keys, windowMillis, now) =>
        Effect.suspend(() => {
          if (!answers) return Effect.undefined
          const looks = keys.map((key) => redis.look(`coffer:quota:${key}`, windowMillis, now))
          return inTime(Effect.all(looks, { concurrency: "unbounded" }), patience).pipe(
            Effect.catch((error) => Effect.as(lost(error), undefined))
          )
        })
      return { take, used }
    })
  )

/** One turn of the event loop. After a long pause of the process it lets an answer in that has arrived by then. */
const turn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

/** Fails with `NotAnswered` after `patience` of real time. */
export const inTime = <A, E>(effect: Effect.Effect<A, E>, patience: Duration.Duration) =>
  Effect.raceFirst(
    effect,
    Effect.sleep(patience).pipe(
      Effect.andThen(turn),
      Effect.flatMap(() => new NotAnswered({ problem: `no answer within ${Duration.format(patience)}` })),
      onRealTime
    )
  )

interface Connection {
  /** Stays true after the first connection: the client reconnects by itself. */
  connected: boolean
  take: Take
  look: Look
  /** Why the connection failed last. */
  trouble: unknown
}

/** Connects in the background until it succeeds. Returns when the first attempt has succeeded or failed. */
const connect = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const decided = yield* Deferred.make<void>()
  const redis: Connection = {
    connected: false,
    take: () => Effect.fail(new NotAnswered({ problem: "not connected yet" })),
    look: () => Effect.fail(new NotAnswered({ problem: "not connected yet" })),
    trouble: undefined
  }

  // Six hundred modules, which a service without Redis does not need.
  const NodeRedis = yield* Effect.promise(() => import("@effect/platform-node/NodeRedis"))
  const client = NodeRedis.layer({
    url: Redacted.value(url),
    // Without a connection, requests fail at once instead of waiting.
    disableOfflineQueue: true,
    // Pings find a connection that is dead without having been closed.
    pingInterval: 1_000,
    socket: {
      connectTimeout: 1_000,
      socketTimeout: 3_000,
      reconnectStrategy: (retries, cause) => {
        redis.trouble = cause
        Deferred.doneUnsafe(decided, Exit.void)
        return Math.min(50 * 2 ** retries, 1_000)
      }
    }
  })
  const use = Effect.gen(function* () {
    const context = yield* Layer.build(client)
    const evaluate = Context.get(context, Redis.Redis).eval(takeScript)
    redis.look = Context.get(context, Redis.Redis).eval(lookScript)
    // `close` would wait for answers.
    yield* Effect.addFinalizer(() => Effect.sync(() => Context.get(context, NodeRedis.NodeRedis).client.destroy()))
    redis.take = (...params) => Effect.map(evaluate(...params), takenOf)
    redis.connected = true
  })
  yield* use.pipe(
    // It would log every attempt.
    Effect.provideService(References.MinimumLogLevel, "None"),
    Effect.onExit((exit) => {
      if (Exit.isFailure(exit)) redis.trouble = exit.cause
      return Deferred.done(decided, Exit.void)
    }),
    Effect.forkScoped
  )
  yield* Deferred.await(decided).pipe(Effect.timeoutOption(connectPatience), onRealTime)
  return redis
})

const takenOf = ([allowed, remaining, retryAfterMillis, resetMillis]: readonly [number, number, number, number]) => ({
  allowed: allowed === 1,
  remaining,
  retryAfterMillis,
  resetMillis
})
