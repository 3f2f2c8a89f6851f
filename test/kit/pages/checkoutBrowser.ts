/** The checkout page of a fresh order in a real browser, with the whole service behind it. */
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { openPage } from "./Browser.ts"
import { start } from "../Service.ts"

export const phone = { width: 390, height: 844 }
export const desktop = { width: 1280, height: 800 }
export const number = "4242424242424242"

/** A service with a fresh order, and its page in a browser; what it asks of others or says on the console is in `said`. */
export const openCheckout = Effect.fnUntraced(function* (
  terms: object = {},
  viewport = phone,
  options: Parameters<typeof openPage>[1] = {}
) {
  const service = yield* start()
  const { body } = yield* service.api.post("/v1/orders", service.merchant.sandboxKey, { amount: 1_000, ...terms })
  const url = body.data.checkout_url as string
  const page = yield* openPage(viewport, options)
  const said: Array<string> = []
  page.on("console", (message) => message.type() === "error" && said.push(message.text()))
  page.on("pageerror", (error) => said.push(error.message))
  page.on("request", (request) => {
    if (!/^(data:|about:)/.test(request.url()) && !request.url().startsWith(service.baseUrl)) said.push(request.url())
    const { referer } = request.headers()
    if (referer?.includes("/checkout/") === true) said.push(`referrer ${referer}`)
  })
  yield* Effect.promise(() => page.goto(url))
  const status = Effect.map(
    service.sql<{ status: string }>`select status from orders where trade_no = ${body.data.trade_no as string}`,
    ([row]) => row!.status
  )
  return { ...service, page, said, status, url }
})

export const heading = (page: Page, text: string) => page.getByRole("heading", { name: text }).waitFor()
export const valueOf = (page: Page, id: string) => page.locator(`#${id}`).inputValue()

/** A card that pays. */
export const fillCard = async (page: Page) => {
  await page.locator("#number").fill(number)
  await page.locator("#expiry").fill("1240")
  await page.locator("#cvc").fill("123")
}
