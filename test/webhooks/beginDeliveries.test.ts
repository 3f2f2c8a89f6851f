/** How leased deliveries are begun and end, whatever fails in between (docs/decisions/0016). */
import type { Mode } from "@coffer/model/Ids"
import {
  keysOf,
  placesOf,
  placesPerLine,
  type Standing,
  standings,
  sumOf,
  waitingOf
} from "@coffer/rules/delivery/places"
import { assert, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Logger, Metric, Option, Queue } from "effect"
import { TestClock } from "effect/testing"
import {
  lineOf,
  makeBegin,
  makePlacesInUse,
  makeWaiting,
  type Started
} from "../../src/webhooks/deliveries/beginDeliveries.ts"
import { makeFailingDestinations } from "../../src/webhooks/deliveries/DeliveryMetrics.ts"
import type { Ended, LeasedDelivery } from "../../src/webhooks/deliveries/deliveryResults.ts"
import { DeliveryStore } from "../../src/webhooks/deliveries/DeliveryStore.ts"
import * as MerchantClocks from "../../src/platform/runtime/MerchantClocks.ts"
import { makeUnwell } from "../../src/webhooks/deliveries/EndpointHealth.ts"
import { excerptsMax, makeExcerpts, type Posted, type PostResult } from "../../src/webhooks/deliveries/postDelivery.ts"

const time = DateTime.makeUnsafe(0)
const answered: Posted = {
  at: time,
  ended: time,
  millis: 0,
  url: "https://shop.example/",
  outcome: { _tag: "Answered", status: 200, snippet: "thanks" },
  disables: false
}

interface Adding extends Partial<LeasedDelivery> {
  readonly leaseUntil?: DateTime.Utc
}

/** Deliveries of one line, whose posts end when the test says so. A broken post throws once. */
const world = Effect.gen(function* () {
  const posts = new Map<string, Deferred.Deferred<PostResult>>()
  const recorded = yield* Queue.unbounded<string>()
  const excerpts: Array<string | null> = []
  const released = yield* Queue.unbounded<void>()
  const broken = new Set<"next" | "count">()
  const breaking = (what: "next" | "count") => {
    if (broken.delete(what)) throw new Error(`${what} is broken`)
  }
  const seen = { held: 0, woken: 0 }
  const worker: Started["worker"] = {
    wake: () => void seen.woken++,
    hold: () => void seen.held++,
    release: () => {
      seen.held--
      Queue.offerUnsafe(released, undefined)
    }
  }
  const waiting = makeWaiting<Started>()
  const places = makePlacesInUse()
  const failing = makeFailingDestinations()
  /** The database: its statements, and when it takes results. */
  const database = { asked: new Array<string>(), ready: Effect.void as Effect.Effect<void> }
  const record = (batch: ReadonlyArray<Ended>) =>
    Effect.andThen(
      Effect.sync(() =>
        batch.forEach(({ attempt, delivery }) => {
          excerpts.push(attempt.snippet)
          Queue.offerUnsafe(recorded, delivery.id)
        })
      ),
      Effect.suspend(() => database.ready)
    )
  const latest = new Map<string, number>()
  const { begin, isBehind, nextLeaseEnd } = yield* makeBegin({
    post: ({ id }, until) => {
      latest.set(id, until)
      return Effect.flatMap(
        Effect.sync(() => posts.get(id)!),
        Deferred.await
      )
    },
    places,
    failing,
    unwell: makeUnwell(),
    metrics: {
      count: () => Effect.sync(() => breaking("count")),
      underWay: () => Effect.void,
      work: undefined as never
    },
    waiting: {
      ...waiting,
      next: (...asked) => {
        breaking("next")
        return waiting.next(...asked)
      }
    }
  }).pipe(
    Effect.provideService(DeliveryStore, {
      record,
      skip: ({ id }: LeasedDelivery) => Effect.sync(() => void database.asked.push(`skip ${id}`)),
      hold: ({ id }: LeasedDelivery) => Effect.sync(() => void database.asked.push(`hold ${id}`))
    } as unknown as DeliveryStore["Service"]),
    Effect.provide(MerchantClocks.layer)
  )

  const add = (id: string, mode: Mode = "live", { leaseUntil = time, ...more }: Adding = {}) => {
    const known = { id, mode, merchant_id: "mer_1", destination: "shop.example", attempts: 0, endpoint_id: null }
    const leased = { ...known, ...more } as unknown as LeasedDelivery
    posts.set(id, Deferred.makeUnsafe())
    worker.hold()
    waiting.add({ delivery: leased, leaseUntil, line: lineOf(leased), worker }, places)
  }
  const end = (id: string, result: PostResult = answered) => Deferred.succeed(posts.get(id)!, result)
  return {
    add,
    begin,
    broken,
    database,
    end,
    excerpts,
    failing,
    isBehind,
    latest,
    nextLeaseEnd,
    places,
    posts,
    recorded: Queue.take(recorded),
    released: Queue.take(released),
    seen
  }
})

