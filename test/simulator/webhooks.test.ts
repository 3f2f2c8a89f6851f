/** Events, and how the simulator brings them to an endpoint. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ask, begin, began, paid, receiver, typesOf } from "./kit.ts"

const listening = Effect.gen(function* () {
  const simulator = yield* begin()
  const hook = yield* receiver
  const endpoint = yield* ask(() =>
    simulator.stripe.webhookEndpoints.create({ url: hook.url, enabled_events: ["charge.succeeded", "charge.refunded"] })
  )
  return { ...simulator, hook, endpoint }
})

describe("webhooks", () => {
  it.live("an event is signed, and the official package accepts it", () =>
    Effect.gen(function* () {
      const world = yield* listening
      const charge = yield* paid(world)
      yield* world.control.rest({})
      const [first] = world.hook.received
      const event = world.stripe.webhooks.constructEvent(
        first!.body,
        first!.signature,
        world.endpoint.secret!,
        300,
        undefined,
        began * 1000
      )
      assert.strictEqual(event.type, "charge.succeeded")
      assert.strictEqual((event.data.object as { id: string }).id, charge.id)
      const asked = yield* ask(() => world.stripe.events.retrieve(event.id))
      assert.strictEqual(asked.pending_webhooks, 0)
      assert.throws(() => world.stripe.webhooks.constructEvent(first!.body, first!.signature, "whsec_other"))
    }).pipe(Effect.scoped)
  )

  it.live(
    "an event that is refused is sent again after five minutes, half an hour and two hours, and then given up",
    () =>
      Effect.gen(function* () {
        const world = yield* listening
        world.hook.statuses.push(500, 500, 302, 404)
        yield* paid(world)
        yield* world.control.rest({})
        assert.strictEqual(world.hook.received.length, 1)
        yield* world.control.advance({ seconds: 299 })
        assert.strictEqual(world.hook.received.length, 1)
        yield* world.control.advance({ seconds: 1 })
        assert.strictEqual(world.hook.received.length, 2)
        yield* world.control.advance({ seconds: 10 * 86_400 })
        assert.deepStrictEqual(typesOf(world.hook.received), Array(4).fill("charge.succeeded"))
      }).pipe(Effect.scoped)
  )

  it.live("a lost event is sent never, a doubled one twice, a late one late", () =>
    Effect.gen(function* () {
      const world = yield* listening
      yield* world.control.fault({ on: "webhook charge.succeeded", kind: "lose" })
      const charge = yield* paid(world)
      yield* world.control.fault({ on: "webhook charge.refunded", kind: "twice" })
      yield* ask(() => world.stripe.refunds.create({ charge: charge.id, amount: 100 }))
      yield* world.control.rest({})
      assert.deepStrictEqual(typesOf(world.hook.received), ["charge.refunded", "charge.refunded"])
      yield* world.control.fault({ on: "webhook charge.*", kind: "late", seconds: 90 })
      yield* ask(() => world.stripe.refunds.create({ charge: charge.id, amount: 100 }))
      yield* world.control.advance({ seconds: 89 })
      assert.strictEqual(world.hook.received.length, 2)
      yield* world.control.advance({ seconds: 1 })
      assert.strictEqual(world.hook.received.length, 3)
    }).pipe(Effect.scoped)
  )

  it.live("a swapped event is sent after the next one, or alone if there is none", () =>
    Effect.gen(function* () {
      const world = yield* listening
      yield* world.control.fault({ on: "webhook charge.succeeded", kind: "swap" })
      const charge = yield* paid(world)
      yield* world.control.rest({})
      yield* ask(() => world.stripe.refunds.create({ charge: charge.id }))
      yield* world.control.rest({})
      assert.deepStrictEqual(typesOf(world.hook.received), ["charge.refunded", "charge.succeeded"])
      yield* world.control.fault({ on: "webhook charge.succeeded", kind: "swap" })
      yield* paid(world)
      yield* world.control.advance({ seconds: 5 })
      assert.strictEqual(world.hook.received.length, 3)
    }).pipe(Effect.scoped)
  )

  it.live("held webhooks go in the order that the test says", () =>
    Effect.gen(function* () {
      const world = yield* listening
      yield* world.control.hold_webhooks({})
      const charge = yield* paid(world)
      yield* ask(() => world.stripe.refunds.create({ charge: charge.id, amount: 100 }))
      yield* world.control.rest({})
      assert.strictEqual(world.hook.received.length, 0)
      assert.strictEqual((yield* world.control.state({})).held_webhooks, 2)
      assert.deepStrictEqual(yield* world.control.release_webhooks({ order: "newest_first" }), { sent: 2 })
      assert.deepStrictEqual(typesOf(world.hook.received), ["charge.refunded", "charge.succeeded"])
    }).pipe(Effect.scoped)
  )

  it.live("an event of a connected account comes to the platform's endpoint, with the account's id", () =>
    Effect.gen(function* () {
      const { control, stripe } = yield* begin()
      const hook = yield* receiver
      yield* ask(() => stripe.webhookEndpoints.create({ url: hook.url, enabled_events: ["*"], connect: true }))
      const account = "acct_1Shop"
      const intent = yield* ask(() =>
        stripe.paymentIntents.create(
          { amount: 900, currency: "eur", confirm: true, payment_method: "pm_card_visa" },
          { stripeAccount: account }
        )
      )
      yield* control.rest({})
      assert.include(typesOf(hook.received), "payment_intent.succeeded")
      assert.include(hook.received[0]!.body, `"account": "${account}"`)
      const own = yield* ask(() => stripe.paymentIntents.list())
      assert.deepStrictEqual(own.data, [])
      const theirs = yield* ask(() => stripe.paymentIntents.list({}, { stripeAccount: account }))
      assert.strictEqual(theirs.data[0]?.id, intent.id)
    }).pipe(Effect.scoped)
  )
})
