/** Attempts to pay that did not succeed: the order's story, the operator's view and the event have their reasons. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { merchantOf, said } from "../../kit/Merchant.ts"
import { type Running, start } from "../../kit/Service.ts"

interface Entry {
  readonly kind: string
  readonly id: string
  readonly text: string
  readonly details: Readonly<Record<string, unknown>>
}

const reasonsOf = (entries: ReadonlyArray<Entry>) =>
  entries.filter(({ kind }) => kind === "payment_attempt").map(({ details: { outcome, reason } }) => [outcome, reason])

const anOrder = Effect.fnUntraced(function* (service: Running) {
  const shop = merchantOf(service)
  const { checkout_url, trade_no } = yield* said(shop.post("/v1/orders", { amount: 2_000 }))
  const form = (fields: Record<string, string>) =>
    service.api.call("POST", new URL(checkout_url).pathname, {
      raw: new URLSearchParams(fields).toString(),
      headers: { "Content-Type": "application/x-www-form-urlencoded" }
    })
  const card = (number: string) => form({ step: "pay", method: "card", number, expiry: "12/40", cvc: "123" })
  const wallet = (method: string) => Effect.andThen(form({ step: "pay", method }), form({ step: "cancel", method }))
  const story = Effect.map(said(shop.get(`/v1/orders/${trade_no}/timeline`)), ({ entries }) => entries)
  return { shop, tradeNo: String(trade_no), form, card, wallet, story }
})

describe("attempts to pay in the sandbox", () => {
  it.live("ten of seven kinds are in the timeline, the operator's view and `payment.failed`", () =>
    Effect.gen(function* () {
      const service = yield* start({ clock: "test" })
      const { card, form, shop, story, tradeNo, wallet } = yield* anOrder(service)
      yield* card("4000000000000002")
      yield* wallet("alipay")
      yield* card("4000000000009995")
      yield* card("4000000000000069")
      yield* wallet("wechat_pay")
      yield* card("4000000000009979")
      yield* card("4000002760003184")
      yield* form({ step: "cancel", method: "card" })
      yield* card("4000000000000002")
      yield* wallet("google_pay")
      assert.strictEqual((yield* shop.order(tradeNo)).payment_failure_reason, "cancelled_by_buyer")
      yield* said(shop.post(`/v1/test_helpers/orders/${tradeNo}/pay`, { outcome: "fail" }))
      const expected = [
        ["declined", "generic_decline"],
        ["cancelled", "cancelled_by_buyer"],
        ["declined", "insufficient_funds"],
        ["declined", "expired_card"],
        ["cancelled", "cancelled_by_buyer"],
        ["declined", "call_issuer"],
        ["declined", "authentication_failed"],
        ["declined", "generic_decline"],
        ["cancelled", "cancelled_by_buyer"],
        ["failed", "processing_error"]
      ]
      const told = yield* story
      assert.deepStrictEqual(reasonsOf(told), expected)
      assert.isTrue(told.some(({ text }: Entry) => /by card was declined: .* insufficient funds/.test(text)))
      const cards = told.flatMap(({ details, kind }: Entry) =>
        kind === "payment_attempt" ? [details["card_last4"]] : []
      )
      assert.deepStrictEqual(cards.slice(0, 4), ["0002", null, "9995", "0069"])
      assert.isTrue(told.some(({ details }: Entry) => details["three_d_secure"] === "failed"))
      const seen = yield* said(
        service.api.operator("GET", `/merchants/${service.merchant.merchantId}/orders/${tradeNo}/timeline?mode=sandbox`)
      )
      assert.deepStrictEqual(reasonsOf(seen.entries), expected)
      const { data } = (yield* shop.get("/v1/events?type=payment.failed")).body
      assert.strictEqual(data.data[0].data.object.payment_failure_reason, "processing_error")
    })
  )

  it.live("keep the brand and the last four digits of the card, until the buyer is erased", () =>
    Effect.gen(function* () {
      const service = yield* start({ clock: "test" })
      const { card, shop, story, tradeNo } = yield* anOrder(service)
      yield* card("4000000000009995")
      const stored = Effect.map(
        service.sql<{ attempts: string }>`select attempts::text as attempts from orders where trade_no = ${tradeNo}`,
        ([row]) => row!.attempts
      )
      assert.include(yield* stored, `"card": {"brand": "visa", "last4": "9995"}`)
      assert.notInclude(yield* stored, "400000")
      yield* said(shop.post(`/v1/orders/${tradeNo}/expire`))
      yield* said(shop.post("/v1/erasures", { trade_no: tradeNo }))
      yield* service.leap("1 minute")
      assert.notInclude(yield* stored, "9995")
      const [attempt] = (yield* story).filter(({ kind }: Entry) => kind === "payment_attempt")
      assert.deepInclude(attempt.details, { card_brand: null, card_last4: null, reason: "insufficient_funds" })
    })
  )

  it.live("only refusals of the bank lead to its pause: a buyer may look into a wallet as often as wished", () =>
    Effect.gen(function* () {
      const service = yield* start({ clock: "test" })
      const { card, story, wallet } = yield* anOrder(service)
      for (let time = 1; time <= 11; time++) yield* wallet("wechat_pay")
      for (let time = 1; time <= 9; time++) yield* card("4000000000000002")
      const last = yield* card("4000000000000002")
      assert.notInclude(last.text, "more tr")
      assert.strictEqual((yield* card("4242424242424242")).status, 429)
      yield* service.pass("10 minutes")
      assert.strictEqual((yield* card("4242424242424242")).status, 303)
      assert.strictEqual(reasonsOf(yield* story).length, 21)
    })
  )
})
