/** Actors that wake cheaply (docs/decisions/0009). */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Schema } from "effect"
import { Entity, TestRunner } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { TestClock } from "effect/testing"
import { entityLayer } from "../../src/platform/cluster/entityLayer.ts"

const Greeter = Entity.make("Greeter", [Rpc.make("Greet", { success: Schema.String })])

it.effect("an actor that cannot wake is tried again after half a second, then later and later", () => {
  let failures = 2
  const wake = Effect.suspend(() =>
    failures-- > 0 ? Effect.die("not yet") : Effect.succeed(Greeter.of({ Greet: () => Effect.succeed("hello") }))
  )
  const greeters = entityLayer(Greeter, Effect.succeed(wake), { maxIdleTime: "1 minute" })
  return Effect.gen(function* () {
    const greeter = yield* Greeter.client
    // Until then no runner owns a shard.
    yield* TestClock.adjust("5 seconds")
    const answer = yield* Effect.forkChild(greeter("one").Greet(), { startImmediately: true })
    yield* TestClock.adjust("499 millis")
    assert.strictEqual(failures, 1)
    yield* TestClock.adjust("1 millis")
    assert.strictEqual(failures, 0)
    yield* TestClock.adjust("749 millis")
    assert.strictEqual(failures, 0)
    yield* TestClock.adjust("1 millis")
    assert.strictEqual(yield* Fiber.join(answer), "hello")
  }).pipe(Effect.provide(Layer.provideMerge(greeters, TestRunner.layer)))
})
