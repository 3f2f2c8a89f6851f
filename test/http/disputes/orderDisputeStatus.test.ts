/** What a read of an order tells of its disputes: `dispute_status` (silences: O74). */
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { disputed, sold } from "../../kit/stories/disputed.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/orderDisputeStatus") {}

layer(Layer.effect(Service, start()), { excludeTestServices: true })("an order's dispute_status", (it) => {
  describe("tells in one read", () => {
    it.effect("null until an amount was frozen, and open until the bank decides, in the read and in the list", () =>
      Effect.gen(function* () {
        const { open, shop, tradeNo } = yield* sold(yield* Service)
        assert.isNull((yield* shop.order(tradeNo))["dispute_status"])
        yield* open()
        const read = yield* shop.order(tradeNo)
        assert.deepStrictEqual([read["status"], read["dispute_status"]], ["paid", "open"])
        const { body } = yield* shop.get("/v1/orders")
        assert.deepStrictEqual(body.data.data, [read])
      })
    )

    for (const [outcome, expected] of [
      ["won", "won"],
      ["closed", "won"],
      ["lost", "lost"]
    ] as const) {
      it.effect(`${expected} once the bank reports ${outcome}`, () =>
        Effect.gen(function* () {
          const { resolve, shop, tradeNo } = yield* disputed(yield* Service)
          yield* resolve(outcome)
          assert.strictEqual((yield* shop.order(tradeNo))["dispute_status"], expected)
        })
      )
    }

    it.effect("won after an appeal that gave back what was lost", () =>
      Effect.gen(function* () {
        const { resolve, shop, tradeNo } = yield* disputed(yield* Service)
        yield* resolve("lost")
        yield* resolve("won")
        assert.strictEqual((yield* shop.order(tradeNo))["dispute_status"], "won")
      })
    )

    it.effect("of several disputes the open one, then the lost one, then the one that gave all back", () =>
      Effect.gen(function* () {
        const { open, resolve, shop, tradeNo } = yield* disputed(yield* Service, { amount: 400 })
        const status = Effect.map(shop.order(tradeNo), (order) => order["dispute_status"] as string)
        yield* resolve("lost")
        const { body } = yield* open({ amount: 300 })
        assert.strictEqual(yield* status, "open")
        yield* shop.resolve(body.data.dispute_no, "won")
        assert.strictEqual(yield* status, "lost")
        yield* resolve("won")
        assert.strictEqual(yield* status, "won")
      })
    )
  })
})
