/** Closing an order asks Stripe, and answers the truth (spec: States and transitions, Order). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { assertRefused } from "../kit/Merchant.ts"
import { connected } from "./kit.ts"

const begun = Effect.fnUntraced(function* (method = "card", options: Parameters<typeof connected>[0] = {}) {
  const world = yield* connected(options)
  const made = yield* world.order()
  yield* world.choose(made, method)
  const session = () => world.sessions(made)[0]!
  const expire = world.merchant.post(`/v1/orders/${made.trade_no}/expire`)
  const status = Effect.map(world.merchant.order(made.trade_no), (order) => order["status"])
  return { ...world, made, session, expire, status }
})

describe("closing an order early", () => {
  it.live("when it is not known whether it was closed, the answer does not say that nothing was done", () =>
    Effect.gen(function* () {
      const { control, expire, session, status } = yield* begun()
      yield* control.fault({ on: "POST /v1/checkout/sessions/*/expire", kind: "error_after" })
      yield* control.fault({ on: "GET /v1/checkout/sessions/*", kind: "error_before", skip: 1 })
      const refused = yield* expire
      assertRefused(refused, 502, "processor_error")
      assert.strictEqual(refused.headers.get("coffer-reason"), "channel_unanswered")
      assert.include(refused.body.message, "may have processed the request")
      assert.deepStrictEqual([session().status, yield* status], ["expired", "pending"])
      assert.strictEqual((yield* expire).body.data.status, "expired")
    })
  )

  it.live("while Stripe is down, 502 comes immediately, and the metric shows it", () =>
    Effect.gen(function* () {
      const { api, control, expire, leap, status } = yield* begun()
      yield* control.fault({ on: "* /v1/*", kind: "error_before", times: 5 })
      for (let time = 1; time <= 5; time++) assertRefused(yield* expire, 502, "processor_error")
      const asked = (yield* control.state({})).faults
      assert.deepStrictEqual(asked, [], "Stripe answers again, and is not asked yet")
      assertRefused(yield* expire, 502, "processor_error")
      const metrics = (yield* api.get("/metrics")).text
      assert.match(metrics, /^coffer_stripe_down\{mode="sandbox"\} 1$/m)
      assert.match(metrics, /^coffer_stripe_calls_total\{[^}]*outcome="circuit_open"[^}]*\} [1-9]/m)
      assert.strictEqual(yield* status, "pending")
      yield* leap("11 seconds")
      assert.strictEqual((yield* expire).body.data.status, "expired")
      assert.match((yield* api.get("/metrics")).text, /^coffer_stripe_down\{mode="sandbox"\} 0$/m)
    })
  )
})
