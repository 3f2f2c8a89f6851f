/**
 * The checkout page as text: what each state says, and that nothing a merchant or a buyer writes is ever markup (spec:
 * Orders, return_url; silences: K, O14).
 */
import { methodName, PaymentMethod } from "@coffer/model/PaymentMethod"
import type { Order } from "@coffer/rules/order/Order"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import * as CheckoutPage from "../../src/door/checkout/CheckoutPage.ts"
import { testCards } from "../../src/door/checkout/checkCard.ts"
import type { PageContext } from "../../src/door/checkout/frame.ts"
import { script } from "../../src/door/checkout/script.ts"
import { languages } from "../../src/shared/pages/language.ts"
import { styleSource } from "../../src/shared/pages/style.ts"
import { texts as allTexts } from "../../src/door/checkout/texts.ts"
import { checkoutPages, screens } from "../kit/pages/checkoutScreens.ts"
import { createdAt, expiresAt, facts, pendingOrder, shopCalled, teahouse, untouched } from "../kit/rules/fixtures.ts"

const { pageOf } = CheckoutPage
type Page = CheckoutPage.Page
const texts = allTexts.en
const render = (page: Page, seen: Partial<PageContext> = {}) =>
  CheckoutPage.render(page, {
    language: "en",
    chosen: undefined,
    ...teahouse,
    ...seen
  })

const soon = DateTime.add(createdAt, { minutes: 10 })
const later = DateTime.add(createdAt, { days: 3 })

const terms = { ...pendingOrder, subject: "Celadon teapot", returnUrl: "https://shop.example/thanks" }
const pending: Order = { ...terms, status: "pending" }
const paid: Order = { ...facts, ...untouched, ...terms, status: "paid" }
const partly: Order = { ...facts, ...untouched, ...terms, status: "partially_refunded", refundedAmount: facts.fee }
const refunded: Order = { ...facts, ...untouched, ...terms, status: "refunded", refundedAmount: facts.amount }
const failed: Order = { ...terms, status: "failed" }
const expired: Order = { ...terms, status: "expired" }

/** The text of the only main heading. */
const heading = (markup: string) => {
  const headings = Array.from(markup.matchAll(/<h1[^>]*>(.*?)<\/h1>/gs), ([, inner]) => inner!)
  assert.lengthOf(headings, 1, "main headings")
  return headings[0]!.replace(/<[^>]+>/g, "").trim()
}
/** Without our style and our script, whose text is the same on every page. */
const bare = (markup: string) => markup.replace(/<style>.*?<\/style>/gs, "").replace(script.markup, "")
const refresh = (markup: string) => /<meta http-equiv="refresh" content="([^"]*)"/.exec(markup)?.[1]
const links = (markup: string) => Array.from(markup.matchAll(/<a [^>]*href="([^"]*)"/g), ([, href]) => href!)

