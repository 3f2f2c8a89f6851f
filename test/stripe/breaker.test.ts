/** Whose calls to Stripe end at once: those of an account that has no answers, and of all while Stripe is down. */
import { accountOf } from "@coffer/simulator/start"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { assertRefused, merchantOf } from "../kit/Merchant.ts"
import { chooses, connectedAs, worlds } from "./kit.ts"

/** Merchants with an account each, and an order of which Stripe has to be asked. */
const shops = Effect.fnUntraced(function* (count: number) {
  const world = yield* worlds()
  const all = yield* Effect.forEach(Array.from({ length: count }).keys(), (index) =>
    Effect.gen(function* () {
      const merchant = yield* world.api.newMerchant()
      const key = `sk_test_shop${index}`
      yield* connectedAs(world, merchant, key)
      const shop = merchantOf({ ...world, merchant })
      const { body } = yield* shop.post("/v1/orders", { amount: 2_000 })
      yield* chooses(world.api, body.data, "card")
      return { key, account: accountOf(key), expire: shop.post(`/v1/orders/${body.data.trade_no}/expire`) }
    })
  )
  /** How often Stripe was not asked, since now. */
  const unasked = Effect.map(world.api.get("/metrics"), ({ text }) => {
    const lines = text.split("\n").filter((line) => /^coffer_stripe_calls_total\{.*outcome="circuit_open"/.test(line))
    return lines.reduce((sum, line) => sum + Number(line.split(" ")[1]), 0)
  })
  const before = yield* unasked
  return { ...world, all, unasked: Effect.map(unasked, (now) => now - before) }
})

const times = (count: number) => Array.from({ length: count })

describe("calls to Stripe", () => {
  it.live("of a merchant whose account has no answers end at once, and nobody else's do", () =>
    Effect.gen(function* () {
      const { all, control, unasked } = yield* shops(2)
      const [broken, other] = [all[0]!, all[1]!]
      yield* control.fault({ on: "* /v1/*", kind: "error_before", times: 1_000, account: broken.account })
      for (const _ of times(5)) assertRefused(yield* broken.expire, 502, "processor_error")
      assert.strictEqual(yield* unasked, 0)
      assertRefused(yield* broken.expire, 502, "processor_error")
      assert.strictEqual(yield* unasked, 1)
      assert.strictEqual((yield* other.expire).body.data.status, "expired")
      assert.strictEqual(yield* unasked, 1)
    })
  )

  it.live("are made for a merchant whose key is dead, and for all others, however often Stripe refuses it", () =>
    Effect.gen(function* () {
      const { all, control, unasked } = yield* shops(2)
      const [dead, other] = [all[0]!, all[1]!]
      yield* control.revoke_key({ key: dead.key })
      for (const _ of times(12)) assertRefused(yield* dead.expire, 502, "processor_error")
      assert.strictEqual((yield* other.expire).body.data.status, "expired")
      assert.strictEqual(yield* unasked, 0)
    })
  )

  it.live("end at once for all when those of three merchants have no answer, until one has", () =>
    Effect.gen(function* () {
      const { all, control, leap, unasked } = yield* shops(4)
      yield* control.fault({ on: "* /v1/*", kind: "error_before", times: 1_000 })
      for (const { expire } of all.slice(0, 3)) assertRefused(yield* expire, 502, "processor_error")
      assert.strictEqual(yield* unasked, 0)
      assertRefused(yield* all[3]!.expire, 502, "processor_error")
      assert.strictEqual(yield* unasked, 1)
      yield* control.clear_faults({})
      yield* leap("11 seconds")
      for (const { expire } of all.toReversed()) assert.strictEqual((yield* expire).body.data.status, "expired")
    })
  )

  it.live("are made for a second and a third merchant when only one of them fails all the time", () =>
    Effect.gen(function* () {
      const { all, control, unasked } = yield* shops(3)
      yield* control.fault({ on: "* /v1/*", kind: "error_before", times: 1_000, account: all[0]!.account })
      for (const _ of times(4)) assertRefused(yield* all[0]!.expire, 502, "processor_error")
      yield* control.fault({ on: "* /v1/*", kind: "error_before", times: 1, account: all[1]!.account })
      assertRefused(yield* all[1]!.expire, 502, "processor_error")
      assert.strictEqual((yield* all[2]!.expire).body.data.status, "expired")
      assert.strictEqual((yield* all[1]!.expire).body.data.status, "expired")
      assert.strictEqual(yield* unasked, 0)
    })
  )
})
