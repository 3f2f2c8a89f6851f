/**
 * Quotas counted in Redis: by all runners together, and by each alone while Redis is away or frozen (silences:
 * U1, U2).
 */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Context, Duration, Effect, Layer, Logger, Metric, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as DataDir from "../../src/platform/runtime/DataDir.ts"
import { layerRedis, QuotaStore } from "../../src/door/edge/QuotaStore.ts"
import { layerStore } from "../../src/door/edge/EdgeRoom.ts"
import * as Settings from "../../src/platform/runtime/Settings.ts"
import { eventually } from "../kit/Process.ts"
import { leftOut, named, redis, running } from "../kit/servers/Redis.ts"
import { start } from "../kit/Service.ts"
import { stretched } from "../kit/run/slowness.ts"

/** In a test that is not about a slow Redis, a busy machine must not slow it down. */
const patient = Duration.seconds(30)
const window = 60_000

/** The store of one runner, and what it has logged. */
const runner = Effect.fnUntraced(function* (url: Redacted.Redacted, patience?: Duration.Duration) {
  const logged: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    // The end of trouble is logged too, at another level.
    if (logLevel === "Warn") logged.push(String(Array.isArray(message) ? message[0] : message))
  })
  const context = yield* Layer.build(layerRedis(url, patience).pipe(Layer.provide(Logger.layer([logger]))))
  const { take } = Context.get(context, QuotaStore)
  const heard = Effect.provideService(Logger.CurrentLoggers, new Set([logger]))
  const takeHeard: QuotaStore["Service"]["take"] = (...params) => heard(take(...params))
  return { take: takeHeard, logged }
})

const failures = Effect.map(
  Metric.value(
    Metric.counter("coffer_quota_store_failures_total", {
      description: "Requests counted on this runner alone, because Redis or Postgres did not answer",
      incremental: true
    })
  ),
  ({ count }) => count
)

describe.skipIf(leftOut)(named("Redis"), () => {
  it.live("counts for all runners together, exactly, also concurrently", () =>
    Effect.gen(function* () {
      const { url } = yield* running
      const runners = [yield* runner(url, patient), yield* runner(url, patient), yield* runner(url, patient)]
      const before = yield* failures
      const taken = yield* Effect.forEach(
        Array.from({ length: 300 }, (_, index) => runners[index % 3]!),
        ({ take }) => take("shared", 120, window, 1_000_000),
        { concurrency: 30 }
      )
      const alone = (yield* failures) - before
      assert.strictEqual(alone, 0, "none was counted without Redis")
      assert.strictEqual(taken.filter(({ allowed }) => allowed).length, 120)
    })
  )

  it.live("forgets a key automatically when its window is empty", () =>
    Effect.gen(function* () {
      const { url } = yield* running
      const { take } = yield* runner(url, patient)
      assert.isTrue((yield* take("brief", 1, 50, 0)).allowed)
      // By Redis' own clock: the moment of the request stays the same.
      yield* eventually(
        "the key to expire",
        Effect.map(take("brief", 1, 50, 0), ({ allowed }) => allowed)
      )
    })
  )
})

/** Waits until a request is counted in Redis again. */
const counting = (take: QuotaStore["Service"]["take"]) =>
  eventually(
    "Redis to count again",
    Effect.gen(function* () {
      const before = yield* failures
      yield* take("back?", 1_000_000, window, 0)
      return (yield* failures) === before
    })
  )

