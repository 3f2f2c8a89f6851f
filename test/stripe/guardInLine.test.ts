/** Calls to Stripe that wait in the queue, while a probe finds out whether Stripe or the proxy is back. */
import { assert, describe, it } from "@effect/vitest"
import { MerchantId } from "@coffer/model/Ids"
import { Deferred, Effect, Fiber, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { Stripe } from "stripe"
import { Crowded, Pace } from "../../src/channels/stripe/Pace.ts"
import { breakers, makeStripeGuard, Patience } from "../../src/channels/stripe/StripeGuard.ts"
import { NoTunnel } from "../../src/channels/stripe/StripeGuard.ts"

const account = { merchantId: MerchantId.make("mer_00000000000000000000000001"), mode: "sandbox" as const }
const budget = { account: "acct_1", mode: "sandbox", perSecond: 25 } as const

const refusal = (detail: Error) => new Stripe.errors.StripeConnectionError({ message: "", detail } as never)
const noTunnel = refusal(new NoTunnel("it answered CONNECT with 502"))
const noAnswer = new Stripe.errors.StripeAPIError({ message: "", statusCode: 500 } as never)

/** A guard whose queue releases a call by `enter`, and the calls made through it. */
const guarded = Effect.fnUntraced(function* (enter: { now: Effect.Effect<void, Crowded> }) {
  const pace = Pace.of({
    enter: () => enter.now,
    close: () => {},
    until: () => Effect.succeed(Infinity),
    millis: () => 0,
    wait: () => Effect.void
  })
  const guard = yield* makeStripeGuard.pipe(Effect.provide(Layer.merge(breakers, Layer.succeed(Pace, pace))))
  const world = { asked: 0, fails: undefined as Error | undefined }
  const call = Effect.result(
    guard(
      () => {
        world.asked++
        return world.fails === undefined ? Promise.resolve("here") : Promise.reject(world.fails)
      },
      account,
      budget
    )
  )
  /** Calls fail until the breaker opens, and then its pause is over. */
  const pauseOver = Effect.gen(function* () {
    yield* Effect.replicateEffect(call, Patience.defaultValue().calls + 1)
    assert.strictEqual(world.asked, Patience.defaultValue().calls)
    yield* TestClock.adjust("11 seconds")
    world.asked = 0
  })
  return { call, pauseOver, world }
})

const free = Effect.void
const crowded = Effect.fail(new Crowded({ retryAfterMillis: 1_000 }))

describe("a call that waits in line", () => {
  for (const [whom, fails] of [
    ["the proxy", noTunnel],
    ["Stripe", noAnswer]
  ] as const) {
    it.effect(`for which no turn comes tells nothing of ${whom}, which still has to show that it is back`, () =>
      Effect.gen(function* () {
        const enter = { now: free as Effect.Effect<void, Crowded> }
        const { call, pauseOver, world } = yield* guarded(enter)
        world.fails = fails
        yield* pauseOver
        enter.now = crowded
        yield* Effect.replicateEffect(call, 3)
        enter.now = free
        yield* Effect.replicateEffect(call, 3)
        assert.strictEqual(world.asked, 1, "one call tries it, and the next ones end at once")
      }).pipe(Effect.scoped)
    )

    it.effect(`keeps no other from trying whether ${whom} is back`, () =>
      Effect.gen(function* () {
        const enter = { now: free as Effect.Effect<void, Crowded> }
        const { call, pauseOver, world } = yield* guarded(enter)
        world.fails = fails
        yield* pauseOver
        const turn = yield* Deferred.make<void>()
        enter.now = Deferred.await(turn)
        const waiting = yield* Effect.forkChild(call, { startImmediately: true })
        enter.now = free
        world.fails = undefined
        assert.isTrue(Result.isSuccess(yield* call))
        yield* Deferred.succeed(turn, undefined)
        assert.isTrue(Result.isSuccess(yield* Fiber.join(waiting)))
      }).pipe(Effect.scoped)
    )

    it.effect(`waits no longer when ${whom} is known to be away`, () =>
      Effect.gen(function* () {
        const enter = { now: free as Effect.Effect<void, Crowded> }
        const { call, world } = yield* guarded(enter)
        world.fails = fails
        yield* Effect.replicateEffect(call, Patience.defaultValue().calls)
        enter.now = Effect.die("it stood in line")
        assert.isTrue(Result.isFailure(yield* call))
      }).pipe(Effect.scoped)
    )
  }
})
