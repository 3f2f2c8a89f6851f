/**
 * The checkout page as text: what each state says, and that nothing a merchant or a buyer writes is ever markup (spec:
 * Orders, return_url; silences: K, O14).
 */
import { PaymentMethod } from "@coffer/model/PaymentMethod"
import type { Order } from "@coffer/rules/order/Order"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import * as CheckoutPage from "../../src/checkout/CheckoutPage.ts"
import { styleSource } from "../../src/pages/style.ts"
import { returnAddress } from "../../src/checkout/returnAddress.ts"
import { texts } from "../../src/checkout/texts.ts"
import { createdAt, expiresAt, facts, pendingOrder, untouched } from "../kit/fixtures.ts"

const { render } = CheckoutPage
type Page = CheckoutPage.Page
const attemptNo = "01KB0000000000000000000000"
const pageOf = (order: Order, now: DateTime.Utc) => CheckoutPage.pageOf(order, now, attemptNo)

const soon = DateTime.add(createdAt, { minutes: 10 })
const later = DateTime.add(createdAt, { days: 3 })

const terms = { ...pendingOrder, subject: "Celadon teapot", returnUrl: "https://shop.example/thanks" }
const pending: Order = { ...terms, status: "pending" }
const paid: Order = { ...facts, ...untouched, ...terms, status: "paid" }
const partly: Order = { ...facts, ...untouched, ...terms, status: "partially_refunded", refundedAmount: facts.fee }
const refunded: Order = { ...facts, ...untouched, ...terms, status: "refunded", refundedAmount: facts.amount }
const failed: Order = { ...terms, status: "failed" }
const expired: Order = { ...terms, status: "expired" }

