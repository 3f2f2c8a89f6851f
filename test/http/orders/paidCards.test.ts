/** The card of a payment: brand and last four digits, on the order and wherever the order is shown (silences: O72). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { merchantOf, said } from "../../kit/Merchant.ts"
import { type Running, start } from "../../kit/Service.ts"

const checkout = Effect.fnUntraced(function* (service: Running, terms: object = {}) {
  const shop = merchantOf(service)
  const { checkout_url, trade_no } = yield* said(shop.post("/v1/orders", { amount: 2_000, ...terms }))
  const { pathname } = new URL(checkout_url)
  const send = (fields: Record<string, string>) =>
    service.api.call("POST", pathname, {
      raw: new URLSearchParams(fields).toString(),
      headers: { "Content-Type": "application/x-www-form-urlencoded" }
    })
  const card = (number: string) => send({ step: "pay", method: "card", number, expiry: "12/40", cvc: "123" })
  const page = Effect.map(
    service.api.call("GET", pathname, { headers: { "Accept-Language": "en" } }),
    ({ text }) => text
  )
  return { shop, order: shop.order(String(trade_no)), send, card, page, tradeNo: String(trade_no) }
})

const visa = (last4: string) => ({ brand: "visa", last4 })

describe("the card of a payment", () => {
  it.live("is on the order, in its event, on its paid page and on its receipt, and nothing more of the number is", () =>
    Effect.gen(function* () {
      const service = yield* start({ clock: "test" })
      const { card, order, page, shop, tradeNo } = yield* checkout(service)
      assert.isNull((yield* order)["paid_card"])
      yield* card("4242424242424242")
      const paid = yield* order
      assert.deepStrictEqual(paid["paid_card"], visa("4242"))
      const { data } = (yield* shop.get("/v1/events?type=payment.succeeded")).body
      assert.deepStrictEqual(data.data[0].data.object.paid_card, visa("4242"))
      assert.include(yield* page, "Visa •••• 4242")
      const receipt = yield* service.api.call("GET", new URL(paid["receipt_url"]).pathname)
      assert.include(receipt.text, "Visa •••• 4242")
      const [row] = yield* service.sql<{ row: string }>`select o::text || p::text as row
        from orders o join sandbox_payments p using (trade_no) where trade_no = ${tradeNo}`
      assert.notMatch(row!.row, /4242 ?4242/)
      yield* service.pass("1 hour")
      assert.notInclude(yield* page, "4242", "later the address is in histories")
    })
  )

  it.live("is that which was typed before 3-D Secure, and that of a payment which the bank reports later", () =>
    Effect.gen(function* () {
      const service = yield* start({ clock: "test" })
      const secure = yield* checkout(service)
      yield* secure.card("4000002760003184")
      yield* secure.send({ step: "confirm", method: "card" })
      assert.deepStrictEqual((yield* secure.order)["paid_card"], visa("3184"))
      const late = yield* checkout(service)
      yield* late.card("4000000000000077")
      yield* service.pass("1 minute")
      assert.deepStrictEqual((yield* late.order)["paid_card"], visa("0077"))
    })
  )

  it.live("is known behind a wallet of the browser, and is null if no card was charged", () =>
    Effect.gen(function* () {
      const service = yield* start({ clock: "test" })
      const shop = merchantOf(service)
      assert.deepStrictEqual((yield* shop.paid(1_000, {}, "apple_pay"))["paid_card"], visa("4242"))
      assert.isNull((yield* shop.paid(1_000, {}, "alipay"))["paid_card"])
    })
  )

  it.live("goes with the erased buyer, from the order, the bank and the event", () =>
    Effect.gen(function* () {
      const service = yield* start({ clock: "test" })
      const shop = merchantOf(service)
      const { trade_no } = yield* shop.paid(1_000, { receipt_email: "reader@example.com" })
      yield* service.settle
      const asked = yield* said(shop.post("/v1/erasures", { email: "reader@example.com" }))
      for (let minutes = 0; minutes < 10; minutes++) yield* service.pass("1 minute")
      assert.strictEqual((yield* said(shop.get(`/v1/erasures/${asked["erasure_no"]}`)))["counts"].orders, 1)
      assert.isNull((yield* shop.order(trade_no))["paid_card"])
      assert.deepStrictEqual(
        yield* service.sql`select 1 from sandbox_payments where card is not null
        and trade_no = ${trade_no}`,
        []
      )
      const { data } = (yield* shop.get("/v1/events?type=payment.succeeded")).body
      assert.isNull(data.data[0].data.object.paid_card)
    })
  )
})
