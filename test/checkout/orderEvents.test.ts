/** How a checkout page learns that its order has changed (silences: K5): one query per second for all listeners. */
import type { Order } from "@coffer/rules/order/Order"
import { assert, describe, it } from "@effect/vitest"
import * as MerchantClocks from "../../src/platform/runtime/MerchantClocks.ts"
import { Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { listenersMax, listenersOfOneMax, make } from "../../src/door/checkout/OrderWatch.ts"
import { Draining } from "../../src/shared/http/Draining.ts"
import { Orders } from "../../src/money/orders/Orders.ts"
import { type Buyer, Channel, make as makeChannels } from "../../src/shared/channel/Channel.ts"
import { TradeNo } from "@coffer/model/Ids"
import { createdAt, facts, pendingOrder, untouched } from "../kit/rules/fixtures.ts"
import { DateTime } from "effect"

const paid: Order = { ...facts, ...untouched, ...pendingOrder, status: "paid" }
const { tradeNo } = pendingOrder
const other = (index: number) => TradeNo.make(`TRD_SB_${String(index).padStart(26, "0")}`)

/** A watch over one scripted order, how often it was read, and what else may be changed. */
const open = Effect.gen(function* () {
  yield* TestClock.setTime(DateTime.toEpochMillis(createdAt))
  const world = { order: pendingOrder as Order, reads: 0, fails: false, works: false, draining: { now: false } }
  const orders = Layer.mock(Orders, {
    byTradeNo: () =>
      Effect.suspend(() => {
        world.reads++
        return world.fails ? Effect.die(new Error("no database")) : Effect.succeed(world.order)
      })
  })
  const buyer = { hasPaid: () => Effect.sync(() => world.works) } as unknown as Buyer
  const channel = Layer.succeed(Channel, { ...makeChannels(), buyer })
  const watch = yield* Effect.provide(
    make,
    Layer.mergeAll(orders, channel, MerchantClocks.layer, Layer.succeed(Draining, world.draining))
  )
  /** In a scope of its own, as a connection is. */
  const listen = Effect.fnUntraced(function* (no: TradeNo = tradeNo) {
    const scope = yield* Scope.make()
    const outcome = yield* Scope.provide(watch.listen(no), scope)
    return { outcome, leave: Scope.close(scope, Exit.void) }
  })
  return { world, watch, listen }
})

describe("checkout: listening to an order", () => {
  it.effect("ends with the change, within a second of it, for every listener", () =>
    Effect.gen(function* () {
      const { listen, world } = yield* open
      const listeners = yield* Effect.replicateEffect(listen(), 3)
      const waiting = yield* Effect.forkChild(Effect.all(listeners.map(({ outcome }) => Deferred.await(outcome))))
      yield* TestClock.adjust("3 seconds")
      world.order = paid
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(waiting), ["changed", "changed", "changed"])
    })
  )

  it.effect("reads the order once a second, however many listen, and no more when all have left", () =>
    Effect.gen(function* () {
      const { listen, world } = yield* open
      const listeners = yield* Effect.replicateEffect(listen(), listenersOfOneMax)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(world.reads, 11)
      yield* Effect.all(listeners.map(({ leave }) => leave))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(world.reads, 11)
    })
  )

  it.effect("has room for so many of one order, and for so many in all, and gives it back", () =>
    Effect.gen(function* () {
      const { listen, watch } = yield* open
      const [first] = yield* Effect.replicateEffect(listen(), listenersOfOneMax)
      assert.isFalse(watch.hasRoom(tradeNo))
      assert.isTrue(watch.hasRoom(other(2)))
      yield* first!.leave
      assert.isTrue(watch.hasRoom(tradeNo))
      yield* Effect.forEach(Array.from({ length: listenersMax - listenersOfOneMax + 1 }), (_, index) =>
        listen(other(index + 2))
      )
      assert.isFalse(watch.hasRoom(other(1_000)))
    })
  )

  it.effect("continues while the database does not answer", () =>
    Effect.gen(function* () {
      const { listen, world } = yield* open
      world.fails = true
      const { outcome } = yield* listen()
      yield* TestClock.adjust("5 seconds")
      world.fails = false
      world.order = paid
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Deferred.await(outcome), "changed")
    })
  )

  it.effect("continues after the order's end while the bank has a payment for it", () =>
    Effect.gen(function* () {
      const { listen, world } = yield* open
      world.works = true
      const { outcome } = yield* listen()
      yield* TestClock.adjust("25 hours")
      assert.isFalse(yield* Deferred.isDone(outcome))
      world.order = paid
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Deferred.await(outcome), "changed")
    })
  )

  it.effect("ends when the order's time is over, and when the process ends", () =>
    Effect.gen(function* () {
      const { listen, world } = yield* open
      const late = yield* listen()
      yield* TestClock.adjust("24 hours")
      assert.strictEqual(yield* Deferred.await(late.outcome), "changed")
      yield* late.leave
      yield* TestClock.setTime(DateTime.toEpochMillis(createdAt))
      const leaving = yield* listen(other(3))
      world.draining.now = true
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Deferred.await(leaving.outcome), "leaving")
    })
  )
})
