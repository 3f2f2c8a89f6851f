/** Quotas counted in Postgres, by all runners together, where there is no Redis (docs/decisions/0088; silences: U1). */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as PostgresQuotas from "../../src/door/edge/PostgresQuotas.ts"
import { QuotaStore } from "../../src/door/edge/QuotaStore.ts"
import { ownersConnection, type Running, start } from "../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/store/postgresQuota") {}

const window = 60_000
const now = 1_800_000_000_000

/** The store of one more runner. */
const store = Effect.flatMap(Service, ({ sql }) =>
  Effect.map(
    Layer.build(Layer.fresh(PostgresQuotas.layer).pipe(Layer.provide(Layer.succeed(SqlClient.SqlClient, sql)))),
    Context.get(QuotaStore)
  )
)

const runners = Effect.fnUntraced(function* (count: number) {
  const one = Effect.map(store, ({ take }) => take)
  return yield* Effect.all(Array<typeof one>(count).fill(one))
})

const allowed = (all: ReadonlyArray<{ readonly allowed: boolean }>) => all.filter((one) => one.allowed).length

layer(Layer.effect(Service, start()), { excludeTestServices: true })("Postgres", (it) => {
  it.effect("counts for all runners together, exactly, also concurrently", () =>
    Effect.gen(function* () {
      const takes = yield* runners(3)
      const taken = yield* Effect.forEach(
        Array.from({ length: 360 }, (_, index) => takes[index % 3]!),
        (take) => take("shared", 120, window, now),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(allowed(taken), 120)
      assert.deepStrictEqual(
        taken
          .filter((one) => one.allowed)
          .map(({ remaining }) => remaining)
          .toSorted((a, b) => a - b),
        Array.from({ length: 120 }, (_, index) => index)
      )
      for (const one of taken) {
        if (!one.allowed) assert.deepStrictEqual([one.remaining, one.retryAfterMillis], [0, window])
      }
      const one = yield* takes[0]!("another", 120, window, now)
      assert.deepStrictEqual(one, { allowed: true, remaining: 119, retryAfterMillis: 0, resetMillis: window })
    }).pipe(Effect.scoped)
  )

  it.effect("is looked at by any runner without being counted", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* store, yield* store]
      for (let times = 0; times < 5; times++) yield* one.take("looked", 3, window, now + times)
      const look = (at: number) => other.used(["nothing", "looked"], window, at)
      assert.deepStrictEqual(
        [yield* look(now + 5), yield* look(now + 5)],
        [
          [0, 3],
          [0, 3]
        ]
      )
      assert.deepStrictEqual(yield* look(now + 2 * window), [0, 0])
    }).pipe(Effect.scoped)
  )

  it.effect("lets no span of a window hold more than the quota, and refuses for half a second longer at most", () =>
    Effect.gen(function* () {
      const takes = yield* runners(2)
      const counted: Array<number> = []
      const late: Array<number> = []
      // Uneven steps of up to 800 ms for three minutes, four requests in each.
      for (let at = now, step = 0; at < now + 3 * window; at += 137 + ((step++ * 331) % 670)) {
        for (const index of [0, 1, 2, 3]) {
          const { allowed } = yield* takes[index % 2]!("steps", 30, window, at)
          const within = counted.filter((moment) => moment > at - window).length
          if (allowed) {
            assert.isBelow(within, 30)
            counted.push(at)
          } else if (within < 30) late.push(at - counted.at(-30)! - window)
        }
      }
      assert.isAbove(counted.length, 80)
      for (const millis of late) assert.isBelow(millis, 500)
    }).pipe(Effect.scoped)
  )

  it.effect("says when a refused call is let through, also when the quota was lowered", () =>
    Effect.gen(function* () {
      const [take] = yield* runners(1)
      for (const second of [0, 10, 20]) yield* take!("lowered", 3, window, now + second * 1_000)
      const refused = yield* take!("lowered", 2, window, now + 30_000)
      assert.deepStrictEqual([refused.allowed, refused.retryAfterMillis], [false, 40_000])
      assert.isFalse((yield* take!("lowered", 2, window, now + 69_999)).allowed)
      assert.isTrue((yield* take!("lowered", 2, window, now + 70_000)).allowed)
    }).pipe(Effect.scoped)
  )

  it.effect("counts by the runner whose clock is ahead, and starts over for a time a whole window ahead", () =>
    Effect.gen(function* () {
      const [take] = yield* runners(1)
      assert.isTrue((yield* take!("skewed", 1, window, now + 5_000)).allowed)
      assert.isFalse((yield* take!("skewed", 1, window, now)).allowed)
      assert.isFalse((yield* take!("skewed", 1, window, now + 64_999)).allowed)
      assert.isTrue((yield* take!("skewed", 1, window, now + 65_000)).allowed)
      assert.isTrue((yield* take!("skewed", 1, window, now)).allowed)
    }).pipe(Effect.scoped)
  )

  it.effect("that has no counts leaves each runner to count for itself", () =>
    Effect.gen(function* () {
      const [{ name }] = (yield* (yield* Service).sql<{ name: string }>`select current_database() as name`) as [
        { name: string }
      ]
      const sql = yield* ownersConnection(name)
      const takes = yield* runners(2)
      yield* sql`alter table quota_counts rename to away`
      const alone = yield* Effect.forEach([0, 0, 1, 1], (index) => takes[index]!("alone", 1, window, now))
      assert.deepStrictEqual(
        alone.map(({ allowed }) => allowed),
        [true, false, true, false]
      )
      yield* sql`alter table away rename to quota_counts`
      const again = yield* Effect.forEach([0, 1], (index) => takes[index]!("alone", 1, window, now))
      assert.deepStrictEqual(
        again.map(({ allowed }) => allowed),
        [true, false]
      )
    }).pipe(Effect.scoped)
  )
})
