/** Where an event goes, and which orders have nowhere to go (spec: Events, Routing; Orders, rule 1; silences: W3). */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { hooksOf, stripeAccepts } from "../../kit/callers/Hooks.ts"
import { receiver } from "../../kit/Receiver.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/routing") {}

const fresh = Effect.gen(function* () {
  const running = yield* Service
  const merchant = yield* running.api.newMerchant()
  return { ...running, merchant, hooks: hooksOf(running, merchant) }
})

layer(Layer.effect(Service, start()), { excludeTestServices: true })("an event", (it) => {
  it.effect("goes to each enabled endpoint that is subscribed to its type, signed with the endpoint's own secret", () =>
    Effect.gen(function* () {
      const { atRest, hooks } = yield* fresh
      const receivers = yield* Effect.replicateEffect(receiver, 5)
      const [named, all, other, off, single] = receivers
      const types = ["payment.succeeded", "refund.succeeded"]
      const first = yield* hooks.create({ url: named!.url, enabled_events: types })
      const second = yield* hooks.create({ url: all!.url, enabled_events: ["*"] })
      yield* hooks.create({ url: other!.url, enabled_events: ["refund.succeeded"] })
      const third = yield* hooks.create({ url: off!.url })
      yield* hooks.update(third.id, { status: "disabled" })
      yield* hooks.single(single!.url)
      yield* hooks.paid()
      const received = [yield* named!.next, yield* all!.next]
      yield* atRest
      assert.deepStrictEqual(
        receivers.map(({ all }) => all.length),
        [1, 1, 0, 0, 0]
      )
      assert.deepStrictEqual(
        received.map(({ headers }) => headers["x-service-endpoint-id"]),
        [first.id, second.id]
      )
      assert.strictEqual(received[0]!.raw, received[1]!.raw)
      for (const [index, { secret }] of [first, second].entries()) {
        assert.isTrue(stripeAccepts(received[index]!, secret))
        assert.isFalse(stripeAccepts(received[1 - index]!, secret))
      }
    })
  )

  it.effect("of an order with notify_url goes there only, whatever endpoints there are", () =>
    Effect.gen(function* () {
      const { atRest, hooks } = yield* fresh
      const [own, other] = [yield* receiver, yield* receiver]
      yield* hooks.create({ url: other.url })
      yield* hooks.paid({ notify_url: own.url })
      const received = yield* own.next
      assert.notProperty(received.headers, "x-service-endpoint-id")
      assert.isTrue(stripeAccepts(received, (yield* hooks.secret).secret))
      yield* atRest
      assert.strictEqual(other.all.length, 0)
    })
  )

  it.effect("goes to the single address when no endpoint is enabled and subscribed to its type", () =>
    Effect.gen(function* () {
      const { hooks } = yield* fresh
      const [single, other] = [yield* receiver, yield* receiver]
      yield* hooks.single(single.url)
      yield* hooks.create({ url: other.url, enabled_events: ["dispute.won"] })
      const { id } = yield* hooks.create({ url: other.url })
      yield* hooks.update(id, { disabled: true })
      yield* hooks.paid()
      assert.notProperty((yield* single.next).headers, "x-service-endpoint-id")
      assert.strictEqual(other.all.length, 0)
      yield* hooks.update(id, { disabled: false })
      yield* hooks.paid()
      assert.strictEqual((yield* other.next).headers["x-service-endpoint-id"], id)
    })
  )
})

layer(Layer.effect(Service, start()), { excludeTestServices: true })("a live order", (it) => {
  it.effect("needs notify_url, an enabled or paused live endpoint for payment.succeeded, or the single address", () =>
    Effect.gen(function* () {
      const { api, merchant, ...running } = yield* fresh
      const operate = (settings: object) => api.operator("POST", `/merchants/${merchant.merchantId}`, settings)
      yield* operate({ approved: true, live_currencies: ["USD"] })
      const hooks = hooksOf({ ...running, api, merchant }, merchant, merchant.liveKey)
      const order = (terms: object = {}) => api.post("/v1/orders", merchant.liveKey, { amount: 100, ...terms })
      const isRefused = Effect.map(order(), ({ body, status }) =>
        assert.deepStrictEqual([status, body.error, body.param], [400, "invalid_request", "notify_url"])
      )
      const isTaken = Effect.map(order(), ({ status }) => assert.strictEqual(status, 201))
      const url = "https://shop.example/hooks"

      yield* isRefused
      assert.strictEqual((yield* order({ notify_url: url })).status, 201)
      const { id } = yield* hooks.create({ url, enabled_events: ["payment.failed"] })
      yield* running.hooks.create({ url })
      yield* isRefused
      yield* hooks.update(id, { enabled_events: ["payment.succeeded"] })
      yield* isTaken
      yield* hooks.update(id, { disabled: true })
      yield* isRefused
      yield* hooks.update(id, { disabled: false, enabled_events: ["*"] })
      yield* isTaken
      // Its events wait, and none is lost.
      yield* hooks.update(id, { status: "paused" })
      yield* isTaken
      yield* hooks.remove(id)
      yield* isRefused
      yield* operate({ live: { default_notify_url: url } })
      yield* isTaken
    })
  )
})
