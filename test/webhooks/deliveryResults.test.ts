/** How results of attempts are written (docs/decisions/0016). */
import { assert, it } from "@effect/vitest"
import { Context, DateTime, Deferred, Effect, Exit, Queue, Scope } from "effect"
import { Wakeups } from "../../src/platform/commit/Wakeups.ts"
import { type Ended, makeResults } from "../../src/webhooks/deliveries/deliveryResults.ts"
import { DeliveryStore } from "../../src/webhooks/deliveries/DeliveryStore.ts"
import { receiver } from "../kit/Receiver.ts"
import { insertDeliveries } from "../kit/rows/Rows.ts"
import { start } from "../kit/Service.ts"

const ended = (id: string): Ended => ({
  delivery: { id, attempts: 0, destination: "shop.example" } as Ended["delivery"],
  attempt: { at: DateTime.makeUnsafe(0) } as Ended["attempt"],
  health: null
})

/** A store that writes on command. */
const slowStore = Effect.gen(function* () {
  const batches = yield* Queue.unbounded<ReadonlyArray<string>>()
  const go = yield* Deferred.make<void>()
  const record = (batch: ReadonlyArray<Ended>) =>
    Effect.andThen(
      Effect.sync(() =>
        Queue.offerUnsafe(
          batches,
          batch.map(({ delivery }) => delivery.id)
        )
      ),
      Deferred.await(go)
    )
  return { batches, go, record }
})

it.effect("results that come while others are written are written together, and what waits at the end before it", () =>
  Effect.gen(function* () {
    const { batches, go, record } = yield* slowStore
    const scope = yield* Scope.make()
    const results = yield* Effect.provideService(
      makeResults(record, () => Effect.void),
      Scope.Scope,
      scope
    )
    results.add(ended("first"))
    assert.deepStrictEqual(yield* Queue.take(batches), ["first"])
    for (const id of ["second", "third", "fourth"]) results.add(ended(id))
    yield* Deferred.succeed(go, undefined)
    yield* Scope.close(scope, Exit.void)
    assert.deepStrictEqual(yield* Queue.take(batches), ["second", "third", "fourth"])
  })
)

it.effect("a batch that cannot be written is written one by one, and what follows from it follows once", () =>
  Effect.gen(function* () {
    const written = yield* Queue.unbounded<string>()
    const followed = yield* Queue.unbounded<number>()
    const record = (batch: ReadonlyArray<Ended>) =>
      batch.length > 1
        ? Effect.die("broken")
        : Effect.sync(() => void Queue.offerUnsafe(written, batch[0]!.delivery.id))
    const results = yield* makeResults(record, (batch) =>
      Effect.sync(() => void Queue.offerUnsafe(followed, batch.length))
    )
    const ids = ["first", "second", "third"]
    for (const id of ids) results.add(ended(id))
    assert.sameMembers(yield* Queue.takeN(written, 3), ids)
    assert.strictEqual(yield* Queue.take(followed), 3)
  })
)

it.live("a result that cannot be written keeps no other out", () =>
  Effect.gen(function* () {
    const running = yield* start({ clock: "test" })
    const { merchant, sql } = running
    const hook = yield* receiver
    yield* insertDeliveries(sql, { merchantId: merchant.merchantId, count: 5 }, `'${new URL(hook.url).host}'`)
    const [spoilt] = yield* sql<{ readonly id: string }>`select id from deliveries limit 1`
    yield* sql`insert into delivery_attempts (delivery_id, attempt, at, duration_ms)
      values (${spoilt!.id}, 1, to_timestamp(0), 1)`
    Context.get(running.context as Context.Context<Wakeups>, Wakeups).raise("deliveries")
    yield* Effect.replicateEffect(hook.next, 5)
    yield* running.atRest
    const left = yield* sql<{ readonly id: string }>`select id from deliveries where status <> 'succeeded'`
    assert.deepStrictEqual(left, [spoilt!])
  })
)

it.live("a redelivery is known, although the worker has looked before the result was written that asks for it", () =>
  Effect.gen(function* () {
    const running = yield* start({ clock: "test" })
    const { api, atRest, context, merchant, pass } = running
    const hook = yield* receiver
    hook.answer(500)
    const store: Writable = Context.get(context as Context.Context<DeliveryStore>, DeliveryStore)
    const { nextDue, record } = store
    const hasLooked = yield* Deferred.make<void>()
    let isWriting = false
    store.record = (batch) => {
      isWriting = true
      return Effect.andThen(Deferred.await(hasLooked), record(batch))
    }
    store.nextDue = (now) =>
      Effect.suspend(() =>
        isWriting ? Effect.tap(nextDue(now), Deferred.succeed(hasLooked, undefined)) : nextDue(now)
      )
    const order = yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 1000, notify_url: hook.url })
    yield* api.post(`/v1/test_helpers/orders/${order.body.data.trade_no}/pay`, merchant.sandboxKey, {})
    yield* atRest
    assert.strictEqual(hook.all.length, 1)
    yield* pass("30 seconds")
    assert.strictEqual(hook.all.length, 2)
  })
)

type Writable = { -readonly [Name in keyof DeliveryStore["Service"]]: DeliveryStore["Service"][Name] }
