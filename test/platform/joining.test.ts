/** The steps by which a runner becomes a part of the cluster. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Joining from "@coffer/cluster/Joining"

const whole: Joining.Spread = { owned: 300, own: 0, runners: 2 }

/** A runner among others, built, and what it has got to. `spread` may change. */
const joining = Effect.fnUntraced(function* (spread: () => Joining.Spread | "no answer") {
  const context = yield* Layer.build(Joining.layer)
  const { built, mayEnter, balanced } = Context.get(context, Joining.Joining)
  const looked = Effect.suspend(() => {
    const now = spread()
    return now === "no answer" ? Effect.fail(now) : Effect.succeed(now)
  })
  yield* Effect.forkScoped(Effect.provideContext(Joining.run(looked), context), { startImmediately: true })
  const before = mayEnter.isOpen()
  yield* built.open
  yield* TestClock.adjust(0)
  return { before, entered: () => mayEnter.isOpen(), balanced: () => balanced.isOpen() }
})

describe("a runner that joins others", () => {
  it.effect("enters when it is built, and is balanced when it owns its part and all others have an owner", () =>
    Effect.gen(function* () {
      let spread = whole
      const { before, entered, balanced } = yield* joining(() => spread)
      assert.deepStrictEqual([before, entered(), balanced()], [false, true, false])
      for (const next of [
        { owned: 300, own: 99, runners: 3 },
        { owned: 299, own: 100, runners: 3 }
      ]) {
        spread = next
        yield* TestClock.adjust("100 millis")
        assert.isFalse(balanced(), JSON.stringify(next))
      }
      spread = { owned: 300, own: 100, runners: 3 }
      yield* TestClock.adjust("100 millis")
      assert.isTrue(balanced())
    }).pipe(Effect.scoped)
  )

  it.effect("lets them take over the shards of one that has ended before it enters", () =>
    Effect.gen(function* () {
      let spread: Joining.Spread | "no answer" = { ...whole, owned: 200 }
      const { entered } = yield* joining(() => spread)
      spread = "no answer"
      yield* TestClock.adjust("100 millis")
      assert.isFalse(entered())
      spread = whole
      yield* TestClock.adjust("100 millis")
      assert.isTrue(entered())
    }).pipe(Effect.scoped)
  )

  it.effect("enters after five seconds, and is balanced after thirty more, whatever the others do", () =>
    Effect.gen(function* () {
      const { entered, balanced } = yield* joining(() => ({ ...whole, owned: 200 }))
      yield* TestClock.adjust("4900 millis")
      assert.isFalse(entered())
      yield* TestClock.adjust("100 millis")
      assert.isTrue(entered())
      yield* TestClock.adjust("29 seconds")
      assert.isFalse(balanced())
      yield* TestClock.adjust("1 second")
      assert.isTrue(balanced())
    }).pipe(Effect.scoped)
  )

  it.effect("enters at once where no shard has an owner", () =>
    Effect.gen(function* () {
      const { entered } = yield* joining(() => ({ owned: 0, own: 0, runners: 0 }))
      assert.isTrue(entered())
    }).pipe(Effect.scoped)
  )
})

it.effect("a single process does not wait", () =>
  Effect.gen(function* () {
    const context = yield* Layer.build(Joining.layer)
    const { built, balanced } = Context.get(context, Joining.Joining)
    yield* built.open
    yield* Effect.provideContext(Joining.run(undefined), context)
    assert.isTrue(balanced.isOpen())
  }).pipe(Effect.scoped)
)
