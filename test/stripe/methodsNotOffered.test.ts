/** A method that the account at Stripe does not have, or that does not take the currency (silences: S7, S22). */
import { accountOf } from "@coffer/simulator/start"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { connected, leadsTo, secretKey } from "./kit.ts"

const account = accountOf(secretKey)
const sessionsPath = "POST /v1/checkout/sessions"
const notTaken = "That payment method is not available for this order"

const offers = (text: string) =>
  ["card", "alipay", "wechat_pay"].filter((method) => text.includes(`id="method-${method}"`))

const withoutAlipay = Effect.fnUntraced(function* (how: "session" | "refusal" = "session") {
  const world = yield* connected()
  yield* world.control.set_account({ account, methods: ["card", "wechat_pay"], without_methods: how })
  /** How often Stripe was asked for a session. */
  const made = () => world.simulator.all("checkout.session").length
  return { ...world, made }
})

describe("a method that Stripe leaves out", () => {
  it.live("leads nowhere: the buyer gets a notice, and the page has the other methods", () =>
    Effect.gen(function* () {
      const { choose, made, merchant, order, page, sessions } = yield* withoutAlipay()
      const bought = yield* order()
      assert.deepStrictEqual(offers((yield* page(bought)).text), ["card", "alipay", "wechat_pay"])
      const told = yield* choose(bought, "alipay")
      assert.strictEqual(told.status, 422, told.text)
      assert.include(told.text, notTaken)
      assert.deepStrictEqual(offers(told.text), ["card", "wechat_pay"])
      assert.strictEqual(sessions(bought)[0]!.status, "expired", "nobody can pay in it")
      assert.deepStrictEqual(offers((yield* page(bought)).text), ["card", "wechat_pay"])
      const other = yield* order()
      assert.deepStrictEqual(offers((yield* page(other)).text), ["card", "wechat_pay"])
      const before = made()
      assert.include((yield* choose(other, "alipay")).text, notTaken)
      assert.strictEqual(made(), before, "Stripe is not asked again")
      assert.isString(leadsTo(yield* choose(bought, "card")))
      assert.strictEqual((yield* merchant.order(bought.trade_no))["status"], "pending")
    })
  )

  it.live("by refusing the session is shown as well, and the other methods lead to Stripe", () =>
    Effect.gen(function* () {
      const { choose, made, order } = yield* withoutAlipay("refusal")
      const bought = yield* order()
      const told = yield* choose(bought, "alipay")
      assert.strictEqual(told.status, 422, told.text)
      assert.include(told.text, notTaken)
      assert.strictEqual(made(), 0)
      assert.isString(leadsTo(yield* choose(bought, "card")))
    })
  )

  it.live("is offered again after an hour, in another currency, and when the channel is set again", () =>
    Effect.gen(function* () {
      const { api, channelPath, choose, control, order, page, pass } = yield* withoutAlipay()
      const bought = yield* order()
      yield* choose(bought, "alipay")
      const inYuan = yield* order({ currency: "CNY" })
      assert.include(offers((yield* page(inYuan)).text), "alipay")
      yield* control.set_account({ account, methods: ["card", "alipay"] })
      assert.notInclude(offers((yield* page(bought)).text), "alipay", "it is remembered")
      yield* pass("61 minutes")
      assert.include(offers((yield* page(bought)).text), "alipay")
      assert.isString(leadsTo(yield* choose(bought, "alipay")))
      yield* choose(bought, "wechat_pay")
      assert.notInclude(offers((yield* page(bought)).text), "wechat_pay")
      yield* pass("1 minute")
      assert.strictEqual((yield* api.operator("POST", channelPath, { channel: "stripe" })).status, 200)
      assert.include(offers((yield* page(bought)).text), "wechat_pay")
    })
  )

  it.live("is not taken in a currency that the account is not of", () =>
    Effect.gen(function* () {
      const { choose, control, order, page } = yield* connected()
      const inHongKong = yield* order({ currency: "HKD" })
      assert.strictEqual((yield* choose(inHongKong, "wechat_pay")).status, 422)
      assert.deepStrictEqual(offers((yield* page(inHongKong)).text), ["card", "alipay"])
      yield* control.set_account({ account, currency: "hkd" })
      assert.isString(leadsTo(yield* choose(inHongKong, "alipay")))
    })
  )

  it.live("that is a card takes the wallets of the browser with it", () =>
    Effect.gen(function* () {
      const { choose, control, order, page } = yield* connected()
      yield* control.set_account({ account, methods: ["alipay"] })
      const bought = yield* order()
      assert.include((yield* choose(bought, "apple_pay")).text, notTaken)
      assert.deepStrictEqual(offers((yield* page(bought)).text), ["alipay", "wechat_pay"])
      assert.include((yield* choose(bought, "google_pay")).text, notTaken)
    })
  )

  it.live("is offered all the same where nothing else is left, so that a buyer may try", () =>
    Effect.gen(function* () {
      const { choose, control, order, page } = yield* connected()
      yield* control.set_account({ account, methods: [] })
      const bought = yield* order()
      for (const method of ["card", "alipay", "wechat_pay"]) {
        assert.include((yield* choose(bought, method)).text, notTaken)
      }
      assert.deepStrictEqual(offers((yield* page(bought)).text), ["card", "alipay", "wechat_pay"])
      yield* control.set_account({ account, methods: ["card"] })
      assert.isString(leadsTo(yield* choose(bought, "card")))
      assert.isString(leadsTo(yield* page(bought)), "it has been seen to work, and there is nothing else to choose")
    })
  )

  for (const kind of ["error_before", "error_after", "cut_before", "cut_after"] as const) {
    it.live(`gets the notice although the session could not be ended (${kind}), and the next method ends it`, () =>
      Effect.gen(function* () {
        const { choose, control, merchant, order, sessions, settled } = yield* withoutAlipay()
        const bought = yield* order()
        yield* control.fault({ on: `${sessionsPath}/*/expire`, kind, times: 2 })
        const told = yield* choose(bought, "alipay")
        assert.strictEqual(told.status, 422, told.text)
        assert.include(told.text, notTaken)
        yield* control.clear_faults({})
        const paying = yield* choose(bought, "card")
        const last = sessions(bought).at(-1)!
        assert.strictEqual(leadsTo(paying), last.url)
        assert.deepStrictEqual(
          sessions(bought).map(({ status }) => status),
          ["expired", "open"]
        )
        yield* control.pay({ session: last.id })
        yield* settled
        assert.strictEqual((yield* merchant.order(bought.trade_no))["status"], "paid")
      })
    )
  }

  for (const kind of ["cut_after", "error_after"] as const) {
    it.live(`of which the answer was lost (${kind}) leads nowhere the next time either`, () =>
      Effect.gen(function* () {
        const { choose, control, order, sessions } = yield* withoutAlipay()
        const bought = yield* order()
        yield* control.fault({ on: sessionsPath, kind, times: 2 })
        assert.strictEqual((yield* choose(bought, "alipay")).status, 502)
        yield* control.clear_faults({})
        assert.include((yield* choose(bought, "alipay")).text, notTaken)
        // After an error the first session is unknown, and it has no method.
        const open = sessions(bought).filter(({ status }) => status === "open")
        assert.lengthOf(open, kind === "error_after" ? 1 : 0)
      })
    )
  }

  it.live("is not led to by a process that remembers nothing, and finds the session that another left open", () =>
    Effect.gen(function* () {
      const { api, channelPath, choose, control, order, pass, sessions, sql } = yield* withoutAlipay()
      const bought = yield* order()
      yield* control.fault({ on: `${sessionsPath}/*/expire`, kind: "error_before", times: 2 })
      yield* choose(bought, "alipay")
      yield* control.clear_faults({})
      assert.deepStrictEqual(yield* sql`select state from stripe_sessions`, [{ state: "open" }])
      // Then nothing is remembered, as in another process.
      yield* pass("1 minute")
      yield* api.operator("POST", channelPath, { channel: "stripe" })
      const told = yield* choose(bought, "alipay")
      assert.include(told.text, notTaken)
      assert.deepStrictEqual(
        sessions(bought).map(({ status }) => status),
        ["expired"]
      )
    })
  )

  it.live("two concurrent buyers are both informed, and no session remains", () =>
    Effect.gen(function* () {
      const { choose, order, sessions } = yield* withoutAlipay()
      const bought = yield* order()
      const both = yield* Effect.all([choose(bought, "alipay"), choose(bought, "alipay")], {
        concurrency: "unbounded"
      })
      for (const { status, text } of both) {
        // The second one may meet a key that is in use, and is asked to try again.
        assert.include([422, 502, 303], status, text)
        assert.isUndefined(leadsTo({ text } as never))
      }
      assert.include(
        both.map(({ status }) => status),
        422
      )
      assert.deepStrictEqual(
        sessions(bought).filter(({ status }) => status === "open"),
        []
      )
    })
  )

  it.live("does not keep the order from being closed, although its session could not be ended", () =>
    Effect.gen(function* () {
      const { choose, control, merchant, order, sessions, settled } = yield* withoutAlipay()
      const bought = yield* order()
      yield* control.fault({ on: `${sessionsPath}/*/expire`, kind: "error_before", times: 2 })
      yield* choose(bought, "alipay")
      yield* control.clear_faults({})
      const [left] = sessions(bought)
      assert.deepStrictEqual(left!.payment_method_types, [])
      const refused = yield* Effect.flip(control.pay({ session: left!.id }))
      assert.include(refused.message, "method_not_offered")
      yield* merchant.post(`/v1/orders/${bought.trade_no}/expire`)
      yield* settled
      assert.strictEqual((yield* merchant.order(bought.trade_no))["status"], "expired")
      assert.strictEqual(sessions(bought)[0]!.status, "expired")
    })
  )
})
