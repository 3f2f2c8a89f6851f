/**
 * The language of each answer of the checkout's routes, why a card was declined, and what a phone finds (silences: K).
 */
import type { Order } from "@coffer/rules/order/Order"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { texts as allTexts } from "../../src/door/checkout/texts.ts"
import { facts, pendingOrder, untouched } from "../kit/rules/fixtures.ts"
import { card, openScripted as open } from "../kit/pages/scriptedCheckout.ts"

const texts = allTexts.en
const paid: Order = { ...facts, ...untouched, ...pendingOrder, status: "paid" }
const good = card("4242 4242 4242 4242")

describe("checkout: a declined card", () => {
  const reasons = {
    "4000000000000002": "declined",
    "4000000000009995": "insufficientFunds",
    "4000000000000069": "cardExpired",
    "4000000000009979": "callBank"
  } as const
  for (const [number, reason] of Object.entries(reasons)) {
    it.effect(`says why, in words that help: ${texts.notices[reason].title}`, () =>
      Effect.gen(function* () {
        const { asked, call, post } = yield* open()
        assert.include((yield* post(card(number))).text, texts.notices[reason].title)
        const form = new URLSearchParams(card(number)).toString()
        assert.include((yield* call("/checkout/good?lang=zh", form)).text, allTexts.zh.notices[reason].title)
        assert.deepStrictEqual(
          asked.map(([, how]) => how),
          ["decline", "decline"]
        )
      })
    )
  }
})

describe("checkout: languages", () => {
  const language = ({ headers, text }: { readonly headers: Headers; readonly text: string }) => {
    assert.strictEqual(headers.get("vary"), "Accept-Language")
    const said = headers.get("content-language")
    assert.include(text, `<html lang="${said}">`)
    return said
  }

  it.effect("follow the buyer's choice on the page, else the order, else the browser", () =>
    Effect.gen(function* () {
      const chinese = yield* open({ order: { ...pendingOrder, locale: "zh" } })
      const unset = yield* open()
      assert.strictEqual(language(yield* chinese.call("/checkout/good?lang=en", undefined, "zh")), "en")
      assert.strictEqual(language(yield* chinese.call("/checkout/good", undefined, "en")), "zh-CN")
      assert.strictEqual(language(yield* unset.call("/checkout/good", undefined, "de, zh;q=0.8")), "zh-CN")
      assert.strictEqual(language(yield* unset.get), "en")
      assert.strictEqual(language(yield* unset.call("/checkout/forged", undefined, "zh")), "zh-CN")
    })
  )

  it.effect("stay as they were chosen after paying, and nothing else of the query does", () =>
    Effect.gen(function* () {
      const { call } = yield* open({ after: paid })
      const form = new URLSearchParams(good).toString()
      for (const [query, kept] of [
        ["?lang=zh&wallet=alipay", "?lang=zh"],
        ["?lang=xx", ""],
        ["?lang=%22%3E%3Cscript%3E", ""]
      ]) {
        const reply = yield* call(`/checkout/good${query}`, form)
        assert.strictEqual(reply.headers.get("location"), `/prefix/checkout/good${kept}`)
      }
    })
  )
})

describe("checkout: a phone that has read the code", () => {
  it.effect("finds the wallet of an order that can be paid, and else the order's page", () =>
    Effect.gen(function* () {
      const address = "/checkout/good?wallet=wechat_pay"
      const payable = yield* open()
      assert.include((yield* payable.call(address)).text, texts.wallet.heading("WeChat Pay"))
      assert.include((yield* payable.call("/checkout/good?wallet=card")).text, "Pay US$10.00")
      assert.deepStrictEqual(payable.asked, [])
      const done = yield* open({ order: paid })
      assert.include((yield* done.call(address)).text, texts.paid.heading)
    })
  )

  it.effect("is shown the code's address by the page that follows the choice of a wallet", () =>
    Effect.gen(function* () {
      const { post } = yield* open()
      const away = (yield* post({ step: "pay", method: "alipay" })).text
      assert.include(away, '<figure class="qr">')
      assert.notInclude((yield* post({ step: "pay", method: "google_pay" })).text, "<figure")
    })
  )
})
