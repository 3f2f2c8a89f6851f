/**
 * The window that slides, in memory and in a real Redis: the same rules for both. Then what happens when Redis is not
 * there, goes away, or stands still (silences: U1, U2).
 */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Context, Duration, Effect, Layer, Logger, Metric, Redacted } from "effect"
import * as DataDir from "../../src/platform/runtime/DataDir.ts"
import { layer, layerMemory, layerRedis, makeMemory, QuotaStore, type Taken } from "../../src/edge/QuotaStore.ts"
import * as Settings from "../../src/platform/runtime/Settings.ts"
import { eventually } from "../kit/Process.ts"
import { freePort, start } from "../kit/Service.ts"

const program = (process.env["PATH"] ?? "")
  .split(path.delimiter)
  .map((folder) => path.join(folder, "redis-server"))
  .find(existsSync)
const leftOut = program === undefined
const named = (name: string) => (leftOut ? `${name} (left out: this machine has no redis-server)` : name)

interface RedisServer {
  readonly url: Redacted.Redacted
  readonly signal: (signal: NodeJS.Signals) => Effect.Effect<void>
  readonly kill: Effect.Effect<void>
  /** Starts it, again if need be, and waits until it takes connections. */
  readonly run: Effect.Effect<void>
}

/** A Redis of the test's own, not yet running. */
const redis = Effect.gen(function* () {
  const port = yield* freePort
  const folder = mkdtempSync(path.join(tmpdir(), "coffer-redis-"))
  let child: ChildProcess | undefined

  const kill = Effect.callback<void>((resume) => {
    if (child === undefined) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    child.kill("SIGKILL")
    child = undefined
  })
  const run = Effect.callback<void>((resume) => {
    const flags = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder]
    child = spawn(program!, flags, { stdio: ["ignore", "pipe", "inherit"] })
    let said = ""
    child.stdout!.on("data", (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes("Ready to accept connections")) resume(Effect.void)
    })
  })
  yield* Effect.addFinalizer(() =>
    Effect.andThen(
      kill,
      Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    )
  )
  const server: RedisServer = {
    url: Redacted.make(`redis://127.0.0.1:${port}`),
    signal: (signal) => Effect.sync(() => child?.kill(signal)),
    kill,
    run
  }
  return server
})

const running = Effect.tap(redis, ({ run }) => run)

/** Where a test is not about a slow Redis, a busy machine must not make it one. */
const patient = Duration.seconds(5)

/** The store of one runner, and what it has logged. */
const runner = Effect.fnUntraced(function* (url: Redacted.Redacted, patience?: Duration.Duration) {
  const logged: Array<string> = []
  const logger = Logger.make(({ message }) => {
    logged.push(String(Array.isArray(message) ? message[0] : message))
  })
  const context = yield* Layer.build(layerRedis(url, patience).pipe(Layer.provide(Logger.layer([logger]))))
  const { take } = Context.get(context, QuotaStore)
  const heard = Effect.provideService(Logger.CurrentLoggers, new Set([logger]))
  const takeHeard: QuotaStore["Service"]["take"] = (...params) => heard(take(...params))
  return { take: takeHeard, logged }
})

const failures = Effect.map(
  Metric.value(
    Metric.counter("coffer_quota_store_failures", {
      description: "Requests counted on this runner alone, because Redis did not answer",
      incremental: true
    })
  ),
  ({ count }) => count
)

const second = 1_000
const window = 60 * second
const answers = ({ allowed, remaining, resetMillis, retryAfterMillis }: Taken) => [
  allowed,
  remaining,
  retryAfterMillis,
  resetMillis
]

const stores = [
  { where: "in memory", left: false, build: Layer.build(layerMemory) },
  {
    where: "in Redis",
    left: leftOut,
    build: Effect.flatMap(running, ({ url }) => Layer.build(layerRedis(url, patient)))
  }
]

for (const { build, left, where } of stores) {
  const store = Effect.map(build, Context.get(QuotaStore))
  describe.skipIf(left)(left ? named(`a window ${where}`) : `a window ${where}`, () => {
    it.live("says how many are left, when the next is allowed, and when the oldest stops counting", () =>
      Effect.gen(function* () {
        const { take } = yield* store
        const at = (now: number) => Effect.map(take("key", 3, window, now), answers)
        assert.deepStrictEqual(yield* at(1_000), [true, 2, 0, window])
        assert.deepStrictEqual(yield* at(11_000), [true, 1, 0, window - 10 * second])
        assert.deepStrictEqual(yield* at(11_000), [true, 0, 0, window - 10 * second])
        assert.deepStrictEqual(yield* at(11_001), [false, 0, window - 10_001, window - 10_001])
        assert.deepStrictEqual(yield* at(60_999), [false, 0, 1, 1])
        assert.deepStrictEqual(yield* at(61_000), [true, 0, 0, 10 * second])
        assert.deepStrictEqual(yield* at(61_000), [false, 0, 10 * second, 10 * second])
        assert.deepStrictEqual(yield* at(71_000), [true, 1, 0, 50 * second])
        assert.deepStrictEqual(yield* at(10_000_000), [true, 2, 0, window])
      })
    )

    it.live("allows at most the limit in any 60 seconds, whatever comes when", () =>
      Effect.gen(function* () {
        const { take } = yield* store
        const limit = 7
        const allowed: Array<number> = []
        // A step of its own for each call, some of them 0, all of them the same in every run.
        for (let index = 0, now = 5; index < 600; index++, now += (index * index * 7_919) % 9_000) {
          if ((yield* take("key", limit, window, now)).allowed) allowed.push(now)
        }
        assert.isAbove(allowed.length, 100)
        for (const [index, first] of allowed.entries()) {
          const next = allowed[index + limit]
          if (next !== undefined) assert.isAtLeast(next - first, window)
        }
      })
    )

    it.live("counts each key by itself", () =>
      Effect.gen(function* () {
        const { take } = yield* store
        assert.isTrue((yield* take("one", 1, window, 0)).allowed)
        assert.isTrue((yield* take("other", 1, window, 0)).allowed)
        assert.isFalse((yield* take("one", 1, window, 0)).allowed)
      })
    )

    it.live("does as a limit says that was lowered or raised meanwhile", () =>
      Effect.gen(function* () {
        const { take } = yield* store
        for (let now = 0; now < 5; now++) yield* take("key", 5, window, now)
        // Of the five the first four must leave before there is one where two may be.
        assert.deepStrictEqual(answers(yield* take("key", 2, window, 10)), [false, 0, window - 7, window - 7])
        assert.deepStrictEqual(answers(yield* take("key", 7, window, 10)), [true, 1, 0, window - 10])
        assert.isFalse((yield* take("key", 2, window, window + 3)).allowed)
        assert.isTrue((yield* take("key", 2, window, window + 4)).allowed)
      })
    )

    it.live("is not opened by a clock that is set back", () =>
      Effect.gen(function* () {
        const { take } = yield* store
        assert.isTrue((yield* take("key", 2, window, 100_000)).allowed)
        assert.isTrue((yield* take("key", 2, window, 99_000)).allowed)
        assert.isFalse((yield* take("key", 2, window, 98_000)).allowed)
        assert.isFalse((yield* take("key", 2, window, 159_999)).allowed)
        assert.isTrue((yield* take("key", 2, window, 160_000)).allowed)
      })
    )
  })
}

