/** Calls to Stripe that end at once: of an account without answers, and of all while Stripe is down. */
import type { Mode } from "@coffer/model/Ids"
import { accountOf } from "@coffer/simulator/start"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { assertRefused, merchantOf } from "../kit/Merchant.ts"
import { chooses, connectedAs, worlds } from "./kit.ts"

/** Merchants with an account each, and an order that needs a call to Stripe. */
const shops = Effect.fnUntraced(function* (count: number, liveCount = 0) {
  const world = yield* worlds()
  const modes: ReadonlyArray<Mode> = [...times<Mode>(count).fill("sandbox"), ...times<Mode>(liveCount).fill("live")]
  const all = yield* Effect.forEach(modes.entries(), ([index, mode]) =>
    Effect.gen(function* () {
      const merchant = yield* world.api.newMerchant()
      const key = mode === "live" ? `sk_live_shop${index}` : `sk_test_shop${index}`
      const approval = { approved: true, live_currencies: ["USD"] }
      if (mode === "live") yield* world.api.operator("POST", `/merchants/${merchant.merchantId}`, approval)
      yield* connectedAs(world, merchant, key, { mode })
      const shop = merchantOf({ ...world, merchant }, mode === "live" ? merchant.liveKey : merchant.sandboxKey)
      const notified = mode === "live" ? { notify_url: "https://shop.example/nobody" } : {}
      const { body } = yield* shop.post("/v1/orders", { amount: 2_000, ...notified })
      yield* chooses(world.api, body.data, "card")
      return { key, account: accountOf(key), expire: shop.post(`/v1/orders/${body.data.trade_no}/expire`) }
    })
  )
  /** How many calls were not made, since now. */
  const unasked = Effect.map(world.api.get("/metrics"), ({ text }) => {
    const lines = text.split("\n").filter((line) => /^coffer_stripe_calls_total\{.*outcome="circuit_open"/.test(line))
    return lines.reduce((sum, line) => sum + Number(line.split(" ")[1]), 0)
  })
  const before = yield* unasked
  return { ...world, all, unasked: Effect.map(unasked, (now) => now - before) }
})

const times = <A>(count: number): Array<A> => Array.from<A>({ length: count })

describe("calls to Stripe", () => {
  it.live("of a merchant whose account has no answers fail immediately, and only these", () =>
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

  it.live("fail immediately for all when those of three merchants have no answer, until one has", () =>
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

  it.live("are made for live merchants, without an alert, while those of sandboxes fail immediately", () =>
    Effect.gen(function* () {
      const { all, api, control, unasked } = yield* shops(4, 1)
      yield* control.fault({ on: "* /v1/*", kind: "error_before", times: 4 })
      for (const { expire } of all.slice(0, 4)) assertRefused(yield* expire, 502, "processor_error")
      assert.strictEqual(yield* unasked, 1)
      const down = (mode: Mode) =>
        Effect.map(api.get("/metrics"), ({ text }) => text.match(`coffer_stripe_down{mode="${mode}"} (.)`)?.[1])
      assert.deepStrictEqual([yield* down("sandbox"), yield* down("live")], ["1", "0"])
      yield* control.clear_faults({})
      assert.strictEqual((yield* all[4]!.expire).body.data.status, "expired")
      assert.deepStrictEqual([yield* down("sandbox"), yield* down("live")], ["1", "0"])
      assert.strictEqual(yield* unasked, 1)
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
