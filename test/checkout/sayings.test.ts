/** Names, numbers, dates, amounts and next steps on the pages, in every language. */
import type { Order } from "@coffer/rules/order/Order"
import { assert, describe, it } from "@effect/vitest"
import { pageOf, render as renderSeen } from "../../src/door/checkout/CheckoutPage.ts"
import type { PageContext } from "../../src/door/checkout/frame.ts"
import { renderReceipt } from "../../src/door/checkout/ReceiptPage.ts"
import { headersFor } from "../../src/door/checkout/script.ts"
import { texts } from "../../src/door/checkout/texts.ts"
import { chinese, languages } from "../../src/shared/pages/language.ts"
import { receiptMail } from "../../src/money/receipts/receiptMail.ts"
import { receiptTexts } from "../../src/money/receipts/receiptTexts.ts"
import { fullShop, later, soon } from "../kit/pages/checkoutScreens.ts"
import { facts, pendingOrder, teahouse, untouched } from "../kit/rules/fixtures.ts"

const pending = { ...pendingOrder, returnUrl: "https://shop.example/thanks" } as Order
const as = (status: string, more: object = {}) => ({ ...facts, ...untouched, ...pending, ...more, status }) as Order
const paid = as("paid") as Order & { readonly status: "paid" }
const seen: PageContext = { language: "en", chosen: undefined, shop: fullShop, offered: teahouse.offered }
const plain = (markup: string) =>
  markup
    .replace(/<(style|script|title)[\s\S]*?<\/\1>/g, "")
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ")
const textOf = (order: Order, at = soon, context = seen) => plain(renderSeen(pageOf(order, at), context))