describe.skipIf(leftOut)(named("an outage of Redis"), () => {
  it.live("at the start: each runner counts for itself, and together once Redis is there", () =>
    Effect.gen(function* () {
      const server = yield* redis
      const one = yield* runner(server.url, patient)
      const other = yield* runner(server.url, patient)
      const before = yield* failures
      for (const { take } of [one, other]) {
        assert.isTrue((yield* take("key", 1, window, 0)).allowed)
        assert.isFalse((yield* take("key", 1, window, 0)).allowed)
      }
      assert.strictEqual((yield* failures) - before, 4)
      assert.deepStrictEqual([one.logged.length, other.logged.length], [1, 1])

      yield* server.run
      yield* counting(one.take)
      yield* counting(other.take)
      assert.isTrue((yield* one.take("key", 1, window, 0)).allowed)
      assert.isFalse((yield* other.take("key", 1, window, 0)).allowed)
      assert.deepStrictEqual([one.logged.length, other.logged.length], [1, 1])
    })
  )

  it.live("at run time: one line in the log for each, and it recovers automatically", () =>
    Effect.gen(function* () {
      const server = yield* running
      const { logged, take } = yield* runner(server.url, patient)
      for (let outage = 1; outage <= 2; outage++) {
        assert.isTrue((yield* take(`before ${outage}`, 1, window, 0)).allowed)
        yield* server.kill
        const before = yield* failures
        // Every one is answered, also those on the connection as it breaks.
        const taken = yield* Effect.replicateEffect(take(`during ${outage}`, 1, window, 0), 50, { concurrency: 10 })
        assert.strictEqual(taken.filter(({ allowed }) => allowed).length, 1)
        assert.strictEqual((yield* failures) - before, 50)
        assert.strictEqual(logged.length, outage, logged.join("\n"))
        yield* server.run
        yield* counting(take)
        assert.strictEqual(logged.length, outage, logged.join("\n"))
      }
    })
  )

  it.live("silently, as when it is paused: no request waits much longer than 50 ms, and only the first", () =>
    Effect.gen(function* () {
      const server = yield* running
      const { logged, take } = yield* runner(server.url)
      yield* counting(take)
      const before = logged.length
      yield* server.signal("SIGSTOP")
      const [first, taken] = yield* Effect.timed(take("key", 1, window, 0))
      assert.isTrue(taken.allowed)
      assert.isAtLeast(Duration.toMillis(first), 49)
      const short = Duration.toMillis(yield* stretched("1 second"))
      assert.isBelow(Duration.toMillis(first), short)
      const [rest] = yield* Effect.timed(Effect.replicateEffect(take("key", 1, window, 0), 100))
      assert.isBelow(Duration.toMillis(rest), short, "100 times 50 ms would be 5 s")
      assert.strictEqual(logged.length, before + 1)
      yield* server.signal("SIGCONT")
      yield* counting(take)
      assert.strictEqual(logged.length, before + 1)
    })
  )

  it.live("does not hold up the end of the service", () =>
    Effect.gen(function* () {
      const server = yield* running
      const [duration] = yield* Effect.timed(
        Effect.scoped(
          Effect.gen(function* () {
            const { take } = yield* runner(server.url)
            yield* counting(take)
            yield* server.signal("SIGSTOP")
            yield* take("key", 1, window, 0)
          })
        )
      )
      assert.isBelow(Duration.toMillis(duration), Duration.toMillis(yield* stretched("3 seconds")))
    })
  )

  it.live("is not a merchant's: requests go on, within the runner's own quota", () =>
    Effect.gen(function* () {
      const server = yield* running
      const { api } = yield* start({ clock: "test", env: { REDIS_URL: Redacted.value(server.url) } })
      const { merchantId, sandboxKey: key } = yield* api.newMerchant("Through an outage", "default")
      yield* api.operator("POST", `/merchants/${merchantId}`, { quotas: { reads: 2 } })
      const statuses = Effect.map(Effect.replicateEffect(api.get("/v1/balance", key), 3), (replies) =>
        replies.map(({ status }) => status)
      )
      yield* server.kill
      assert.deepStrictEqual(yield* statuses, [200, 200, 429])
      const metrics = yield* api.get("/metrics")
      assert.match(metrics.text, /coffer_quota_store_failures_total\S* [1-9]/)

      yield* server.run
      yield* eventually(
        "requests to be counted in Redis again",
        Effect.gen(function* () {
          const before = yield* failures
          yield* statuses
          return (yield* failures) === before
        })
      )
    })
  )
})

describe("without Redis", () => {
  it.live("a runner of a cluster says once, at its start, that Postgres counts", () =>
    Effect.gen(function* () {
      const { sql } = yield* start()
      const said = Effect.fnUntraced(function* (env: Record<string, string>) {
        const logged: Array<string> = []
        const logger = Logger.make(({ message }) => void logged.push(String(message)))
        const settings = Settings.layer({ embedded: true }).pipe(
          Layer.provide(Layer.mock(DataDir.DataDir, { path: "", keep: (_, make) => make })),
          Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
        )
        const store = layerStore.pipe(
          Layer.provide(settings),
          Layer.provide(Layer.succeed(SqlClient.SqlClient, sql)),
          Layer.provide(Logger.layer([logger]))
        )
        const { take } = Context.get(yield* Layer.build(store), QuotaStore)
        assert.isTrue((yield* take("key", 1, window, 0)).allowed)
        return logged
      })
      assert.deepStrictEqual(yield* said({}), [])
      const [line, ...rest] = yield* said({ RUNNER_HOST: "10.0.0.1", RUNNER_PORT: "7000" })
      assert.include(line, "REDIS_URL is not set: Postgres counts")
      assert.deepStrictEqual(rest, [])
    })
  )

  it.live("in it, a REDIS_URL that is no address of a Redis stops the start", () =>
    Effect.gen(function* () {
      for (const url of ["localhost:6379", "http://localhost", "redis://localhost/none", "nonsense"]) {
        const exit = yield* Effect.exit(start({ env: { REDIS_URL: url } }))
        assert.include(String(exit), "REDIS_URL must look like", url)
      }
    })
  )
})
