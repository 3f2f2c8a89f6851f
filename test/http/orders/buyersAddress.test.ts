/** The address that a buyer types at checkout, for the receipt, where the merchant gave none (silences: O71). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { texts } from "../../../src/door/checkout/texts.ts"
import { merchantOf, said } from "../../kit/Merchant.ts"
import { type Running, start } from "../../kit/Service.ts"

const checkout = Effect.fnUntraced(function* (service: Running, terms: object = {}) {
  const shop = merchantOf(service)
  const { checkout_url, trade_no } = yield* said(shop.post("/v1/orders", { amount: 2_000, ...terms }))
  const { pathname } = new URL(checkout_url)
  const headers = { "Accept-Language": "en" }
  const send = (fields: Record<string, string>) =>
    service.api.call("POST", pathname, {
      raw: new URLSearchParams(fields).toString(),
      headers: { ...headers, "Content-Type": "application/x-www-form-urlencoded" }
    })
  const pay = (email: string, number = "4242424242424242") =>
    send({ step: "pay", method: "card", number, expiry: "12/40", cvc: "123", email })
  const page = Effect.map(service.api.call("GET", pathname, { headers }), ({ text }) => text)
  const mails = Effect.map(
    service.sql<{ recipient: string }>`select recipient from mails where trade_no = ${String(trade_no)}`,
    (rows) => rows.map(({ recipient }) => recipient)
  )
  return { shop, order: shop.order(String(trade_no)), send, pay, page, mails }
})

const declined = "4000000000000002"

describe("the address that a buyer types at checkout", () => {
  it.live("gets the receipt once the order is paid, and is the order's `receipt_email` from then on", () =>
    Effect.gen(function* () {
      const service = yield* start({ clock: "test" })
      const { mails, order, page, pay } = yield* checkout(service)
      assert.include(yield* page, 'name="email"')
      yield* pay("buyer@example.com", declined)
      assert.deepStrictEqual([(yield* order)["receipt_email"], yield* mails], ["buyer@example.com", []])
      assert.notInclude(yield* page, "buyer@", "no page repeats what was typed")
      yield* pay("")
      assert.deepStrictEqual([(yield* order)["status"], yield* mails], ["paid", ["buyer@example.com"]])
      assert.include(yield* page, texts.en.paid.mailed)
    })
  )

  it.live("may be another one until the order is paid, and is never in the place of the merchant's", () =>
    Effect.gen(function* () {
      const service = yield* start({ clock: "test" })
      const own = yield* checkout(service)
      yield* own.pay("first@example.com", declined)
      yield* own.pay("ｓｅｃｏｎｄ＠example.com")
      assert.deepStrictEqual(yield* own.mails, ["second@example.com"])
      const given = yield* checkout(service, { receipt_email: "shop@example.com" })
      assert.notInclude(yield* given.page, 'name="email"')
      yield* given.pay("buyer@example.com")
      assert.deepStrictEqual(yield* given.mails, ["shop@example.com"])
    })
  )

  it.live("that is invalid is reported at its field, by card and by wallet, and nothing is charged", () =>
    Effect.gen(function* () {
      const service = yield* start({ clock: "test" })
      const { order, pay, send } = yield* checkout(service)
      for (const answer of [
        yield* pay("not an address"),
        yield* send({ step: "pay", method: "alipay", email: "a@b" }),
        yield* send({ step: "pay", method: "google_pay", email: "@" })
      ]) {
        assert.strictEqual(answer.status, 422)
        assert.match(answer.text, /<details class="mail" open>/)
        assert.match(answer.text, /<p class="mistake" id="email-mistake">/)
        assert.match(answer.text, /id="email"[^>]*aria-invalid="true" aria-describedby="email-mistake"[^>]*autofocus/s)
      }
      const both = yield* pay("x", "4242")
      assert.match(both.text, /id="number-mistake"[\s\S]*id="email-mistake"/)
      assert.deepInclude(yield* order, { status: "pending", receipt_email: null })
    })
  )

  it.live("is found and erased like one that the merchant gave", () =>
    Effect.gen(function* () {
      const service = yield* start({ clock: "test" })
      const { order, pay, shop } = yield* checkout(service)
      yield* pay("buyer@example.com")
      yield* service.settle
      const asked = yield* said(shop.post("/v1/erasures", { email: "Buyer@Example.com" }))
      for (let minutes = 0; minutes < 10; minutes++) yield* service.pass("1 minute")
      assert.deepInclude((yield* said(shop.get(`/v1/erasures/${asked["erasure_no"]}`)))["counts"], {
        orders: 1,
        mails: 1
      })
      assert.isNull((yield* order)["receipt_email"])
      for (const table of ["orders", "mails", "events"]) {
        const rows = yield* service.sql.unsafe(`select 1 from ${table} t where t::text like '%buyer@example.com%'`)
        assert.deepStrictEqual(rows, [], table)
      }
    })
  )
})
