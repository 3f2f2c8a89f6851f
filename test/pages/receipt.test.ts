/**
 * The receipt in a real browser: from the page of the payment, on screen in both languages, and printed on one sheet
 * (spec: Order, receipt_url; silences: K11).
 */
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { executable, needsChromium, openPage } from "../kit/pages/Browser.ts"
import { fillCard, heading } from "../kit/pages/checkoutBrowser.ts"
import { png } from "../kit/pages/png.ts"
import { type Running, start } from "../kit/Service.ts"
import { filePart, formOf, modePart, upload } from "../kit/callers/uploads.ts"

const longest = {
  subject: "S".repeat(255),
  out_trade_no: "n".repeat(128)
}

class Place extends Context.Service<Place, Running & { readonly page: Page }>()("test/receipt") {}

/** A shop that has told everything about itself, and one browser. */
const place = Effect.gen(function* () {
  const running = yield* start()
  const { api, baseUrl, merchant } = running
  const form = formOf(modePart("sandbox"), filePart(png(64, 64)))
  const { body } = yield* upload(baseUrl, merchant.merchantId, form)
  const contact = { support_email: "help@shop.example", support_url: "https://shop.example/help" }
  yield* api.operator("POST", `/merchants/${merchant.merchantId}`, { logo_url: body.data.url, ...contact })
  return { ...running, page: yield* openPage() }
})

if (executable === undefined) describe.skip(`a receipt${needsChromium}`, () => {})
else
  layer(Layer.effect(Place, place), { excludeTestServices: true })("a receipt", (it) => {
    const created = Effect.fnUntraced(function* (terms: object) {
      const { api, merchant } = yield* Place
      const { data } = (yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 123_456, ...terms })).body
      return data as { readonly trade_no: string; readonly checkout_url: string }
    })
    const receiptOf = Effect.fnUntraced(function* (terms: object, refund?: number) {
      const { api, merchant } = yield* Place
      const { trade_no } = yield* created(terms)
      yield* api.post(`/v1/test_helpers/orders/${trade_no}/pay`, merchant.sandboxKey, {})
      if (refund !== undefined) yield* api.post("/v1/refunds", merchant.sandboxKey, { trade_no, amount: refund })
      return (yield* api.get(`/v1/orders/${trade_no}`, merchant.sandboxKey)).body.data.receipt_url as string
    })

    it.effect("fits a phone and prints on one sheet of A4 and of Letter, in both languages, whatever its texts", () =>
      Effect.gen(function* () {
        const { page } = yield* Place
        for (const [locale, terms] of [
          ["en", { subject: "Celadon teapot", out_trade_no: "cart-1" }],
          ["zh", longest]
        ] as const) {
          const url = yield* receiptOf({ locale, ...terms }, 3_456)
          yield* Effect.promise(async () => {
            for (const width of [320, 390, 1280]) {
              await page.setViewportSize({ width, height: 844 })
              await page.goto(url)
              const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
              assert.isAtMost(Number(overflow), 0, `${locale} at ${width}`)
            }
            for (const format of ["A4", "Letter"] as const) {
              const pdf = (await page.pdf({ format, preferCSSPageSize: false })).toString("latin1")
              assert.lengthOf(pdf.match(/\/Type \/Page\b/g) ?? [], 1, `${locale} on ${format}`)
            }
          })
        }
      })
    )

    it.effect("on paper says that it is of the sandbox, and shows no button and no switch", () =>
      Effect.gen(function* () {
        const { page } = yield* Place
        const url = yield* receiptOf({ locale: "en" })
        yield* Effect.promise(async () => {
          await page.goto(url)
          await page.emulateMedia({ media: "print" })
          assert.isTrue(await page.getByText("no real money was moved").isVisible())
          for (const left of ["[data-print]", ".languages"]) assert.isFalse(await page.locator(left).isVisible(), left)
          assert.isTrue(await page.locator(".shop img").isVisible())
          await page.emulateMedia({ media: "screen" })
        })
      })
    )

    it.effect("is printed by its button, which only a browser with a script has", () =>
      Effect.gen(function* () {
        const { page } = yield* Place
        const url = yield* receiptOf({ locale: "en" })
        const plain = yield* openPage(undefined, { javaScriptEnabled: false })
        yield* Effect.promise(async () => {
          await page.goto(url)
          await page.evaluate("window.print = () => { document.title = 'printed' }")
          await page.getByRole("button", { name: "Print" }).click()
          assert.strictEqual(await page.title(), "printed")
          await plain.goto(url)
          assert.isFalse(await plain.locator("[data-print]").isVisible())
          await plain.getByRole("link", { name: "简体中文" }).click()
          await plain.getByText("不是税务发票").waitFor()
        })
      })
    )

    it.effect("is where the page of an order leads that was just refunded, which says when that was", () =>
      Effect.gen(function* () {
        const { api, merchant, page } = yield* Place
        const { checkout_url, trade_no } = yield* created({ locale: "en" })
        // The other one pays the fee, which a refund does not bring back.
        for (const each of [trade_no, (yield* created({})).trade_no]) {
          yield* api.post(`/v1/test_helpers/orders/${each}/pay`, merchant.sandboxKey, {})
        }
        yield* api.post("/v1/refunds", merchant.sandboxKey, { trade_no })
        yield* Effect.promise(async () => {
          await page.goto(checkout_url)
          await heading(page, "This order was refunded")
          assert.isTrue(await page.getByText("Refunded on").isVisible())
          assert.isTrue(await page.getByRole("link", { name: "View receipt" }).isVisible())
        })
      })
    )

    it.effect("is where the page of a success leads, in the language that was chosen", () =>
      Effect.gen(function* () {
        const { page } = yield* Place
        const { checkout_url } = yield* created({ locale: "en" })
        yield* Effect.promise(async () => {
          await page.goto(`${checkout_url}?lang=zh`)
          await page.locator("#method-card").check()
          await fillCard(page)
          await page.locator('button[value="pay"]').click()
          await heading(page, "付款成功")
          const [receipt] = await Promise.all([
            page.context().waitForEvent("page"),
            page.getByRole("link", { name: "查看收据" }).click()
          ])
          await receipt.getByText("不是税务发票").waitFor()
          assert.strictEqual(await receipt.evaluate("document.referrer"), "")
          await receipt.close()
        })
      })
    )
  })
