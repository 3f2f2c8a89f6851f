/**
 * A merchant's shop as buyers see it, and the methods that they may pay with, as the operator sets them
 * (docs/architecture.md, section 7; silences: K7, K8, K10).
 */
import { logoBytesMax, logoSideMax } from "@coffer/model/Limits"
import { PaymentMethod } from "@coffer/model/PaymentMethod"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Reply } from "../../kit/Api.ts"
import { assertRefused } from "../../kit/Merchant.ts"
import { png } from "../../kit/pages/png.ts"
import { type Running, start } from "../../kit/Service.ts"
import { fileOf, filePart, formOf, modePart, upload } from "../../kit/callers/uploads.ts"

/** Settings that are refused, by the parameter that the refusal names. */
const refused: Readonly<Record<string, ReadonlyArray<unknown>>> = {
  support_email: ["help", "help@shop", "a b@shop.example", "<a>@shop.example", "help@shop.example\n", 5],
  support_url: ["", "shop.example", "http://shop.example/", "javascript:alert(1)", "https://a@shop.example/", 5],
  terms_url: ["", "http://shop.example/terms", "javascript:alert(1)", 5],
  privacy_url: ["", "shop.example/privacy", "data:text/html,x", 5],
  business_address: ["", "a\nb", "a".repeat(256), 5],
  tax_id: ["", "a\nb", "1".repeat(65), 5],
  accent_color: ["", "red", "#17614", "#17614f;", "#777", "#ffcc00", 5],
  logo_url: ["", "https://elsewhere.example/logo.png", "logo.png", 5],
  "sandbox.payment_methods": [[], "card", ["card", "card"], ["apple_pay", "google_pay"]],
  "live.payment_methods[1]": [["card", "cash"]]
}

class Service extends Context.Service<Service, Running>()("test/shopSettings") {}

