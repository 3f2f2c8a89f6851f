/** Closing an order at the moment at which Stripe answers with its session. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { Faults } from "../../src/platform/runtime/Faults.ts"
import { connected } from "./kit.ts"

/** Stops after the first write of a session's row, and before the second one. */
const betweenWrites = Effect.gen(function* () {
  const planned = yield* Deferred.make<void>()
  const mayAsk = yield* Deferred.make<void>()
  const givingUp = yield* Deferred.make<void>()
  const mayGiveUp = yield* Deferred.make<void>()
  let writes = 0
  const layer = Layer.succeed(Faults, {
    around: (point, effect, detailOf) =>
      point !== "Store.write" || detailOf?.() !== "stripe_sessions"
        ? effect
        : Effect.suspend(() => {
            writes++
            if (writes === 1) {
              return Effect.tap(effect, Effect.andThen(Deferred.succeed(planned, undefined), Deferred.await(mayAsk)))
            }
            if (writes > 2) return effect
            const stop = Effect.andThen(Deferred.succeed(givingUp, undefined), Deferred.await(mayGiveUp))
            return Effect.andThen(stop, effect)
          })
  })
  return { layer, planned, mayAsk, givingUp, mayGiveUp }
})

describe("closing an order early", () => {
  it.live("while its session is being made looks again when the session is known, and expires it", () =>
    Effect.gen(function* () {
      const { givingUp, layer, mayAsk, mayGiveUp, planned } = yield* betweenWrites
      const { choose, merchant, order, sessions } = yield* connected({ faults: layer })
      const made = yield* order()
      const choosing = yield* Effect.forkChild(choose(made))
      yield* Deferred.await(planned)
      const closing = yield* Effect.forkChild(merchant.post(`/v1/orders/${made.trade_no}/expire`))
      yield* Deferred.await(givingUp)
      yield* Deferred.succeed(mayAsk, undefined)
      assert.strictEqual((yield* Fiber.join(choosing)).status, 200)
      yield* Deferred.succeed(mayGiveUp, undefined)
      const closed = yield* Fiber.join(closing)
      assert.deepStrictEqual([closed.status, closed.body.data?.status], [200, "expired"], closed.text)
      assert.deepStrictEqual(
        sessions(made).map(({ status }) => status),
        ["expired"]
      )
    })
  )
})
