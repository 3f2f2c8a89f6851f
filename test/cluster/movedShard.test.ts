/**
 * A command that runs in its caller's fiber while its order gets another owner (docs/decisions/0022). The cluster does
 * not wait for it: the version of the row decides who was first, and the other decides again.
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { Faults } from "../../src/platform/runtime/Faults.ts"
import type { Reply } from "../kit/Api.ts"
import { assertBooksWhole } from "../kit/Process.ts"
import { asRunner, freshDatabase, type Running, start } from "../kit/Service.ts"
import { currencies, type Order } from "../kit/runners/TwoRunners.ts"

/** Each has one order in each currency: 24 owners are drawn, so each runner has some. */
const merchantsCount = 8

/** Commits of this runner wait while the gate is closed. */
const gated = () => {
  const gate = { closed: undefined as Deferred.Deferred<void> | undefined, reached: Deferred.makeUnsafe<void>() }
  const layer = Layer.succeed(Faults, {
    around: (point, effect) =>
      Effect.suspend(() => {
        if (point !== "Transactor.write" || gate.closed === undefined) return effect
        Deferred.doneUnsafe(gate.reached, Effect.void)
        return Effect.andThen(Deferred.await(gate.closed), effect)
      })
  })
  const open = Effect.suspend(() => {
    const { closed } = gate
    gate.closed = undefined
    return closed === undefined ? Effect.void : Deferred.succeed(closed, undefined)
  })
  return { gate, layer, open }
}

const newOrders = ({ api }: Running) =>
  Effect.flatMap(api.newMerchant(), ({ sandboxKey: key }) =>
    Effect.forEach(currencies, (currency) =>
      Effect.map(api.post("/v1/orders", key, { amount: 1_000, currency }), ({ body }): Order => ({
        key,
        tradeNo: body.data.trade_no
      }))
    )
  )

const note = ({ api }: Running, { key, tradeNo }: Order, name: string) =>
  api.post(`/v1/orders/${tradeNo}`, key, { metadata: { [name]: "1" } })

describe("an order that gets another owner while a command for it runs", () => {
  it.live("keeps the writes of both, and each caller gets its own outcome", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const { gate, layer, open } = gated()
      // First the only one, so that all orders are its own.
      const old = yield* start({ database, faults: layer, env: yield* asRunner })
      const orders = (yield* Effect.replicateEffect(newOrders(old), merchantsCount)).flat()

      gate.closed = yield* Deferred.make<void>()
      yield* Effect.gen(function* () {
        const here = yield* Effect.forEach(orders, (order) => Effect.forkChild(note(old, order, "here")))
        yield* Deferred.await(gate.reached)

        const other = yield* start({ database, env: yield* asRunner })
        // It answers for the orders that it owns. The others wait behind the command of the old runner.
        const answered = yield* Deferred.make<Reply>()
        const there = yield* Effect.forEach(orders, (order) =>
          Effect.forkChild(Effect.tap(note(other, order, "there"), (reply) => Deferred.succeed(answered, reply)))
        )
        assert.strictEqual((yield* Deferred.await(answered)).status, 200)
        yield* open

        const done = { here: 0, there: 0 }
        for (const [index, order] of orders.entries()) {
          const replies = { here: yield* Fiber.join(here[index]!), there: yield* Fiber.join(there[index]!) }
          const { metadata } = (yield* other.api.get(`/v1/orders/${order.tradeNo}`, order.key)).body.data
          for (const name of ["here", "there"] as const) {
            const { status, text } = replies[name]
            assert.include([200, 503], status, text)
            if (status !== 200) continue
            assert.propertyVal(metadata, name, "1")
            done[name]++
          }
        }
        // Each runner owns some of the orders when the gate opens.
        assert.isAbove(done.here, 0)
        assert.isAbove(done.there, 0)
      }).pipe(Effect.ensuring(open))
      yield* assertBooksWhole(old.sql)
    })
  )
})