layer(Layer.effect(Service, start()), { excludeTestServices: true })("a shop's settings", (it) => {
  const set = Effect.fnUntraced(function* (body: object) {
    const { api, merchant } = yield* Service
    return yield* api.operator("POST", `/merchants/${merchant.merchantId}`, body)
  })
  const uploaded = Effect.fnUntraced(function* (content: Uint8Array, merchantId?: string) {
    const { baseUrl, merchant } = yield* Service
    const form = formOf(modePart("sandbox"), filePart(content))
    const { body } = yield* upload(baseUrl, merchantId ?? merchant.merchantId, form)
    return body.data.url as string
  })
  const order = Effect.fnUntraced(function* (terms: object = {}) {
    const { api, merchant } = yield* Service
    const { body } = yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 1_000, ...terms })
    return body.data as { readonly trade_no: string; readonly checkout_url: string }
  })
  const pay = Effect.fnUntraced(function* (tradeNo: string, body: object = {}) {
    const { api, merchant } = yield* Service
    return yield* api.post(`/v1/test_helpers/orders/${tradeNo}/pay`, merchant.sandboxKey, body)
  })
  const pageAt = Effect.fnUntraced(function* (address: string) {
    const { api } = yield* Service
    return (yield* api.call("GET", new URL(address).pathname)).text
  })
  const logoOf = (reply: Reply) => reply.body.data.logo_url

  it.effect("a logo and a contact stand on the pages of checkout, link and receipt, and in the mail", () =>
    Effect.gen(function* () {
      const { api, atRest, merchant, sql } = yield* Service
      const logo_url = yield* uploaded(png(32, 32))
      const told = { logo_url, support_email: "help@shop.example", support_url: "https://shop.example/help" }
      const { body } = yield* set(told)
      assert.deepInclude(body.data, told)

      const { checkout_url, trade_no } = yield* order({ receipt_email: "reader@example.com" })
      const link = (yield* api.post("/v1/payment_links", merchant.sandboxKey, { amount: 500, status: "active" })).body
        .data
      yield* api.post(`/v1/payment_links/${link.link_id}`, merchant.sandboxKey, { status: "inactive" })
      const pages = [yield* pageAt(checkout_url), yield* pageAt(link.url)]
      yield* pay(trade_no)
      const { receipt_url } = (yield* api.get(`/v1/orders/${trade_no}`, merchant.sandboxKey)).body.data
      pages.push(yield* pageAt(checkout_url), yield* pageAt(receipt_url))
      for (const page of pages) {
        for (const shown of [
          `src="../files/${logo_url.split("/").at(-1)}"`,
          "mailto:help@shop.example",
          told.support_url
        ]) {
          assert.include(page, shown)
        }
      }
      assert.strictEqual((yield* api.call("GET", new URL(logo_url).pathname)).headers.get("content-type"), "image/png")
      yield* atRest
      assert.lengthOf(yield* sql`select 1 from mails where trade_no = ${trade_no} and status = 'sent'`, 1)

      const removed = yield* set({ logo_url: null, support_email: null, support_url: null })
      assert.deepInclude(removed.body.data, { logo_url: null, support_email: null, support_url: null })
      const bare = yield* pageAt(checkout_url)
      for (const gone of ["<img", "mailto:", told.support_url]) assert.notInclude(bare, gone)
    })
  )

  it.effect("the seller's address and tax number stand on the receipt until they are removed", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const seller = { business_address: "Oderberger Str. 1, 10435 Berlin", tax_id: "DE123456789" }
      assert.deepInclude((yield* set(seller)).body.data, seller)
      const { trade_no } = yield* order()
      yield* pay(trade_no)
      const { receipt_url } = (yield* api.get(`/v1/orders/${trade_no}`, merchant.sandboxKey)).body.data
      for (const value of Object.values(seller)) assert.include(yield* pageAt(receipt_url), value)
      yield* set({ business_address: null, tax_id: null })
      for (const value of Object.values(seller)) assert.notInclude(yield* pageAt(receipt_url), value)
    })
  )

  it.effect("what is no address, no list of methods, or leaves some browsers with none, is refused by name", () =>
    Effect.gen(function* () {
      for (const [param, values] of Object.entries(refused)) {
        const [, mode, name = param] = /^(sandbox|live)\.(\w+)/.exec(param) ?? []
        for (const value of values) {
          const body = mode === undefined ? { [name]: value } : { [mode]: { [name]: value } }
          assertRefused(yield* set(body), 400, "invalid_request", param)
        }
      }
    })
  )

  it.effect("a refused accent names its contrast with the page, and a readable one is kept in lower case", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const refusal = yield* set({ accent_color: "#FFCC00" })
      assertRefused(refusal, 400, "invalid_request", "accent_color")
      assert.include(refusal.text, "1.3")
      const links = { terms_url: "https://shop.example/terms", privacy_url: "https://shop.example/privacy" }
      assert.deepInclude((yield* set({ accent_color: "#0A5CA8", ...links })).body.data, {
        accent_color: "#0a5ca8",
        ...links
      })
      const none = { accent_color: null, terms_url: null, privacy_url: null }
      assert.deepInclude((yield* set({ name: "Renamed" })).body.data, { accent_color: "#0a5ca8", ...links })
      assert.deepInclude((yield* set(none)).body.data, none)
      const { body } = yield* api.operator("GET", `/merchants/${merchant.merchantId}`)
      assert.deepInclude(body.data, none)
    })
  )

  it.effect("a logo is a picture that was uploaded for this merchant, not too heavy and not too large", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const stranger = (yield* api.operator("POST", "/merchants", { name: "Other", seed: false })).body.data.merchant_id
      const heavy = Buffer.concat([png(8, 8), Buffer.alloc(logoBytesMax)])
      const refused = {
        "of another merchant": yield* uploaded(png(8, 8), stranger),
        "no picture": yield* uploaded(fileOf("pdf")),
        "a picture by its first bytes alone": yield* uploaded(fileOf("jpg")),
        "too heavy": yield* uploaded(heavy),
        "too wide": yield* uploaded(png(1, 1, { width: logoSideMax + 1, height: 1 })),
        "too high": yield* uploaded(png(1, 1, { width: 1, height: logoSideMax + 1 })),
        "of no width": yield* uploaded(png(1, 1, { width: 0, height: 1 })),
        "no file of ours": (yield* uploaded(png(8, 8))).replace(/.png$/, "x.png")
      }
      for (const logo_url of Object.values(refused)) {
        assertRefused(yield* set({ logo_url }), 400, "invalid_request", "logo_url")
      }
      const largest = yield* uploaded(png(1, 1, { width: logoSideMax, height: logoSideMax }))
      assert.strictEqual(logoOf(yield* set({ logo_url: largest })), largest)
      assert.strictEqual(logoOf(yield* set({ name: "Renamed" })), largest, "what a patch leaves out stays")
    })
  )

  it.effect("a method that is not offered is refused where it is named, and none is taken in its place", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const offered = ["wechat_pay", "alipay"]
      const { body } = yield* set({ sandbox: { payment_methods: offered } })
      assert.deepStrictEqual(body.data.sandbox.payment_methods, offered)
      assert.deepStrictEqual(body.data.live.payment_methods, [...PaymentMethod.literals])

      const { checkout_url, trade_no } = yield* order()
      assertRefused(yield* pay(trade_no, { payment_method: "card" }), 400, "invalid_request", "payment_method")
      const page = yield* pageAt(checkout_url)
      for (const [method, shown] of [
        ["card", false],
        ["alipay", true],
        ["wechat_pay", true],
        ["apple_pay", false]
      ] as const) {
        assert.strictEqual(page.includes(`value="${method}"`), shown, method)
      }
      assert.strictEqual((yield* pay(trade_no)).body.data.payment_method, "wechat_pay", "the first that is offered")
      yield* set({ sandbox: { payment_methods: null } })
      const { body: read } = yield* api.operator("GET", `/merchants/${merchant.merchantId}`)
      assert.deepStrictEqual(read.data.sandbox.payment_methods, [...PaymentMethod.literals])
      assert.strictEqual((yield* pay((yield* order()).trade_no)).body.data.payment_method, "card")
    })
  )
})
