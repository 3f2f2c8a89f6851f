/** How leased deliveries are begun and end, whatever goes wrong between (docs/decisions/0016, 0041). */
import type { Mode } from "@coffer/model/Ids"
import { assert, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Queue } from "effect"
import { lineOf, makeBegin, makePlacesInUse, makeWaiting, type Started } from "../../src/webhooks/beginDeliveries.ts"
import { makeFailingDestinations } from "../../src/webhooks/DeliveryMetrics.ts"
import type { Ended, LeasedDelivery } from "../../src/webhooks/deliveryResults.ts"
import { DeliveryStore } from "../../src/webhooks/DeliveryStore.ts"
import * as MerchantClocks from "../../src/platform/runtime/MerchantClocks.ts"
import { makeUnwell } from "../../src/webhooks/EndpointHealth.ts"
import { excerptsMax, makeExcerpts, type PostResult } from "../../src/webhooks/postDelivery.ts"

const time = DateTime.makeUnsafe(0)
const answered: PostResult = {
  at: time,
  ended: time,
  millis: 0,
  url: "https://shop.example/",
  outcome: { _tag: "Answered", status: 200, snippet: "thanks" },
  disables: false
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
  const record = (batch: ReadonlyArray<Ended>) =>
    Effect.sync(() =>
      batch.forEach(({ attempt, delivery }) => {
        excerpts.push(attempt.snippet)
        Queue.offerUnsafe(recorded, delivery.id)
      })
    )
  const { begin } = yield* makeBegin({
    post: ({ id }) =>
      Effect.flatMap(
        Effect.sync(() => posts.get(id)!),
        Deferred.await
      ),
    places,
    failing: makeFailingDestinations(),
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
    Effect.provideService(DeliveryStore, { record } as unknown as DeliveryStore["Service"]),
    Effect.provide(MerchantClocks.layer)
  )

  const add = (id: string, mode: Mode = "live") => {
    const delivery = { id, mode, merchant_id: "mer_1", destination: "shop.example", attempts: 0 }
    const leased = delivery as unknown as LeasedDelivery
    posts.set(id, Deferred.makeUnsafe())
    worker.hold()
    waiting.add({ delivery: leased, leaseUntil: time, line: lineOf(leased), worker }, places)
  }
  const end = (id: string) => Deferred.succeed(posts.get(id)!, answered)
  return {
    add,
    begin,
    broken,
    end,
    excerpts,
    places,
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
