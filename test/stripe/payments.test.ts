/** A buyer pays through Stripe: to its page, back, and the effect on the order. */
import { TradeNo } from "@coffer/model/Ids"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { Orders } from "../../src/money/orders/Orders.ts"
import { StripePayments } from "../../src/channels/stripe/StripePayments.ts"
import { feeOf } from "../kit/Merchant.ts"
import { assertLedgerWhole } from "../kit/ledger.ts"
import { ownersConnection } from "../kit/Service.ts"
import { connected, leadsTo, worlds } from "./kit.ts"

const amount = 2_000
const credited: ReadonlyArray<readonly [string, number, number, number]> = [
  ["payment_credit", amount, 0, amount],
  ["fee_debit", -feeOf(amount), amount, amount - feeOf(amount)]
]

describe("a payment at Stripe", () => {
  it.live("with one method the page redirects immediately, and a buyer who returns or previews sees the page", () =>
    Effect.gen(function* () {
      const { api, merchant, order, page, sessions } = yield* connected()
      yield* api.operator("POST", `/merchants/${merchant.merchantId}`, { sandbox: { payment_methods: ["card"] } })
      const made = yield* order()
      const seen = yield* api.call("GET", new URL(made.checkout_url).pathname, {
        headers: { "User-Agent": "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)" }
      })
      assert.include(seen.text, "Continue to secure card payment")
      assert.include(seen.text, "on the secure page of Stripe")
      assert.strictEqual(sessions(made).length, 0)
      const left = yield* page(made)
      assert.deepStrictEqual([left.status, leadsTo(left)], [200, sessions(made)[0]!.url])
      assert.strictEqual(left.headers.get("referrer-policy"), "no-referrer")
      assert.include(sessions(made)[0]!.cancel_url!, "?returned=1")
      const back = yield* page(made, "?returned=1")
      assert.deepStrictEqual([back.status, sessions(made).length], [200, 1])
      assert.notInclude(back.text, made.trade_no, "no number of ours for a buyer")
    })
  )

  it.live("the page leads to a session of the chosen method, and the webhook makes the order paid", () =>
    Effect.gen(function* () {
      const { choose, control, merchant, order, page, sessions, settled, sql } = yield* connected()
      const made = yield* order({ out_trade_no: "A-1" })
      const form = yield* page(made)
      assert.notInclude(form.text, 'name="number"', "no card is asked for here")
      const [session] = (yield* choose(made), sessions(made))
      assert.deepStrictEqual(session!.payment_method_types, ["card"])
      assert.deepStrictEqual([session!.amount_total, session!.currency], [amount, "usd"])
      assert.strictEqual(leadsTo(yield* choose(made)), session!.url)
      yield* control.pay({ session: session!.id })
      yield* settled
      const paid = yield* merchant.order("A-1")
      assert.deepStrictEqual([paid["status"], paid["payment_method"]], ["paid", "card"])
      assert.deepStrictEqual(paid["paid_card"], { brand: "visa", last4: "4242" })
      assert.match(paid["payment_id"], /^pi_/)
      assert.deepStrictEqual(yield* merchant.ledger(), credited)
      assert.deepStrictEqual(yield* merchant.events(), ["payment.succeeded"])
      assert.include((yield* page(made)).text, "Payment successful")
      const rows = yield* sql`select state from stripe_sessions`
      assert.deepStrictEqual(rows, [{ state: "ended" }])
      yield* assertLedgerWhole(sql)
    })
  )

  it.live("an order in Chinese is in the characters of its page, and Link is not offered beside cards", () =>
    Effect.gen(function* () {
      const { api, order, sessions } = yield* connected()
      const asked = Effect.fnUntraced(function* (terms: object, accepted: string, method = "card") {
        const made = yield* order(terms)
        const reply = yield* api.call("POST", new URL(made.checkout_url).pathname, {
          raw: `step=pay&method=${method}`,
          headers: { "Content-Type": "application/x-www-form-urlencoded", "Accept-Language": accepted }
        })
        assert.strictEqual(reply.status, 200, reply.text)
        const [session] = sessions(made)
        return [session!.locale, session!.wallet_options?.link?.display]
      })
      const zh = { locale: "zh" }
      assert.deepStrictEqual(yield* asked(zh, "zh-CN"), ["zh", "never"])
      assert.deepStrictEqual(yield* asked(zh, "zh-TW"), ["zh-TW", "never"])
      assert.deepStrictEqual(yield* asked({ ...zh, currency: "HKD" }, "zh-HK,en;q=0.5"), ["zh-HK", "never"])
      assert.deepStrictEqual(yield* asked({ ...zh, currency: "HKD" }, "en"), ["zh", "never"])
      assert.deepStrictEqual(yield* asked({ locale: "en" }, "zh-TW"), ["en", "never"])
      assert.deepStrictEqual(yield* asked({}, "zh-TW"), ["auto", "never"])
      assert.deepStrictEqual(yield* asked({}, "en", "alipay"), ["auto", undefined])
    })
  )

  it.live("a buyer who comes back before the webhook is shown a success, and the webhook changes nothing more", () =>
    Effect.gen(function* () {
      const { choose, control, merchant, order, page, sessions, settled } = yield* connected()
      yield* control.hold_webhooks({})
      const made = yield* order()
      yield* choose(made)
      const { session } = yield* control.pay({ session: sessions(made)[0]!.id })
      assert.include((yield* page(made)).text, "data-pay", "nobody has told us")
      assert.include(String(session.success_url), new URL(made.checkout_url).pathname)
      const back = yield* page(made, "?returned=1")
      assert.include(back.text, "Payment successful")
      yield* control.release_webhooks({ order: "newest_first" })
      yield* settled
      assert.deepStrictEqual(yield* merchant.ledger(), credited)
    })
  )

  it.live("while no webhook has ever come the reconciler finds it within a minute", () =>
    Effect.gen(function* () {
      const { choose, control, merchant, order, pass, sessions } = yield* connected()
      yield* control.fault({ on: "webhook *", kind: "lose", times: 100 })
      const made = yield* order()
      yield* choose(made)
      yield* control.pay({ session: sessions(made)[0]!.id })
      yield* pass("61 seconds")
      assert.strictEqual((yield* merchant.order(made.trade_no))["status"], "paid")
      assert.deepStrictEqual(yield* merchant.ledger(), credited)
    })
  )

  it.live("whose webhook alone is lost is found within three minutes, and Stripe's list is not read before", () =>
    Effect.gen(function* () {
      let looks = 0
      const watch = (call: string) => void (call.startsWith("GET /v1/events") && looks++)
      const { choose, control, merchant, order, paid, pass, sessions } = yield* connected({ simulator: { watch } })
      yield* paid()
      // The look that was due a minute after the first one: from now on webhooks have come.
      yield* pass("61 seconds")
      yield* control.fault({ on: "webhook *", kind: "lose", times: 100 })
      const made = yield* order()
      yield* choose(made)
      yield* control.pay({ session: sessions(made)[0]!.id })
      looks = 0
      yield* pass("2 minutes")
      assert.strictEqual(looks, 0)
      assert.strictEqual((yield* merchant.order(made.trade_no))["status"], "pending")
      yield* pass("1 minute")
      assert.strictEqual((yield* merchant.order(made.trade_no))["status"], "paid")
    })
  )

  it.live("a payment that is processed keeps the page from taking another, until Stripe decides", () =>
    Effect.gen(function* () {
      const { choose, control, merchant, order, page, pass, sessions, settled } = yield* connected()
      const made = yield* order()
      yield* choose(made)
      yield* control.pay({ session: sessions(made)[0]!.id, processing: 60 })
      assert.include((yield* page(made, "?returned=1")).text, "Your payment is being processed")
      assert.strictEqual((yield* choose(made, "alipay")).status, 303)
      assert.lengthOf(sessions(made), 1)
      yield* pass("61 seconds")
      yield* settled
      assert.strictEqual((yield* merchant.order(made.trade_no))["status"], "paid")
    })
  )
})

