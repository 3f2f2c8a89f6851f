/**
 * A phone's buyer, from a payment link to a paid order, by a script that taps and types as a person does. The steps are
 * counted and held; the time is printed, since it depends on the machine.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { findings } from "../kit/pages/axe.ts"
import { executable, needsChromium, openPage } from "../kit/pages/Browser.ts"
import { heading, number, phone } from "../kit/pages/checkoutBrowser.ts"
import { merchantOf, said } from "../kit/Merchant.ts"
import { start } from "../kit/Service.ts"

/** A person finds a field or a button in so long, and types five digits in a second. */
const pace = { tap: 700, key: 200 }

const person = (page: Page) => {
  const steps = { taps: 0, keys: 0 }
  return {
    steps,
    tap: async (locator: string) => {
      steps.taps++
      await page.locator(locator).tap()
    },
    type: async (text: string) => {
      for (const key of text) {
        steps.keys++
        await page.keyboard.press(key)
      }
    }
  }
}

const opened = Effect.fnUntraced(function* (locale: string) {
  const service = yield* start()
  const shop = merchantOf(service)
  const link = yield* said(shop.post("/v1/payment_links", { amount: 12_800, currency: "HKD", subject: "Teapot" }))
  const page = yield* openPage(phone, { hasTouch: true, isMobile: true, locale })
  return { page, paid: Effect.map(shop.get("/v1/orders"), ({ body }) => body.data.data[0].status), url: link["url"] }
})

const report = (name: string, began: number, { keys, taps }: { readonly keys: number; readonly taps: number }) => {
  const machine = Date.now() - began
  const hand = taps * pace.tap + keys * pace.key
  // oxlint-disable-next-line no-console -- the figure is what this is for
  console.info(`${name}: ${taps} taps, ${keys} keys; ${machine} ms of the machine and ${hand} ms of the hand`)
  // The steps alone: they leave the machine more than half of twenty seconds.
  assert.isBelow(hand, 10_000)
}

describe.skipIf(executable === undefined)(`a phone's buyer${needsChromium}`, () => {
  it.live("comes from a link to a paid order with two taps and the digits of a card", () =>
    Effect.gen(function* () {
      const { page, paid, url } = yield* opened("en-HK")
      const { steps, tap, type } = person(page)
      const began = Date.now()
      yield* Effect.promise(async () => {
        await page.goto(url)
        await tap("#number")
        await type(number)
        await page.keyboard.press("Tab")
        await type("1240")
        await page.keyboard.press("Tab")
        await type("123")
        await tap('button[value="pay"]')
        await heading(page, "Payment successful")
      })
      steps.keys += 2
      report("a card, in English", began, steps)
      assert.deepStrictEqual(steps, { taps: 2, keys: number.length + 9 })
      assert.strictEqual(yield* paid, "paid")
      assert.deepStrictEqual(yield* Effect.promise(() => findings(page, "light")), [])
    })
  )

  it.live("pays by Alipay in traditional Chinese with two taps, on pages without a finding of axe", () =>
    Effect.gen(function* () {
      const { page, paid, url } = yield* opened("zh-HK")
      const { steps, tap } = person(page)
      const began = Date.now()
      yield* Effect.promise(async () => {
        await page.goto(url)
        assert.strictEqual(await page.locator("html").getAttribute("lang"), "zh-Hant")
        assert.isTrue(await page.locator("#method-alipay").isChecked())
        await tap('button[value="pay"]')
        await heading(page, "請在支付寶中確認付款")
        await tap('button[value="confirm"]')
        await heading(page, "付款成功")
      })
      report("Alipay, in traditional Chinese", began, steps)
      assert.deepStrictEqual(steps, { taps: 2, keys: 0 })
      assert.strictEqual(yield* paid, "paid")
      for (const scheme of ["light", "dark"] as const) {
        yield* Effect.promise(() => page.emulateMedia({ colorScheme: scheme }))
        assert.deepStrictEqual(yield* Effect.promise(() => findings(page, scheme)), [])
      }
    })
  )
})
