/** The service as a layer, for tests that are written with Effect. */
import { Coffer, layer } from "@coffer/testkit/effect"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

const newOrder = Effect.gen(function* () {
  const { baseUrl, key } = yield* Coffer
  const answer = yield* Effect.promise(() =>
    fetch(`${baseUrl}/orders`, {
      method: "POST",
      headers: { "X-Api-Key": key, "Content-Type": "application/json" },
      body: JSON.stringify({ amount: 1999, subject: "Two books" })
    }).then((response) => response.json())
  )
  return answer.data.trade_no as string
})

describe("a Coffer under a TestClock", () => {
  it.effect("lets a day pass by the test's own clock", () =>
    Effect.gen(function* () {
      const { pass, receiveWebhooks } = yield* Coffer
      const hooks = yield* receiveWebhooks()
      const tradeNo = yield* newOrder
      yield* pass("24 hours")
      const [{ event } = { event: undefined }] = hooks.received
      assert.strictEqual(event.type, "payment.expired")
      assert.strictEqual(event.data.object.trade_no, tradeNo)
    }).pipe(Effect.scoped, Effect.provide(layer()))
  )

  it.effect("does what has become due when a test that has moved the clock waits for rest", () =>
    Effect.gen(function* () {
      const { atRest, receiveWebhooks } = yield* Coffer
      const hooks = yield* receiveWebhooks()
      yield* newOrder
      yield* TestClock.adjust("24 hours")
      yield* atRest
      assert.deepStrictEqual(
        hooks.received.map(({ event }) => event.type),
        ["payment.expired"]
      )
    }).pipe(Effect.scoped, Effect.provide(layer()))
  )
})

describe("a Coffer that goes by real time", () => {
  it.live("says so when a test lets time pass", () =>
    Effect.gen(function* () {
      const { pass } = yield* Coffer
      const failure = yield* Effect.catchDefect(pass("1 hour"), (defect) => Effect.succeed(String(defect)))
      assert.match(String(failure), /pass moves Effect's TestClock/)
    }).pipe(Effect.provide(layer()))
  )
})
