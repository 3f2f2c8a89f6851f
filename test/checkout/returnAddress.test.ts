/**
 * The way back to the shop: which address it leads to, and when a browser without a script takes it by itself (spec:
 * Orders, return_url).
 */
import type { Order } from "@coffer/rules/order/Order"
import { assert, describe, it } from "@effect/vitest"
import { type Page, pageOf, render as renderSeen } from "../../src/door/checkout/CheckoutPage.ts"
import { returnAddress } from "../../src/door/checkout/returnAddress.ts"
import { later, soon } from "../kit/pages/checkoutScreens.ts"
import { facts, pendingOrder, teahouse, untouched } from "../kit/rules/fixtures.ts"

const terms = { ...pendingOrder, returnUrl: "https://shop.example/thanks" }
const pending: Order = { ...terms, status: "pending" }
const paid: Order = { ...facts, ...untouched, ...terms, status: "paid" }
const refunded: Order = { ...facts, ...untouched, ...terms, status: "refunded", refundedAmount: facts.amount }
const failed: Order = { ...terms, status: "failed" }
const expired: Order = { ...terms, status: "expired" }

const render = (page: Page) => renderSeen(page, { language: "en", chosen: undefined, ...teahouse })
const refresh = (markup: string) =>
  /<noscript\s*>\s*<meta http-equiv="refresh" content="([^"]*)"\s*\/><\/noscript/.exec(markup)?.[1]
const links = (markup: string) => Array.from(markup.matchAll(/<a\s[^>]*href="(\w+:[^"]*)"/g), ([, href]) => href!)

describe("checkout: return address", () => {
  const at = (returnUrl: string | null, outTradeNo = "cart-1") =>
    returnAddress({ ...pending, returnUrl, outTradeNo: outTradeNo as Order["outTradeNo"] })

  it("fills in both numbers, wherever and however often they stand", () => {
    assert.strictEqual(
      at("https://shop.example/{TRADE_NO}/?a={OUT_TRADE_NO}&b={OUT_TRADE_NO}#{TRADE_NO}"),
      `https://shop.example/${pending.tradeNo}/?a=cart-1&b=cart-1#${pending.tradeNo}`
    )
  })

  it("percent-encodes them", () => {
    assert.strictEqual(
      at("https://shop.example/?n={OUT_TRADE_NO}&x=1", "a&x=2/ü #{TRADE_NO}$&"),
      "https://shop.example/?n=a%26x%3D2%2F%C3%BC%20%23%7BTRADE_NO%7D%24%26&x=1"
    )
  })

  it("leaves other braces to the merchant", () => {
    assert.strictEqual(
      at("https://shop.example/?a={OTHER}&b={trade_no}"),
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

  it("is taken after 5 seconds once paid, by a script that can be stopped, or without a script by the browser", () => {
    const returnUrl = "https://shop.example/?a={TRADE_NO}&b={OUT_TRADE_NO}"
    const page = pageOf({ ...paid, returnUrl }, soon)
    assert.isUndefined(refresh(render(page)), "another browser stays")
    const markup = render({ ...page, leaves: true } as Page)
    const address = `https://shop.example/?a=${paid.tradeNo}&amp;b=cart-1`
    assert.strictEqual(refresh(markup), `5;url=${address}`)
    assert.deepStrictEqual(links(markup), [address])
    assert.match(markup, /data-countdown="Returning to the shop in \{n\} s\." data-seconds="5"/)
    assert.match(markup, /data-stay/)
  })

  it("is only a link when a paid order is opened later, and on every other page of an order", () => {
    const pages = [pending, refunded, failed, expired].map((order) => pageOf(order, soon))
    for (const page of [pageOf(paid, later), ...pages]) {
      const markup = render(page)
      assert.isUndefined(refresh(markup), page._tag)
      assert.notMatch(markup, /data-countdown="/)
      assert.deepStrictEqual(links(markup), ["https://shop.example/thanks"], page._tag)
    }
  })

  it("is nowhere when the merchant named none", () => {
    for (const order of [pending, paid, refunded, failed, expired]) {
      const markup = render(pageOf({ ...order, returnUrl: null }, soon))
      assert.isUndefined(refresh(markup))
      assert.deepStrictEqual(links(markup), [])
    }
  })
})
