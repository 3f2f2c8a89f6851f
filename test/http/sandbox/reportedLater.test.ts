/** A test card whose payment the sandbox's bank reports some seconds later (docs/architecture.md, section 7). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { start } from "../../kit/Service.ts"

describe("a payment that is reported later", () => {
  it.live("shows the page that waits, and pays the order when the bank's report comes", () =>
    Effect.gen(function* () {
      const { api, merchant, pass } = yield* start({ clock: "test" })
      const { body } = yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 1_000 })
      const { pathname } = new URL(body.data.checkout_url)
      const form = { step: "pay", method: "card", number: "4000000000000077", expiry: "1280", cvc: "123" }
      const answer = yield* api.call("POST", pathname, {
        raw: new URLSearchParams(form).toString(),
        headers: { "Content-Type": "application/x-www-form-urlencoded" }
      })
      assert.strictEqual(answer.status, 303)
      // At every visit: the bank has the money, and the order does not know it yet.
      const heading = Effect.map(api.call("GET", pathname), ({ text }) => /<h1>(.*?)<\/h1>/.exec(text)?.[1])
      assert.strictEqual(yield* heading, "Your payment is being processed")
      const order = Effect.map(
        api.get(`/v1/orders/${body.data.trade_no}`, merchant.sandboxKey),
        (reply) => reply.body.data
      )
      yield* pass("4 seconds")
      assert.strictEqual((yield* order).status, "pending")
      assert.strictEqual(yield* heading, "Your payment is being processed")
      yield* pass("30 seconds")
      assert.strictEqual((yield* order).status, "paid")
      assert.strictEqual(yield* heading, "Payment successful")
    })
  )
})
