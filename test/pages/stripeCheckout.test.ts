/** The checkout through a simulated Stripe, as a buyer sees it: there by card or wallet, and back to our success. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { executable, needsChromium, openPage } from "../kit/pages/Browser.ts"
import { connected } from "../stripe/kit.ts"

const shop = "https://shop.example/thanks?order={OUT_TRADE_NO}"

/** A buyer on the checkout page of a new order, who has chosen and is on Stripe's page. */
const leaving = Effect.fnUntraced(function* (method: string, options: { readonly javaScriptEnabled?: boolean } = {}) {
  const world = yield* connected()
  const page = yield* openPage(undefined, options)
  // The shop of the test is nowhere.
  yield* Effect.promise(() => page.route("https://shop.example/**", (route) => route.fulfill({ body: "the shop" })))
  const order = yield* world.order({ return_url: shop, out_trade_no: "A-1" })
  yield* Effect.promise(async () => {
    await page.goto(order.checkout_url)
    await page.locator(`label:has(#method-${method})`).click()
    await page.locator("button[value=pay]").click()
    await page.waitForURL(`${world.simulator.url}/c/pay/**`)
  })
  return { ...world, order, view: page }
})

describe.skipIf(executable === undefined)(`the checkout through Stripe${needsChromium}`, () => {
  for (const javaScriptEnabled of [true, false]) {
    it.live(`by card, ${javaScriptEnabled ? "with" : "without"} scripts: there, back, and paid`, () =>
      Effect.gen(function* () {
        const { merchant, order, view } = yield* leaving("card", { javaScriptEnabled })
        yield* Effect.promise(async () => {
          await view.locator("[name=number]").fill("4242 4242 4242 4242")
          await view.locator("[name=expiry]").fill("12/40")
          await view.locator("[name=cvc]").fill("123")
          await view.locator("button[value=card]").click()
          await view.waitForURL(/\/checkout\/.*returned=1/)
          await view.getByRole("heading", { name: "Payment successful" }).waitFor()
        })
        assert.strictEqual((yield* merchant.order(order.trade_no))["status"], "paid")
      })
    )
  }

  it.live("by wallet: over the wallet's own page, back, and on to the shop", () =>
    Effect.gen(function* () {
      const { merchant, order, view } = yield* leaving("alipay")
      yield* Effect.promise(async () => {
        await view.locator("button[value=alipay]").click()
        await view.waitForURL(/\/authorize\//)
        await view.locator("button[value=authorise]").click()
        await view.getByRole("heading", { name: "Payment successful" }).waitFor()
        await view.waitForURL("https://shop.example/thanks?order=A-1")
      })
      const paid = yield* merchant.order(order.trade_no)
      assert.deepStrictEqual([paid["status"], paid["payment_method"]], ["paid", "alipay"])
    })
  )

  it.live("who goes back from Stripe's page finds the form, and may choose another method", () =>
    Effect.gen(function* () {
      const { order, sessions, view, simulator } = yield* leaving("card")
      yield* Effect.promise(async () => {
        await view.goBack()
        await view.locator("label:has(#method-alipay)").click()
        await view.locator("button[value=pay]").click()
        await view.waitForURL(`${simulator.url}/c/pay/**`)
      })
      assert.deepStrictEqual(
        sessions(order).map(({ status }) => status),
        ["expired", "open"]
      )
    })
  )

  for (const javaScriptEnabled of [true, false]) {
    it.live(`of one method is reached by any form, ${javaScriptEnabled ? "with" : "without"} scripts`, () =>
      Effect.gen(function* () {
        const { api, merchant, order, simulator } = yield* connected()
        yield* api.operator("POST", `/merchants/${merchant.merchantId}`, { sandbox: { payment_methods: ["card"] } })
        const made = yield* order()
        const link = (yield* merchant.post("/v1/payment_links", { amount: 2_500, subject: "Tea" })).body.data
        const { origin } = new URL(made.checkout_url)
        const policy = `default-src 'none'; form-action https://shop.example ${origin}`
        const forms: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
          "the button of a payment link": async (page) => {
            // The browser has prerendered the link's page.
            const purpose = { purpose: "prefetch" }
            await page.route(
              link.url,
              (route) => route.continue({ headers: { ...route.request().headers(), ...purpose } }),
              { times: 1 }
            )
            await page.goto(link.url)
            await page.getByRole("button", { name: "Go to checkout" }).click()
          },
          "a form of the checkout that begins nothing": async (page) => {
            await page.goto(`${made.checkout_url}?returned=1`)
            await page.locator("button[value=pay]").evaluate((button) => button.setAttribute("value", "cancel"))
            await page.locator("button[value=cancel]").click()
          },
          "a shop's form, whose answer leads to the checkout": async (page) => {
            await page.goto("https://shop.example/basket")
            await page.getByRole("button", { name: "Pay" }).click()
          }
        }
        for (const [what, press] of Object.entries(forms)) {
          const view = yield* openPage(undefined, { javaScriptEnabled })
          yield* Effect.promise(async () => {
            await view.route("https://shop.example/**", (route) =>
              route.request().method() === "POST"
                ? route.fulfill({ status: 303, headers: { location: made.checkout_url } })
                : route.fulfill({
                    contentType: "text/html",
                    headers: { "content-security-policy": policy },
                    body: `<form method="post" action="/pay"><button>Pay</button></form>`
                  })
            )
            await press(view)
            await view.waitForURL(`${simulator.url}/c/pay/**`)
          })
          assert.include(view.url(), "/c/pay/", what)
        }
      })
    )
  }
})
