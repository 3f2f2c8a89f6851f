/** Closing an order asks Stripe, and answers the truth (spec: States and transitions, Order). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { assertRefused, feeOf } from "../kit/Merchant.ts"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { connected, impatient } from "./kit.ts"

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
  it.live("an open session is expired, and can no longer be paid", () =>
    Effect.gen(function* () {
      const { expire, session, status } = yield* begun()
      assert.strictEqual((yield* expire).body.data.status, "expired")
      assert.strictEqual(session().status, "expired")
      assert.strictEqual(yield* status, "expired")
    })
  )

  it.live("a buyer who has just paid is credited, and the merchant gets 409", () =>
    Effect.gen(function* () {
      const { control, expire, merchant, session, settled, sql, status } = yield* begun()
      yield* control.hold_webhooks({})
      yield* control.pay({ session: session().id })
      assertRefused(yield* expire, 409, "conflict")
      assert.strictEqual(yield* status, "paid")
      yield* control.release_webhooks({})
      yield* settled
      assert.strictEqual((yield* merchant.balance()).available, 2_000 - feeOf(2_000))
      yield* assertLedgerWhole(sql)
    })
  )

  it.live("a buyer in a wallet, or at 3DS, is busy for half an hour, and then no more", () =>
    Effect.gen(function* () {
      const { control, expire, leap, session, status } = yield* begun("alipay")
      yield* control.pay({ session: session().id, with: "alipay" })
      assertRefused(yield* expire, 409, "conflict")
      assert.strictEqual(yield* status, "pending")
      assert.strictEqual(session().status, "open")
      yield* leap("31 minutes")
      assert.strictEqual((yield* expire).body.data.status, "expired")
      assert.strictEqual(session().status, "expired")
    })
  )

  it.live("a payment that is processed keeps it pending", () =>
    Effect.gen(function* () {
      const { control, expire, session, status } = yield* begun()
      yield* control.pay({ session: session().id, processing: 3_600 })
      assertRefused(yield* expire, 409, "conflict")
      assert.strictEqual(yield* status, "pending")
    })
  )

  for (const on of ["GET /v1/checkout/sessions/*", "POST /v1/checkout/sessions/*/expire"]) {
    for (const kind of ["cut_before", "error_before", "timeout_before"] as const) {
      it.live(`without Stripe (${kind} at ${on}) it is 502, the order stays pending, and the retry closes it`, () =>
        Effect.gen(function* () {
          const { control, expire, status } = yield* begun("card", impatient)
          yield* control.fault({ on, kind, times: 2 })
          assertRefused(yield* expire, 502, "processor_error")
          assert.strictEqual(yield* status, "pending")
          yield* control.clear_faults({})
          assert.strictEqual((yield* expire).body.data.status, "expired")
        })
      )
    }
  }

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

  it.live("when only the answer is lost, looking tells that it is closed", () =>
    Effect.gen(function* () {
      const { control, expire, session } = yield* begun()
      yield* control.fault({ on: "POST /v1/checkout/sessions/*/expire", kind: "error_after" })
      assert.strictEqual((yield* expire).body.data.status, "expired")
      assert.strictEqual(session().status, "expired")
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