describe("pages for buyers", () => {
  const ended: ReadonlyArray<readonly [name: string, order: Order, at: typeof soon, when: RegExp, next: string]> = [
    ["of a success", paid, soon, /Paid 1 Jan 2026, 08:05/, "Return to Celadon Teahouse"],
    ["of a paid order that is opened later", paid, later, /Paid 1 Jan 2026, 08:05/, "Return to Celadon Teahouse"],
    ["of a refunded order", as("refunded", { refundedAmount: facts.amount }), soon, /Paid 1 Jan/, "Banks may take"],
    ["of an expired order", as("expired"), later, /Expired 2 Jan 2026, 08:00/, "place a new order with Celadon"],
    ["of an order that its merchant closed", as("expired"), soon, /Ordered 1 Jan 2026, 08:00/, "place a new one"],
    ["of a failed order", as("failed"), soon, /Ordered 1 Jan 2026, 08:00/, "place a new order with Celadon"]
  ]
  for (const [name, order, at, when, next] of ended) {
    it(`${name} say whom, what number, when, how much and what next`, () => {
      const text = textOf(order, at)
      assert.match(text, /Celadon Teahouse/)
      assert.match(text, /Order number cart-1/)
      assert.match(text, when)
      assert.match(text, /US\$10\.00/)
      assert.include(text, next)
    })
  }

  it("have no number of ours: the merchant's own, or nothing", () => {
    for (const outTradeNo of ["cart-1", pending.tradeNo]) {
      for (const order of [pending, paid, as("failed"), as("expired")]) {
        const text = textOf({ ...order, outTradeNo } as Order)
        assert.notInclude(text, "TRD_")
        assert.strictEqual(text.includes("Order number"), outTradeNo === "cart-1")
      }
    }
  })

  it("of receipts have our number once, small and on one line, and the mail as well", () => {
    const sent = { order: { ...paid, outTradeNo: pending.tradeNo } as never, shop: fullShop, language: "en" as const }
    const page = renderReceipt(sent, seen)
    assert.deepStrictEqual(page.match(/TRD_SB_\w+/g)?.length, 1)
    assert.match(page, /<span class="number">TRD_SB_\w+<\/span>/)
    assert.match(page, /\.number \{[^}]*white-space: nowrap/)
    const mail = receiptMail({
      ...sent,
      mailId: "m",
      recipient: "a@b.c",
      logoUrl: undefined,
      url: "https://pay.example/r"
    })
    assert.match(mail.html, /<span style="font-size:11px;white-space:nowrap">TRD_SB_/)
    assert.strictEqual(mail.text.match(/TRD_SB_/g)?.length, 1)
  })

  it("say times in the shop's zone, which they name, for browsers without a script, and so does the mail, with the seller", () => {
    assert.include(textOf(pending), "Pay by 2 Jan 2026, 08:00 GMT+8")
    assert.include(textOf(pending, soon, { ...seen, shop: undefined }), "Pay by 2 Jan 2026, 00:00 UTC")
    const sent = { order: paid as never, shop: fullShop, language: "en" as const }
    assert.include(plain(renderReceipt(sent, seen)), "Paid on 1 Jan 2026, 08:05 GMT+8")
    const mail = receiptMail({
      ...sent,
      mailId: "m",
      recipient: "a@b.c",
      logoUrl: undefined,
      url: "https://pay.example/r"
    })
    for (const text of [mail.text, mail.html]) assert.include(text, "1 Jan 2026, 08:05 GMT+8")
    for (const text of [mail.text, mail.html]) {
      for (const seller of [fullShop.businessAddress!, fullShop.taxId!]) assert.include(text, seller)
    }
  })

  it("show the terms, the privacy policy and the help of the shop, and a lock with one line of trust", () => {
    const markup = renderSeen(pageOf(pending, soon), seen)
    for (const href of ["https://celadon.example/terms", "https://celadon.example/privacy"]) {
      assert.match(markup, new RegExp(`<p class="legal">[^]*href="${href}" rel="noreferrer"`))
    }
    assert.match(markup, /<p class="trust">\s*<svg[^]*<\/svg\s*>Your payment details are encrypted\./)
    const shop = { ...fullShop, termsUrl: "javascript:alert(1)", privacyUrl: null }
    assert.notInclude(renderSeen(pageOf(pending, soon), { ...seen, shop }), 'class="legal"')
  })

  it("wear the shop's colour, which their policy allows by its hash, and nothing that is no colour", () => {
    const wear = (accentColor: string) =>
      renderSeen(pageOf(pending, soon), { ...seen, shop: { ...fullShop, accentColor } })
    assert.include(wear("#1a5fb4"), "<style>:root { --accent: #1a5fb4; --accent-ink: #ffffff; --tint: var(--note) }")
    assert.match(wear("#1a5fb4"), /dark\) \{ :root \{ --accent: #[6-9a-f]\w+; --accent-ink: #000000/)
    const stylesOf = (accentColor: string | null) => {
      const { "content-security-policy": policy } = headersFor({ accentColor })
      return /style-src ([^;]*)/.exec(policy)![1]!.split(" ").length
    }
    assert.deepStrictEqual([stylesOf("#1a5fb4"), stylesOf(null)], [2, 1])
    for (const bad of ["red", "#12345", "#123456;}", "#1234567"]) {
      assert.strictEqual(wear(bad).match(/<style/g)?.length, 1)
      assert.strictEqual(stylesOf(bad), 1)
    }
  })

  it("tell on a desktop the subject, the number, the end, what happens next and where help is", () => {
    const [summary] = /<section class="summary[^]*?<\/section>/.exec(renderSeen(pageOf(pending, soon), seen)) ?? []
    const text = plain(summary ?? "")
    for (const each of ["Your order", "cart-1", "Pay by", texts.en.next.heading, "help@celadon.example"]) {
      assert.include(text, each)
    }
    assert.strictEqual(summary?.match(/<li>/g)?.length, 3)
  })

  it("name the methods in type: no drawing imitates a trademark", () => {
    const [methods] = /<div class="methods">[^]*?<\/fieldset>/.exec(renderSeen(pageOf(pending, soon), seen)) ?? []
    assert.match(plain(methods ?? ""), /Card Alipay WeChat Pay/)
    assert.notInclude(methods ?? "", "<svg")
  })

  it("in Chinese have a space between a character and a letter or digit, and none beside punctuation", () => {
    const spaced = /[\p{Script=Han}][A-Za-z0-9$¥]|[A-Za-z0-9][\p{Script=Han}]|\s[，。：、（）]|[，。：、（）]\s/u
    const sayings = (value: unknown): ReadonlyArray<string> => {
      if (typeof value === "string") return [value]
      if (typeof value === "function") return [value("US$1.00", "Celadon"), value("支付宝", "书店")]
      return Object.values(value as object).flatMap(sayings)
    }
    for (const language of languages.filter((each) => each !== "en")) {
      for (const text of [...sayings(texts[language]), ...sayings(receiptTexts[language])]) {
        assert.notMatch(text, spaced, text)
      }
    }
    assert.strictEqual(chinese`返回${"书店"}。`, "返回书店。")
    assert.strictEqual(chinese`返回${"Celadon"}。`, "返回 Celadon。")
  })
})