it.effect("a delivery that cannot be begun after another has ended costs no place, and is begun by the worker", () =>
  Effect.gen(function* () {
    const { add, begin, broken, end, places, recorded, released, seen } = yield* world
    const line = { mode: "live", merchantId: "mer_1", destination: "shop.example" } as const
    // It has one place.
    places.learn(line, { isAnswered: false, millis: 10_000 })
    add("first")
    add("second")
    begin("live")
    broken.add("next")
    yield* end("first")
    assert.strictEqual(yield* recorded, "first")
    yield* released
    assert.deepStrictEqual({ posts: places.posts(), ...seen }, { posts: 0, held: 1, woken: 1 })
    begin("live")
    assert.strictEqual(places.posts(), 1)
    yield* end("second")
    assert.strictEqual(yield* recorded, "second")
    yield* released
    assert.deepStrictEqual([places.posts(), seen.held], [0, 0])
  })
)

it.effect("results are written and their holds given back also after what follows from a batch has failed", () =>
  Effect.gen(function* () {
    const { add, begin, broken, end, recorded, released, seen } = yield* world
    add("first")
    add("second")
    begin("live")
    broken.add("count")
    yield* end("first")
    assert.strictEqual(yield* recorded, "first")
    yield* released
    yield* end("second")
    assert.strictEqual(yield* recorded, "second")
    yield* released
    assert.strictEqual(seen.held, 0)
  })
)

it.effect(
  "an attempt without a result leaves a row that is due when its lease ends, and no place or hold behind",
  () => {
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => void lines.push(String(message)))
    return Effect.gen(function* () {
      const { add, begin, database, end, nextLeaseEnd, places, posts, released, seen } = yield* world
      const leases = { paused: 3_000, late: 2_000, proxy: 4_000, broken: 1_000, skipped: 500 }
      for (const [id, millis] of Object.entries(leases)) add(id, "live", { leaseUntil: DateTime.makeUnsafe(millis) })
      begin("live")
      for (const id of ["paused", "late", "proxy", "skipped"] as const) yield* end(id, id)
      yield* Deferred.die(posts.get("broken")!, "no settings")
      yield* Effect.replicateEffect(released, 5)
      assert.deepStrictEqual([places.posts(), seen.held], [0, 0])
      assert.sameMembers(database.asked, ["hold paused", "skip skipped"])
      // A skipped delivery is no longer due.
      for (const [now, next] of [
        [0, 1_000],
        [999, 1_000],
        [1_000, 2_000],
        [2_500, 3_000],
        [3_000, 4_000],
        [4_000, undefined]
      ] as const) {
        assert.deepStrictEqual(
          Option.map(nextLeaseEnd(DateTime.makeUnsafe(now)), DateTime.toEpochMillis),
          Option.fromNullishOr(next)
        )
      }
      assert.lengthOf(lines, 1)
      assert.match(
        lines[0]!,
        /^delivery broken to shop.example: attempt 1 could not be made or recorded \(no settings\)/
      )
      const failures = (yield* Metric.snapshot).filter(({ id }) => id === "coffer_delivery_failures_total")
      const counts = failures.map(({ attributes, state }) => [
        attributes?.["outcome"],
        (state as { count: number }).count
      ])
      assert.deepStrictEqual(counts, [["proxy", 1]])
    }).pipe(Effect.provide(Logger.layer([logger])))
  }
)

it.effect(
  "a result that asks for another attempt wakes the worker when it is written, which may have looked before",
  () =>
    Effect.gen(function* () {
      for (const [status, woken] of [
        [200, 1],
        [500, 2]
      ] as const) {
        const { add, begin, end, released, seen } = yield* world
        add("first")
        begin("live")
        yield* end("first", { ...answered, outcome: { _tag: "Answered", status, snippet: "" } })
        yield* released
        assert.strictEqual(seen.woken, woken)
      }
    })
)

it.effect("an attempt begins at the latest ten seconds before its lease ends", () =>
  Effect.gen(function* () {
    const { add, begin, latest } = yield* world
    add("first", "live", { leaseUntil: DateTime.makeUnsafe(30_000) })
    begin("live")
    yield* Effect.yieldNow
    assert.strictEqual(latest.get("first"), 20_000)
  })
)

it.effect("an attempt that the operator's proxy kept from its destination is counted, and a late one is not", () =>
  Effect.gen(function* () {
    const { add, begin, end, released } = yield* world
    const counted = Effect.map(Metric.snapshot, (all) => {
      const found = all.find(({ attributes }) => attributes?.["outcome"] === "proxy")
      return found === undefined ? 0 : Number((found.state as { readonly count: number | bigint }).count)
    })
    const before = yield* counted
    for (const [result, more] of [
      ["late", 0],
      ["proxy", 1]
    ] as const) {
      add(result)
      begin("live")
      yield* end(result, result)
      yield* released
      assert.strictEqual((yield* counted) - before, more, result)
    }
  })
)

