/** The shop against the whole of Coffer, inside the test: a day passes in a moment, by the test's own clock. */
import { createServer } from "node:http"
import { Coffer as Sdk } from "@coffer/sdk"
import { Coffer, layer as cofferLayer } from "@coffer/testkit/effect"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import * as Payments from "../src/Payments.ts"
import * as Shop from "../src/Shop.ts"

/** The application on a free port, with the account of the Coffer that the test has started. */
const application = Layer.unwrap(
  Effect.map(Coffer, ({ baseUrl, key }) =>
    HttpRouter.serve(Shop.routes, { disableLogger: true, disableListenLog: true }).pipe(
      Layer.provideMerge(Shop.layer),
      Layer.provide(Payments.layer({ baseUrl, key: Redacted.make(key) })),
      Layer.provideMerge(NodeHttpServer.layer(() => createServer(), { port: 0, host: "127.0.0.1" }))
    )
  )
).pipe(Layer.provideMerge(cofferLayer()))

const opened = Effect.gen(function* () {
  const shop = yield* Shop.Shop
  const { address } = yield* HttpServer.HttpServer
  yield* shop.open(HttpServer.formatAddress(address))
  return shop
})

const cart = { number: "cart-1", title: "Moby Dick", amount: 1999 }

describe("a shop inside an Effect application", () => {
  it.effect("gives a sale up when a day passes without a payment", () =>
    Effect.gen(function* () {
      const shop = yield* opened
      const { pass } = yield* Coffer
      assert.match(yield* shop.checkOut(cart), /\/checkout\//)
      yield* pass("24 hours")
      assert.deepInclude(Option.getOrThrow(yield* shop.sale(cart.number)), { status: "given up" })
    }).pipe(Effect.provide(application))
  )

  it.effect("hears of a payment, and gives it back once however often it is asked to", () =>
    Effect.gen(function* () {
      const shop = yield* opened
      const { atRest, baseUrl, key } = yield* Coffer
      yield* shop.checkOut(cart)
      const buyer = new Sdk({ apiKey: key, baseUrl })
      yield* Effect.promise(() => Promise.resolve(buyer.testHelpers.orders.pay(cart.number)))
      yield* atRest
      assert.deepInclude(Option.getOrThrow(yield* shop.sale(cart.number)), { status: "paid", refunded: 0 })
      yield* shop.giveBack(cart.number)
      yield* shop.giveBack(cart.number)
      yield* atRest
      assert.deepInclude(Option.getOrThrow(yield* shop.sale(cart.number)), { status: "paid", refunded: 1999 })
      assert.isFalse(yield* shop.hear("{}", {}))
    }).pipe(Effect.provide(application))
  )

  it.effect("tells a refusal by its code", () =>
    Effect.gen(function* () {
      const shop = yield* opened
      const failure = yield* Effect.flip(shop.giveBack("no-such-cart"))
      assert.strictEqual(failure.code, "order_not_found")
    }).pipe(Effect.provide(application))
  )
})
