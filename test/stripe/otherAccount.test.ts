/** Another account at Stripe for a merchant: not while money needs the one before (silences: S16, decisions: 0038). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { assertRefused, said } from "../kit/Merchant.ts"
import { ownersConnection } from "../kit/Service.ts"
import { connected, secretKey } from "./kit.ts"

const other = { channel: "stripe", secret_key: "sk_test_ofAnotherAccount", webhook_secret: "whsec_ofTheOther" }

const changing = Effect.gen(function* () {
  const world = yield* connected()
  const { api, channelPath } = world
  const set = (body: object) => api.operator("POST", channelPath, body)
  const off = said(set({ channel: "sandbox" }))
  const assertInUse = Effect.fnUntraced(function* (why: string) {
    const refused = yield* set(other)
    assertRefused(refused, 409, "conflict")
    assert.include(refused.body.message, why)
    assert.include(refused.body.message, "docs/going-live.md")
  })
  return { ...world, set, off, assertInUse }
})

describe("a merchant's account at Stripe", () => {
  it.live("cannot be changed while buyers pay through it, a session is open, or an event waits", () =>
    Effect.gen(function* () {
      const { assertInUse, choose, control, merchant, off, order, sessions, set, settled, sql } = yield* changing
      const made = yield* order()
      yield* choose(made)
      yield* assertInUse("1 open checkout sessions")
      yield* off
      yield* assertInUse("1 open checkout sessions")
      yield* control.pay({ session: sessions(made)[0]!.id })
      yield* settled
      assert.strictEqual((yield* merchant.order(made.trade_no))["status"], "paid", "nothing was lost by the attempt")
      yield* sql`update stripe_events set due_at = '9999-12-31'`
      yield* assertInUse("events that are not handled")
      yield* sql`update stripe_events set due_at = null`
      const changed = yield* set(other)
      assert.strictEqual(changed.status, 200, changed.text)
    })
  )

  it.live("cannot be changed while a hold, a refund or a dispute is open there, or money is being returned", () =>
    Effect.gen(function* () {
      const { assertInUse, choose, control, merchant, off, order, paid, sessions, set, settled, simulator } =
        yield* changing
      yield* paid({ amount: 9_000 })
      const sold = yield* paid()
      yield* control.refund_fates({ fates: ["pends"] })
      yield* merchant.refund({ trade_no: sold["trade_no"], amount: 500 })
      const second = yield* order()
      yield* choose(second)
      yield* merchant.post(`/v1/test_helpers/orders/${second.trade_no}/pay`)
      yield* control.pay({ session: sessions(second)[0]!.id, with: "pm_card_createDispute" })
      yield* settled
      const charge = simulator.all("charge").find(({ payment_intent }) => payment_intent === sold["payment_id"])!
      yield* control.open_dispute({ charge: charge.id })
      const held = yield* paid({ capture: "manual" })
      yield* off
      for (const why of [
        "1 amounts on hold",
        "1 refunds under way",
        "1 open disputes",
        "1 payments on their way back"
      ]) {
        yield* assertInUse(why)
      }
      yield* control.complete_refund({
        refund: simulator.all("refund").find(({ status }) => status === "pending")!.id
      })
      for (const { id } of simulator.all("dispute")) yield* control.decide_dispute({ dispute: id, outcome: "won" })
      yield* said(merchant.expire(held["trade_no"]))
      yield* settled
      const changed = yield* set(other)
      assert.strictEqual(changed.status, 200, changed.text)
    })
  )

  it.live("with live payments of the last half year cannot be changed, since they may be disputed", () =>
    Effect.gen(function* () {
      const { api, channelPath, database, merchant, off, paid } = yield* changing
      const sold = yield* paid()
      yield* off
      const owner = yield* ownersConnection(database)
      const { merchantId } = merchant
      // The sandbox's rows represent live ones.
      yield* owner`update orders set mode = 'live', trade_no = replace(trade_no, 'TRD_SB_', 'TRD_')
        where trade_no = ${sold["trade_no"]}`
      yield* owner`update stripe_sessions set mode = 'live'`
      yield* owner`update merchant_modes live set channel_accounts = '{}' where mode = 'live'`
      const live = channelPath.replace(/sandbox$/, "live")
      const keys = { channel: "stripe", secret_key: "sk_live_one", webhook_secret: "whsec_one" }
      yield* said(api.operator("POST", live, keys))
      yield* said(api.operator("POST", live, { channel: "none" }))
      const refused = yield* api.operator("POST", live, { ...keys, secret_key: "sk_live_two" })
      assertRefused(refused, 409, "conflict")
      assert.include(refused.body.message, "1 payments of the last 180 days")
      yield* owner`update orders set paid_at = paid_at - interval '181 days' where merchant_id = ${merchantId}`
      yield* said(api.operator("POST", live, { ...keys, secret_key: "sk_live_two" }))
    })
  )

  it.live("accepts another key of the same account at any time, and open objects continue with it", () =>
    Effect.gen(function* () {
      const { control, merchant, off, order, choose, sessions, set, settled } = yield* changing
      yield* off
      // In the simulator keys share an account only as a connected one.
      yield* said(set({ channel: "stripe", account: "acct_shared" }))
      const made = yield* order()
      yield* choose(made)
      yield* said(set({ channel: "stripe", secret_key: "sk_test_ofThePlatformsNewKey" }))
      yield* control.pay({ session: sessions(made)[0]!.id })
      yield* settled
      yield* merchant.get(`/v1/orders/${made.trade_no}`)
      yield* merchant.post(`/v1/orders/${made.trade_no}/expire`)
      assert.strictEqual((yield* merchant.order(made.trade_no))["status"], "paid")
    })
  )

  it.live("that has created nothing may be changed immediately, and a lost answer from Stripe changes nothing", () =>
    Effect.gen(function* () {
      const { api, channelPath, choose, control, order, set } = yield* changing
      yield* said(set(other))
      yield* said(set({ ...other, secret_key: secretKey }))
      yield* choose(yield* order())
      yield* control.fault({ on: "GET /v1/checkout/sessions/*", kind: "cut_before", times: 2 })
      assertRefused(yield* set(other), 502, "processor_error")
      yield* control.clear_faults({})
      assert.strictEqual((yield* api.operator("GET", channelPath)).body.data.channel, "stripe")
      yield* choose(yield* order())
    })
  )
})