/** What stands in the only main heading. */
const heading = (markup: string) => {
  const headings = Array.from(markup.matchAll(/<h1[^>]*>(.*?)<\/h1>/gs), ([, inner]) => inner!)
  assert.lengthOf(headings, 1, "main headings")
  return headings[0]!.replace(/<[^>]+>/g, "").trim()
}
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
    ["an expired order says so", pageOf(expired, soon), "This checkout has expired"],
    ["the wallet is simulated", { _tag: "Away", order: pending, attemptNo, method: "alipay" }, "Confirm in Alipay"],
    ["3DS is simulated", { _tag: "Away", order: pending, attemptNo, method: "card" }, "Verify your payment"],
    ["an address that we did not sign is not valid", { _tag: "InvalidLink" }, "This link is not valid"],
    ["a silent channel can be tried again", { _tag: "Unreachable", address: "/checkout/x" }, texts.unreachable.heading],
    ["an unknown outcome can be looked at", { _tag: "Uncertain", address: "/checkout/x" }, texts.uncertain.heading]
  ]

  for (const [name, page, expected] of table) {
    it(`${name}: "${expected}"`, () => {
      const markup = render(page)
      assert.strictEqual(heading(markup), expected)
      assert.match(markup, /^<!doctype html>\n<html lang="en">/)
      assert.notMatch(markup, /<script|<link|<img|\ssrc=|\sstyle=|\son\w+=/i, "nothing is loaded and nothing runs")
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

  it("names in each form the attempt that it makes", () => {
    for (const [, page] of table) {
      const markup = render(page)
      const named = `<input type="hidden" name="attempt_no" value="${attemptNo}" />`
      assert.strictEqual(markup.split(named).length, markup.split("<form").length, page._tag)
    }
  })

  it("says of an order that cannot be paid any more its state and its amount, not what was bought", () => {
    const ended = [pageOf(pending, later), ...[paid, partly, refunded, failed, expired].map((o) => pageOf(o, soon))]
    for (const page of [...ended, pageOf(paid, later)]) {
      const words = render(page).replace(/<style>.*?<\/style>|<[^>]+>/gs, " ")
      for (const kept of ["Celadon", "cart-1", pendingOrder.tradeNo, ...Object.values(texts.methods)]) {
        assert.notMatch(words, new RegExp(`\\b${kept}\\b`), page._tag)
      }
    }
  })

  it("says how much of a paid order went back", () => {
    assert.include(render(pageOf(partly, soon)), "US$0.59")
  })

  it("says in which environment it is", () => {
    assert.include(render(pageOf(pending, soon)), "Sandbox: no real money moves")
    assert.notInclude(render(pageOf({ ...pending, mode: "live" }, soon)), "Sandbox: no real money moves")
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

  it("names an order without a subject neutrally", () => {
    assert.include(render(pageOf({ ...pending, subject: null }, soon)), texts.order.noSubject)
  })

  it("offers every method, one of them chosen", () => {
    const choices = Array.from(form.matchAll(/<input type="radio" name="method" [^>]*value="(\w+)"/g), ([, v]) => v)
    assert.deepStrictEqual(choices, [...PaymentMethod.literals])
    assert.lengthOf(Array.from(form.matchAll(/\schecked\s/g)), 1)
  })

  it("labels every field and keeps all of them empty", () => {
    for (const field of ["number", "expiry", "cvc"]) {
      assert.include(form, `<label class="label" for="${field}">`)
      const input = new RegExp(`<input\\s+id="${field}"[^>]*>`).exec(form)?.[0]
      assert.isDefined(input)
      assert.notMatch(input, /\svalue=/)
    }
  })

  it("tells the test cards", () => {
    for (const card of ["4242 4242 4242 4242", "4000 0000 0000 0002", "4000 0027 6000 3184"]) assert.include(form, card)
  })

  it("says aloud that a payment was declined, and keeps the method that was chosen", () => {
    const markup = render({ _tag: "Pay", order: pending, attemptNo, method: "alipay", notice: "declined" })
    assert.match(markup, /role="alert">\s*<strong>The payment was declined</)
    assert.match(markup, /value="alipay" checked/)
    assert.strictEqual(heading(markup), "Pay US$10.00")
  })

  it("puts a mistake at its field, and the focus on the first one", () => {
    const markup = render({
      _tag: "Pay",
      attemptNo,
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
    const payable = [pageOf(hostile, soon), { _tag: "Away", order: hostile, attemptNo, method: "card" } as const]
    const pages = [
      ...payable,
      pageOf(hostile, later),
      pageOf(hostilePaid, soon),
      pageOf({ ...facts, ...untouched, ...hostile, status: "refunded", refundedAmount: facts.amount }, soon)
    ]
    for (const page of pages) {
      const markup = render(page)
      assert.notMatch(markup, /<script|<svg onload|'&(?!#|amp)/)
    }
    for (const page of payable) assert.include(render(page), "&quot;&gt;&lt;svg onload=alert(1)&gt;&#39;&amp;")
  })

  it("cannot leave the attributes of the way back", () => {
    const markup = render(pageOf(hostilePaid, soon))
    for (const attribute of [refresh(markup)!, ...links(markup)]) assert.notMatch(attribute, /[<>"']|&(?!amp;|#39;)/)
  })
})

describe("checkout: return address", () => {
  const at = (returnUrl: string | null, outTradeNo = "cart-1") =>
    returnAddress({ ...pending, returnUrl, outTradeNo: outTradeNo as Order["outTradeNo"] })

  it("fills in both numbers, wherever and however often they stand", () => {
    assert.deepStrictEqual(at("https://shop.example/{TRADE_NO}/?a={OUT_TRADE_NO}&b={OUT_TRADE_NO}#{TRADE_NO}"), {
      href: `https://shop.example/${pending.tradeNo}/?a=cart-1&b=cart-1#${pending.tradeNo}`,
      host: "shop.example"
    })
  })

  it("percent-encodes them", () => {
    assert.strictEqual(
      at("https://shop.example/?n={OUT_TRADE_NO}&x=1", "a&x=2/ü #{TRADE_NO}$&")?.href,
      "https://shop.example/?n=a%26x%3D2%2F%C3%BC%20%23%7BTRADE_NO%7D%24%26&x=1"
    )
  })

  it("leaves other braces to the merchant", () => {
    assert.strictEqual(
      at("https://shop.example/?a={OTHER}&b={trade_no}")?.href,
      "https://shop.example/?a={OTHER}&b={trade_no}"
    )
  })

  for (const url of [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)//https://shop.example",
    "data:text/html,<script>alert(1)</script>",
    "//shop.example/",
    "/thanks",
    "ftp://shop.example/",
    "https://{OUT_TRADE_NO}",
    "https://{TRADE_NO}.shop.example/",
    ""
  ]) {
    it(`never links ${url || "nothing"}`, () => {
      assert.isUndefined(at(url, "java script:x"))
      const markup = render(
        pageOf({ ...paid, returnUrl: url, outTradeNo: "java script:x" as Order["outTradeNo"] }, soon)
      )
      assert.isUndefined(refresh(markup))
      assert.deepStrictEqual(links(markup), [])
    })
  }

  it("is offered as a link and taken after 5 seconds once paid, also when opened again", () => {
    for (const now of [soon, later]) {
      const markup = render(pageOf({ ...paid, returnUrl: "https://shop.example/?a={TRADE_NO}&b={OUT_TRADE_NO}" }, now))
      const address = `https://shop.example/?a=${paid.tradeNo}&amp;b=cart-1`
      assert.strictEqual(refresh(markup), `5;url=${address}`)
      assert.deepStrictEqual(links(markup), [address])
      assert.include(markup, "Return to shop.example")
    }
  })

  it("is only a link once refunded, and nothing at all where nobody has paid", () => {
    assert.isUndefined(refresh(render(pageOf(refunded, soon))))
    assert.deepStrictEqual(links(render(pageOf(refunded, soon))), ["https://shop.example/thanks"])
    for (const order of [pending, failed, expired]) {
      assert.isUndefined(refresh(render(pageOf(order, soon))))
      assert.deepStrictEqual(links(render(pageOf(order, soon))), [])
    }
  })

  it("is nowhere when the merchant named none", () => {
    const markup = render(pageOf({ ...paid, returnUrl: null }, soon))
    assert.isUndefined(refresh(markup))
    assert.deepStrictEqual(links(markup), [])
  })
})

describe("checkout: money", () => {
  it("names the order's own currency", () => {
    assert.strictEqual(heading(render(pageOf({ ...pending, currency: "CNY" }, soon))), "Pay CN¥10.00")
  })
})