it.effect("its line has one place after a post that hung, and all of a line's after an answer, however late", () =>
  Effect.gen(function* () {
    const hung: PostResult = {
      ...answered,
      millis: 10_000,
      outcome: { _tag: "NotDelivered", reason: "timeout", detail: "no answer" }
    }
    for (const [result, limit] of [
      [hung, 1],
      [{ ...answered, millis: 10_000 }, placesPerLine]
    ] as const) {
      const { add, begin, end, places, released } = yield* world
      add("first")
      begin("live")
      yield* end("first", result)
      yield* released
      assert.deepStrictEqual([...places.limits.values()], [limit])
    }
  })
)

it.effect(
  "a post that ends wakes the worker where few wait, or a place is left, and not where the next one took it",
  () =>
    Effect.gen(function* () {
      for (const [waiting, woken] of [
        [sumOf(waitingOf) / 4 + 2, 0],
        [2, 1]
      ] as const) {
        const { add, begin, end, places, recorded, seen } = yield* world
        const of = (standing: Standing) => keysOf({ mode: "live", merchantId: "others", destination: "x" }, standing)
        for (const standing of standings) {
          for (let post = standing === "new" ? 1 : 0; post < placesOf[standing]; post++) places.take(of(standing))
        }
        for (let n = 0; n < waiting; n++)
          add(String(n), "live", { merchant_id: `mer_${n}`, destination: `${n}.example` })
        begin("live")
        assert.isFalse(places.hasFreePlace("live"))
        yield* end("0")
        assert.strictEqual(yield* recorded, "0")
        assert.strictEqual(seen.woken, woken)
      }
    })
)

it.effect("none is begun while the database keeps up with no more results", () =>
  Effect.gen(function* () {
    const { add, begin, database, end, isBehind, places, recorded } = yield* world
    const go = yield* Deferred.make<void>()
    database.ready = Deferred.await(go)
    for (let n = 0; n < 1_024; n++) {
      assert.isFalse(isBehind())
      add(String(n))
      begin("live")
      yield* end(String(n))
      if (n === 0) yield* recorded
      yield* Effect.yieldNow
    }
    assert.isTrue(isBehind())
    add("one more")
    begin("live")
    assert.strictEqual(places.posts(), 0)
    yield* Deferred.succeed(go, undefined)
  })
)

it.effect("a destination is said to fail once it has for an hour, and not for a failure that is our own", () => {
  const lines: Array<string> = []
  const logger = Logger.make(({ message }) => void lines.push(String(message)))
  return Effect.gen(function* () {
    const { add, begin, end, failing, recorded } = yield* world
    const ending = Effect.fnUntraced(function* (id: string, outcome: Posted["outcome"], more: Adding = {}) {
      add(id, "live", more)
      begin("live")
      yield* end(id, { ...answered, outcome })
      yield* recorded
    })
    yield* ending("ours", { _tag: "Unsigned" })
    assert.strictEqual(failing.count(3_600_000), 0)
    yield* ending("first", { _tag: "Answered", status: 500, snippet: "" })
    assert.strictEqual(failing.count(3_600_000), 1)
    yield* TestClock.adjust("1 hour")
    const since = "have failed since 1970-01-01T00:00:00.000Z"
    yield* ending("second", { _tag: "Answered", status: 500, snippet: "" })
    assert.deepStrictEqual(lines, [`webhooks of mer_1 (live) to shop.example ${since}: it answers 500`])
    yield* TestClock.adjust("1 hour")
    const refused = { _tag: "NotDelivered", reason: "connect", detail: "ECONNREFUSED" } as const
    yield* ending("third", refused, { endpoint_id: "we_1" })
    assert.strictEqual(lines[1], `webhooks of mer_1 (live, we_1) to shop.example ${since}: connect: ECONNREFUSED`)
    yield* ending("fourth", answered.outcome)
    assert.strictEqual(failing.count(3 * 3_600_000), 0)
    assert.lengthOf(lines, 2)
  }).pipe(Effect.provide(Logger.layer([logger])))
})

it("the excerpts of a sandbox's answers are bounded in a minute, for each merchant; live ones are not", () => {
  const keeps = makeExcerpts()
  const of = (merchant_id: string, mode: Mode = "sandbox") => ({ merchant_id, mode }) as LeasedDelivery
  const kept = (delivery: LeasedDelivery, millis: number) =>
    Array.from({ length: excerptsMax + 5 }, () => keeps(delivery, millis)).filter(Boolean).length
  assert.strictEqual(kept(of("mer_1"), 60_000), excerptsMax)
  assert.strictEqual(kept(of("mer_1"), 119_999), 0)
  assert.strictEqual(kept(of("mer_2"), 119_999), excerptsMax)
  assert.strictEqual(kept(of("mer_1", "live"), 119_999), excerptsMax + 5)
  assert.strictEqual(kept(of("mer_1"), 120_000), excerptsMax)
})

it.effect("an attempt whose excerpt is one too many is recorded without it", () =>
  Effect.gen(function* () {
    const { add, begin, end, excerpts, recorded } = yield* world
    for (let index = 0; index <= excerptsMax; index++) {
      add(String(index), "sandbox")
      begin("sandbox")
      yield* end(String(index))
      yield* recorded
    }
    assert.deepStrictEqual(excerpts, [...Array.from({ length: excerptsMax }, () => "thanks"), null])
  })
)
