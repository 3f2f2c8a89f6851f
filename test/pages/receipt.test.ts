/** The receipt in a real browser: on screen in both languages, and printed on one sheet (spec: Order, receipt_url). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { executable, needsChromium, openPage } from "../kit/Browser.ts"
import { start } from "../kit/Service.ts"

const longest = {
  subject: "S".repeat(255),
  out_trade_no: "n".repeat(128)
}

describe.skipIf(executable === undefined)(`a receipt${needsChromium}`, () => {
  it.live("fits a phone and prints on one sheet of A4 and of Letter, in both languages, whatever its texts", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* start()
      const page = yield* openPage()
      for (const [locale, terms] of [
        ["en", { subject: "Celadon teapot", out_trade_no: "cart-1" }],
        ["zh", longest]
      ] as const) {
        const body = { amount: 123_456, locale, ...terms }
        const { trade_no } = (yield* api.post("/v1/orders", merchant.sandboxKey, body)).body.data
        yield* api.post(`/v1/test_helpers/orders/${trade_no}/pay`, merchant.sandboxKey, {})
        yield* api.post("/v1/refunds", merchant.sandboxKey, { trade_no, amount: 3_456 })
        const { receipt_url } = (yield* api.get(`/v1/orders/${trade_no}`, merchant.sandboxKey)).body.data
        yield* Effect.promise(async () => {
          for (const width of [320, 390, 1280]) {
            await page.setViewportSize({ width, height: 844 })
            await page.goto(receipt_url)
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
})