describe("checkout: states", () => {
  const table: ReadonlyArray<readonly [string, Page, string]> = [
    ["a pending order can be paid", pageOf(pending, soon), "Pay US$10.00"],
    ["a pending order whose end has come cannot", pageOf(pending, expiresAt), "This checkout has expired"],
    ["a live order has no way to be paid yet", pageOf({ ...pending, mode: "live" }, soon), texts.live.heading],
    ["a live order expires like any other", pageOf({ ...pending, mode: "live" }, later), texts.closed.heading],
    ["a paid order says so", pageOf(paid, soon), "Payment successful"],
    ["a paid order opened again later says so", pageOf(paid, later), "This order is paid"],
    ["an order refunded in part is paid", pageOf(partly, soon), "Payment successful"],
    ["an order refunded as a whole says so", pageOf(refunded, soon), "This order was refunded"],
    ["a failed order says so", pageOf(failed, soon), "Payment failed"],
    ["an expired order says so", pageOf(expired, later), "This checkout has expired"],
    ["an order that its merchant closed says so", pageOf(expired, soon), "This order was closed"],
    ["the wallet is simulated", { _tag: "Away", order: pending, method: "alipay" }, "Confirm in Alipay"],
    ["3DS is simulated", { _tag: "Away", order: pending, method: "card" }, "Verify your payment"],
    [
      "a payment that the bank has not reported is waited for",
      { _tag: "Processing", order: pending },
      texts.processing.heading
    ],
    ["an address that we did not sign is not valid", { _tag: "InvalidLink" }, "This link is not valid"],
    ["a silent channel can be tried again", { _tag: "Unreachable" }, texts.unreachable.heading],
    ["an unknown outcome can be looked at", { _tag: "Uncertain" }, texts.uncertain.heading]
  ]

  for (const [name, page, expected] of table) {
    it(`${name}: "${expected}"`, () => {
      const markup = render(page)
      assert.strictEqual(heading(markup), expected)
      assert.match(markup, /^<!doctype html>\s*<html lang="en">/)
      const { length } = markup.match(/<script>/g) ?? []
      assert.isAtMost(length ?? 0, 1, "our own script alone runs")
      assert.notMatch(
        bare(markup),
        /<script|<link(?! rel="icon" href="data:)|<img|\ssrc=|\sstyle=|\son\w+=/i,
        "nothing is loaded and nothing else runs"
      )
      assert.isBelow(Buffer.byteLength(markup), 50_000)
    })
  }

  it("takes payment to the last millisecond before the end, and not at the end", () => {
    assert.strictEqual(pageOf(pending, DateTime.subtract(expiresAt, { milliseconds: 1 }))._tag, "Pay")
    assert.strictEqual(pageOf(pending, expiresAt)._tag, "Closed")
  })

  it("offers a form where something can be done, and nowhere else", () => {
    const withForm = table.filter(([, page]) => render(page).includes("<form")).map(([, page]) => page._tag)
    assert.deepStrictEqual(withForm, ["Pay", "Away", "Away"])
  })

  it("says of an order that cannot be paid any more its state, number and amount, not what was bought or how", () => {
    const ended = [pageOf(pending, later), ...[paid, partly, refunded, failed, expired].map((o) => pageOf(o, soon))]
    for (const page of [...ended, pageOf(paid, later)]) {
      const words = bare(render(page, { shop: shopCalled("Seller") })).replace(/<[^>]+>/g, " ")
      for (const kept of [
        "Celadon",
        pendingOrder.tradeNo,
        ...PaymentMethod.literals.map((method) => methodName(method, "en"))
      ]) {
        assert.notMatch(words, new RegExp(`\\b${kept}\\b`), page._tag)
      }
    }
  })

  it("says how much of a paid order went back", () => {
    assert.include(render(pageOf(partly, soon)), "US$0.59")
  })

  it("says in which environment it is", () => {
    assert.include(render(pageOf(pending, soon)), "Sandbox: no real money is charged")
    assert.notInclude(render(pageOf({ ...pending, mode: "live" }, soon)), "Sandbox:")
  })

  it("carries the style whose hash the policy names", () => {
    assert.match(styleSource, /^'sha256-[A-Za-z0-9+/]{43}='$/)
    assert.lengthOf(Array.from(render(pageOf(paid, soon)).matchAll(/<style>/g)), 1)
  })
})

describe("checkout: pay form", () => {
  const form = render(pageOf(pending, soon))

  it("shows amount, subject and order number", () => {
    for (const shown of ["US$10.00", "Celadon teapot", "cart-1"]) assert.include(form, shown)
  })

  it("shows no number of ours, which says nothing to a buyer, on any page", () => {
    const unnumbered = { outTradeNo: pending.tradeNo as string as Order["outTradeNo"] }
    for (const [name, page] of Object.entries(checkoutPages(unnumbered))) {
      const shown = render(page).replaceAll(/(href|action)="[^"]*"/g, "")
      assert.notInclude(shown, pending.tradeNo, name)
    }
  })

  it("names an order without a subject neutrally", () => {
    assert.include(render(pageOf({ ...pending, subject: null }, soon)), texts.order.noSubject)
  })

  it("offers every method, the first chosen: a card first in English, Alipay and WeChat Pay first in Chinese", () => {
    const chinese = ["alipay", "wechat_pay", "card"]
    const orders = { en: ["card", "alipay", "wechat_pay"], zh: chinese, "zh-Hant": chinese }
    for (const language of languages) {
      const markup = render(pageOf(pending, soon), { language })
      const choices = Array.from(markup.matchAll(/<input type="radio"[^>]*value="(\w+)" (checked)?/g))
      assert.deepStrictEqual(
        choices.map(([, value]) => value),
        orders[language]
      )
      assert.deepStrictEqual(
        choices.map(([, , checked]) => checked),
        ["checked", undefined, undefined]
      )
      const more = Array.from(markup.matchAll(/name="method" value="(\w+)" hidden/g), ([, value]) => value)
      assert.sameMembers([...orders[language], ...more], [...PaymentMethod.literals])
    }
  })

  it("labels every field and keeps all of them empty", () => {
    for (const field of ["number", "expiry", "cvc"]) {
      assert.include(form, `<label class="label" for="${field}">`)
      const input = new RegExp(`<input\\s+id="${field}"[^>]*>`).exec(form)?.[0]
      assert.isDefined(input)
      assert.notMatch(input, /\svalue=/)
    }
  })

  it("lets the browser fill in the card and the address: number, expiry, security code and email", () => {
    const filled = Array.from(form.matchAll(/autocomplete="([^"]*)"/g), ([, name]) => name)
    assert.deepStrictEqual(filled, ["cc-number", "cc-exp", "cc-csc", "email"])
  })

  it("shows the code of a wallet where a phone finds the same page, and none to the phone itself", () => {
    const scanned = "https://pay.example/checkout/x?wallet=alipay"
    assert.include(render({ _tag: "Away", order: pending, method: "alipay", scanned }), '<figure class="qr">')
    assert.notInclude(render({ _tag: "Away", order: pending, method: "alipay" }), "<figure")
  })

  it("tells the test cards", () => {
    for (const number of Object.keys(testCards)) assert.include(form, number.replace(/\d{4}(?=\d)/g, "$& "))
  })

  it("says aloud that a payment was declined, and keeps the method that was chosen", () => {
    const markup = render({ _tag: "Pay", order: pending, method: "alipay", notice: "declined" })
    assert.match(markup, /role="alert"[^>]*>\s*<strong>Your payment was declined</)
    assert.match(markup, /value="alipay" checked/)
    assert.strictEqual(heading(markup), "Pay US$10.00")
  })

  it("puts a mistake at its field, and the focus on the first one", () => {
    const markup = render({
      _tag: "Pay",
      order: pending,
      method: "card",
      notice: "mistaken",
      mistakes: new Set(["expiry", "cvc"])
    })
    assert.notInclude(markup, 'id="number-mistake"')
    for (const field of ["expiry", "cvc"] as const) {
      assert.include(markup, `aria-invalid="true" aria-describedby="${field}-mistake"`)
      assert.include(markup, `id="${field}-mistake">${texts.mistakes[field]}<`)
    }
    assert.lengthOf(Array.from(markup.matchAll(/\sautofocus\s/g)), 1)
    assert.match(markup, /<input\s+id="expiry"[^>]*autofocus/)
  })
})

describe("checkout: what others write", () => {
  const hostile: Order = {
    ...pending,
    subject: `</dd><script>alert("subject")</script>`,
    outTradeNo: `"><svg onload=alert(1)>'&` as Order["outTradeNo"],
    returnUrl: `https://shop.example/?q="><script>alert('return')</script>&n={OUT_TRADE_NO}`
  }
  const hostilePaid: Order = { ...facts, ...untouched, ...hostile, status: "paid" }

  it("is text on every page", () => {
    const payable = [pageOf(hostile, soon), { _tag: "Away", order: hostile, method: "card" } as const]
    const pages = [
      ...payable,
      pageOf(hostile, later),
      pageOf(hostilePaid, soon),
      pageOf({ ...facts, ...untouched, ...hostile, status: "refunded", refundedAmount: facts.amount }, soon)
    ]
    for (const page of pages) {
      const shop = shopCalled(`"><svg onload=alert(1)>'&</script><script>alert("shop")</script>`)
      const markup = bare(render(page, { shop }))
      assert.notMatch(markup, /<script|<svg onload|'&(?!#|amp)/)
    }
    for (const page of payable) assert.include(render(page), "&quot;&gt;&lt;svg onload=alert(1)&gt;&#39;&amp;")
  })

  it("cannot leave the attributes of the way back", () => {
    const markup = render({ ...pageOf(hostilePaid, soon), leaves: true } as Page)
    for (const attribute of [refresh(markup)!, ...links(markup)]) assert.notMatch(attribute, /[<>"']|&(?!amp;|#39;)/)
  })
})

describe("checkout: languages", () => {
  it("are whole: no text of a page in Chinese is English, but for names", () => {
    const letters = (markup: string) =>
      bare(markup)
        .replace(/<(title|bdi|a|code)\b[^>]*>[^<]*(?=<)|<[^>]+>/gs, " ")
        .match(/[A-Za-z][A-Za-z ]{2,}/g) ?? []
    const names = ["CVC", "Apple Pay", "Google Pay", "GMT", "Coffer", "D Secure", "US", "Visa", "Celadon Teahouse"]
    const both = [...screens("zh"), ...screens("zh-Hant")]
    for (const [name, markup] of both) {
      assert.match(markup, /<html lang="zh-(CN|Hant)">/)
      const left = letters(markup)
        .map((text) => text.trim())
        .filter((text) => !names.includes(text))
      assert.deepStrictEqual(left, [], name)
    }
  })

  it("are two in Chinese: none has a character of the other", () => {
    const charactersOf = (language: "zh" | "zh-Hant") =>
      screens(language)
        .map(([, markup]) => bare(markup).replace(/<nav[\s\S]*?<\/nav>/g, ""))
        .join("")
    assert.notMatch(charactersOf("zh-Hant"), /[单额过试败请择银续关买卖码号张应页验证环链间]/u)
    assert.notMatch(charactersOf("zh"), /[單額過試敗請擇銀續關買賣碼號張應頁驗證環鏈間]/u)
  })

  it("can be switched on every page, at the page's own address", () => {
    for (const [language, other] of [
      ["en", "zh"],
      ["en", "zh-Hant"],
      ["zh", "en"],
      ["zh", "zh-Hant"],
      ["zh-Hant", "en"],
      ["zh-Hant", "zh"]
    ] as const) {
      for (const [name, markup] of screens(language)) assert.include(markup, `href="?lang=${other}"`, name)
    }
  })

  it("name amounts and times as they are written in them", () => {
    const page = pageOf({ ...pending, currency: "CNY" }, soon)
    assert.include(render(page, { language: "en" }), ">2 Jan 2026, 00:00 UTC<")
    assert.include(render(page, { language: "zh" }), ">2026年1月2日 00:00 UTC<")
    assert.strictEqual(heading(render(page, { language: "zh" })), "支付 ¥10.00")
  })
})

describe("checkout: who is paid", () => {
  it("stands on every page of an order", () => {
    for (const [name, page] of Object.entries(checkoutPages())) {
      if ("order" in page) assert.include(render(page), "<bdi>Celadon Teahouse</bdi>", name)
    }
  })

  it("is where every page of an order leads back to, by name and never by a bare host", () => {
    for (const [name, page] of Object.entries(checkoutPages())) {
      if (!("order" in page)) continue
      const markup = bare(render(page))
      assert.match(markup, /<a\s[^>]*href="https:\/\/shop\.example\/thanks"[^>]*>Return to Celadon Teahouse</, name)
      assert.notInclude(markup.replace(/<[^>]+>/g, ""), "shop.example", name)
    }
  })

  it("is in the sandbox on every page of a sandbox order, also where the channel does not answer", () => {
    for (const [name, page] of Object.entries(checkoutPages())) {
      if ("order" in page && page.order?.mode === "sandbox")
        assert.include(render(page), "Sandbox: no real money", name)
    }
  })
})

describe("checkout: money", () => {
  it("names the order's own currency", () => {
    assert.strictEqual(heading(render(pageOf({ ...pending, currency: "CNY" }, soon))), "Pay CN¥10.00")
  })
})
