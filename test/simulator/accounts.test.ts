/**
 * The parts of a session that an account's settings and a currency leave: methods, amounts, texts, and the buyer's
 * currency.
 */
import { accountOf } from "@coffer/simulator/start"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ask, begin, refusal, sessionOf } from "./kit.ts"

const account = accountOf("sk_test_simulator")

const priced = (currency: string, amount: number, name = "Tea") =>
  sessionOf(amount, {
    line_items: [{ quantity: 1, price_data: { currency, unit_amount: amount, product_data: { name } } }]
  })

describe("an account's methods", () => {
  it.live("are those that are switched on and take the currency, and what does not fit is left out", () =>
    Effect.gen(function* () {
      const { control, stripe } = yield* begin()
      const typesOf = (currency: string, allowed?: ReadonlyArray<"card" | "alipay">) =>
        Effect.map(
          ask(() =>
            stripe.checkout.sessions.create({
              ...priced(currency, 2_000),
              ...(allowed && { allowed_payment_method_types: [...allowed] })
            })
          ),
          ({ payment_method_types }) => payment_method_types
        )
      assert.deepStrictEqual(yield* typesOf("usd"), ["card", "alipay", "wechat_pay"])
      assert.deepStrictEqual(yield* typesOf("cny"), ["card", "alipay", "wechat_pay"])
      assert.deepStrictEqual(yield* typesOf("hkd"), ["card"], "the account is one of dollars")
      assert.deepStrictEqual(yield* typesOf("hkd", ["alipay"]), [])
      yield* control.set_account({ account, currency: "hkd" })
      assert.deepStrictEqual(yield* typesOf("hkd", ["alipay"]), ["alipay"])
      yield* control.set_account({ account, methods: ["card"] })
      assert.deepStrictEqual(yield* typesOf("hkd"), ["card"])
      yield* control.set_account({ account, without_methods: "refusal" })
      const refused = yield* refusal(() =>
        stripe.checkout.sessions.create({ ...priced("hkd", 2_000), allowed_payment_method_types: ["alipay"] })
      )
      assert.strictEqual(refused.statusCode, 400)
      assert.strictEqual((yield* ask(() => stripe.accounts.retrieveCurrent())).default_currency, "hkd")
    }).pipe(Effect.scoped)
  )

  it.live("are asked for in currencies that there are, with amounts and texts that Stripe takes", () =>
    Effect.gen(function* () {
      const { stripe } = yield* begin()
      const codeOf = (asked: ReturnType<typeof priced>) =>
        Effect.map(
          refusal(() => stripe.checkout.sessions.create(asked)),
          ({ code, param }) => code ?? param
        )
      assert.strictEqual(yield* codeOf(priced("xyz", 2_000)), "currency_invalid")
      assert.strictEqual(yield* codeOf(priced("usd", 49)), "amount_too_small")
      assert.strictEqual(yield* codeOf(priced("hkd", 399)), "amount_too_small")
      assert.strictEqual(yield* codeOf(priced("usd", 100_000_000)), "amount_too_large")
      assert.strictEqual(yield* codeOf(priced("usd", 2_000, " ")), "parameter_invalid_empty")
      const name = "line_items[0][price_data][product_data][name]"
      assert.strictEqual(yield* codeOf(priced("usd", 2_000, "T".repeat(251))), name)
      yield* ask(() => stripe.checkout.sessions.create(priced("usd", 99_999_999, "T".repeat(250))))
    }).pipe(Effect.scoped)
  )
})

describe("the buyer's own currency", () => {
  it.live("may be chosen unless the session or the account says no, and a dispute is in it", () =>
    Effect.gen(function* () {
      const { control, stripe } = yield* begin()
      const make = (enabled?: boolean) =>
        ask(() =>
          stripe.checkout.sessions.create({
            ...sessionOf(),
            ...(enabled !== undefined && { adaptive_pricing: { enabled } })
          })
        )
      const presented = { currency: "eur", amount: 1_850 }
      const off = yield* make(false)
      const refused = yield* Effect.flip(control.pay({ session: off.id, presented }))
      assert.include(refused.message, "currency_not_offered")
      const paid = yield* control.pay({ session: (yield* make()).id, presented, with: "pm_card_createDispute" })
      assert.deepInclude(paid.session, {
        currency: "usd",
        presentment_details: { presentment_amount: 1_850, presentment_currency: "eur" }
      })
      const [dispute] = (yield* ask(() => stripe.disputes.list())).data
      assert.deepInclude(dispute!, { amount: 1_850, currency: "eur" })
      yield* control.set_account({ account, adaptive_pricing: false })
      assert.deepStrictEqual((yield* make()).adaptive_pricing, { enabled: false })
    }).pipe(Effect.scoped)
  )
})