describe("sessions of an order", () => {
  it.live("switching finds the payment that was just made, and makes no second session", () =>
    Effect.gen(function* () {
      const { choose, control, merchant, order, sessions } = yield* connected()
      yield* control.hold_webhooks({})
      const made = yield* order()
      yield* choose(made, "card")
      yield* control.pay({ session: sessions(made)[0]!.id })
      assert.strictEqual((yield* choose(made, "alipay")).status, 303)
      assert.lengthOf(sessions(made), 1)
      assert.strictEqual((yield* merchant.order(made.trade_no))["status"], "paid")
    })
  )

  it.live("a buyer who has paid is not told that nothing was charged while Stripe cannot be asked", () =>
    Effect.gen(function* () {
      const { choose, control, merchant, order, sessions } = yield* connected()
      yield* control.hold_webhooks({})
      const made = yield* order()
      yield* choose(made)
      yield* control.pay({ session: sessions(made)[0]!.id })
      for (const method of ["card", "alipay"]) {
        yield* control.fault({ on: "GET /v1/checkout/sessions/*", kind: "error_before" })
        const told = yield* choose(made, method)
        assert.strictEqual(told.status, 503)
        assert.include(told.text, "It may have been successful")
      }
      assert.strictEqual((yield* choose(made)).status, 303)
      assert.strictEqual((yield* merchant.order(made.trade_no))["status"], "paid")
    })
  )

  it.live("a failure that Stripe keeps for the key is not met twice", () =>
    Effect.gen(function* () {
      const { choose, control, order } = yield* connected()
      const made = yield* order()
      yield* control.fault({ on: "POST /v1/checkout/sessions", kind: "error_kept_after" })
      assert.strictEqual((yield* choose(made)).status, 502)
      assert.isString(leadsTo(yield* choose(made)))
    })
  )

  it.live(
    "a session that was asked for in other words before, as under another PUBLIC_URL, keeps no buyer from paying",
    () =>
      Effect.gen(function* () {
        const { choose, control, database, merchant, order, sessions, settled } = yield* connected()
        const made = yield* order()
        yield* control.fault({ on: "POST /v1/checkout/sessions", kind: "cut_after", times: 2 })
        assert.strictEqual((yield* choose(made)).status, 502)
        const owner = yield* ownersConnection(database)
        yield* owner`update stripe_sessions set expires_at = expires_at - interval '1 minute'`
        const refused = yield* choose(made)
        assert.strictEqual(refused.status, 502, "it is not said that Stripe takes no such payment")
        const again = yield* choose(made)
        const session = sessions(made).at(-1)!
        assert.strictEqual(leadsTo(again), session.url)
        yield* control.pay({ session: session.id })
        yield* settled
        assert.strictEqual((yield* merchant.order(made.trade_no))["status"], "paid")
      })
  )

  it.live("two concurrent pages lead to one session, or to the latest one", () =>
    Effect.gen(function* () {
      const { choose, order, sessions } = yield* connected()
      for (const methods of [
        ["card", "card"],
        ["card", "alipay"]
      ] as const) {
        const made = yield* order()
        yield* Effect.all(
          methods.map((method) => choose(made, method)),
          { concurrency: "unbounded" }
        )
        yield* choose(made, "card")
        assert.strictEqual(sessions(made).filter(({ status }) => status === "open").length, 1, methods.join())
      }
    })
  )

  for (const end of ["paid", "expired"]) {
    it.live(`a buyer whose page was read before the order was ${end} is led to no other session`, () =>
      Effect.gen(function* () {
        const { choose, context, control, merchant, order, sessions, settled } = yield* connected()
        const payments = Context.get(context, StripePayments)
        const made = yield* order()
        const before = yield* Context.get(context, Orders).byTradeNo(TradeNo.make(made.trade_no))
        yield* choose(made)
        if (end === "paid") yield* control.pay({ session: sessions(made)[0]!.id })
        else yield* merchant.post(`/v1/orders/${made.trade_no}/expire`)
        yield* settled
        assert.strictEqual((yield* merchant.order(made.trade_no))["status"], end)
        const begun = yield* payments.begin(before, "card", "en").pipe(Effect.provideContext(context))
        assert.deepStrictEqual(begun, { _tag: "Settled" })
        assert.lengthOf(sessions(made), 1)
      })
    )
  }

  it.live("an order that ends soon has a session of half an hour, which ends with the order", () =>
    Effect.gen(function* () {
      const { choose, leap, merchant, order, pass, sessions } = yield* connected()
      const made = yield* order()
      yield* leap("1430 minutes")
      assert.isString(leadsTo(yield* choose(made)))
      assert.isAbove(sessions(made)[0]!.expires_at, Date.parse("2026-01-02T00:00:00Z") / 1_000)
      yield* pass("11 minutes")
      assert.strictEqual((yield* merchant.order(made.trade_no))["status"], "expired")
      assert.strictEqual(sessions(made)[0]!.status, "expired")
    })
  )
})

describe("a merchant without an account at Stripe", () => {
  it.live("pays at the sandbox's forms, and nothing is asked of Stripe", () =>
    Effect.gen(function* () {
      const { api, merchant, simulator } = yield* worlds()
      const { body } = yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 500 })
      const { pathname } = new URL(body.data.checkout_url)
      assert.include((yield* api.call("GET", pathname)).text, 'name="number"')
      const expired = yield* api.post(`/v1/orders/${body.data.trade_no}/expire`, merchant.sandboxKey)
      assert.strictEqual(expired.body.data.status, "expired")
      assert.deepStrictEqual(simulator.all("checkout.session"), [])
    })
  )
})