describe("a window in memory", () => {
  it("is not kept when it is empty", () => {
    const memory = makeMemory()
    for (let index = 0; index < 1_000; index++) memory.take(`key ${index}`, 10, window, index)
    assert.strictEqual(memory.size(), 1_000)
    memory.take("key 999", 10, window, window + 999)
    assert.strictEqual(memory.size(), 1)
  })

  it("is one of at most so many, and the first of them makes room", () => {
    const memory = makeMemory({ keysMax: 3 })
    for (const key of ["a", "b", "c", "d"]) memory.take(key, 1, window, 0)
    assert.strictEqual(memory.size(), 3)
    assert.isFalse(memory.take("d", 1, window, 0).allowed)
    assert.isTrue(memory.take("a", 1, window, 0).allowed)
    assert.strictEqual(memory.size(), 3)
  })

  it("does not stay full for ever when the clock is set back by an hour", () => {
    const memory = makeMemory()
    memory.take("key", 1, window, 3_600_000)
    assert.isTrue(memory.take("key", 1, window, 0).allowed)
  })
})

describe.skipIf(leftOut)(named("Redis"), () => {
  it.live("counts for all runners together, exactly, whoever asks at the same time", () =>
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

  it.live("forgets a key by itself when its window is empty", () =>
    Effect.gen(function* () {
      const { url } = yield* running
      const { take } = yield* runner(url, patient)
      assert.isTrue((yield* take("brief", 1, 50, 0)).allowed)
      // By Redis' own clock: the moment that is asked about stays the same.
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

  it.live("at run time: one line in the log for each, and it ends by itself", () =>
    Effect.gen(function* () {
      const server = yield* running
      const { logged, take } = yield* runner(server.url, patient)
      for (let outage = 1; outage <= 2; outage++) {
        assert.isTrue((yield* take(`before ${outage}`, 1, window, 0)).allowed)
        yield* server.kill
        const before = yield* failures
        // Every one is answered, also those that meet the connection as it breaks.
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

  it.live("without a word, as when it stands still: nobody waits much longer than 50 ms, and only the first", () =>
    Effect.gen(function* () {
      const server = yield* running
      const { logged, take } = yield* runner(server.url)
      yield* counting(take)
      yield* server.signal("SIGSTOP")
      const [first, taken] = yield* Effect.timed(take("key", 1, window, 0))
      assert.isTrue(taken.allowed)
      assert.isAtLeast(Duration.toMillis(first), 49)
      assert.isBelow(Duration.toMillis(first), 1_000)
      const [rest] = yield* Effect.timed(Effect.replicateEffect(take("key", 1, window, 0), 100))
      assert.isBelow(Duration.toMillis(rest), 1_000, "100 times 50 ms would be 5 s")
      assert.strictEqual(logged.length, 1)
      yield* server.signal("SIGCONT")
      yield* counting(take)
      assert.strictEqual(logged.length, 1)
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
      assert.isBelow(Duration.toMillis(duration), 3_000)
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
      assert.match(metrics.text, /coffer_quota_store_failures\S* [1-9]/)

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
  it.live("a runner of a cluster warns once, at its start, that each counts for itself", () =>
    Effect.gen(function* () {
      const warned = Effect.fnUntraced(function* (env: Record<string, string>) {
        const logged: Array<string> = []
        const logger = Logger.make(({ message }) => void logged.push(String(message)))
        const settings = Settings.layer({ embedded: true }).pipe(
          Layer.provide(Layer.mock(DataDir.DataDir, { path: "", keep: (_, make) => make })),
          Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
        )
        const store = layer.pipe(Layer.provide(settings), Layer.provide(Logger.layer([logger])))
        const { take } = Context.get(yield* Layer.build(store), QuotaStore)
        assert.isTrue((yield* take("key", 1, window, 0)).allowed)
        return logged
      })
      assert.deepStrictEqual(yield* warned({}), [])
      const [warning, ...rest] = yield* warned({ RUNNER_HOST: "10.0.0.1", RUNNER_PORT: "7000" })
      assert.include(warning, "REDIS_URL is not set")
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
