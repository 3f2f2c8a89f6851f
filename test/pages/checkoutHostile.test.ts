/** Hostile texts of merchants and acts of buyers on a page, in a real browser: nothing runs, and everything fits. */
import { logoSideMax } from "@coffer/model/Limits"
import type { Order } from "@coffer/rules/order/Order"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { type Language, languages } from "../../src/shared/pages/language.ts"
import { executable, needsChromium, openPage } from "../kit/pages/Browser.ts"
import { mailScreen, misfits, receiptScreens, screens, shownBy } from "../kit/pages/checkoutScreens.ts"
import { png } from "../kit/pages/png.ts"
import { isSoak } from "../kit/run/soak.ts"

const phone = { width: 390, height: 844 }
const marker = "<img src=x onerror=alert(1)>"

/** Markup, endless words, text from right to left, marks that pile up, and nothing at all. */
const hostile: Readonly<Record<string, string>> = {
  markup: `</title></style></script>"'><svg/onload=alert(1)><script>alert(1)</script>${marker}`,
  "one endless word": "W".repeat(255),
  "endless Chinese": "茶".repeat(255),
  "from right to left": "שלום \u2067عربي\u2069 متجر الشاي",
  marks: "Z\u0351\u0310\u0317".repeat(60),
  emoji: "👩‍👩‍👧‍👦".repeat(20),
  placeholders: "{when} {n} ${alert(1)} {{7*7}} {TRADE_NO}"
}

const withTerms = (text: string): Partial<Order> => ({
  subject: text,
  outTradeNo: Array.from(text).slice(0, 64).join("") as Order["outTradeNo"],
  returnUrl: `https://shop.example/?${encodeURI(text)}"><script>alert(2)</script>&n={OUT_TRADE_NO}#javascript:alert(3)`
})

const pay = (language: "en" | "zh") => screens(language).find(([name]) => name === "pay")![1]
const method = (page: Page) => page.evaluate(() => document.querySelector<HTMLInputElement>("input:checked")?.value)

/** The texts of a merchant about itself, about an order, and beside it. */
const worldOf = (text: string) => ({
  shop: { name: text, supportEmail: `${text}@${text}`, supportUrl: `https://shop.example/?${text}` },
  terms: { ...withTerms(text), metadata: { [text]: text }, receiptEmail: `${text}@shop.example` }
})

/** Pages that differ in our own words alone are looked at once. */
const pagesOf = (language: Language, world: ReturnType<typeof worldOf>) =>
  [...screens(language, world), ...receiptScreens(language, world)].filter(
    ([name]) => !/^pay (?!by|declined)/.test(name)
  )

/** A merchant's text is the same in each language: they take turns, and a soak tries all. */
const languagesFor = (index: number) => languages.filter((_, at) => isSoak || index % languages.length === at)

/** Files that are a picture by their first bytes, and no more. */
const logos: Readonly<Record<string, Buffer>> = {
  "nothing but the first bytes": png(1, 1).subarray(0, 8),
  "a script behind the first bytes": Buffer.concat([
    png(1, 1).subarray(0, 8),
    Buffer.from("<script>alert(1)</script>")
  ]),
  "cut off": png(64, 64).subarray(0, 60),
  "as wide as it may be": png(logoSideMax, 1),
  "as high as it may be": png(1, logoSideMax),
  "larger than it is": png(4, 4, { width: logoSideMax, height: logoSideMax })
}

describe.skipIf(executable === undefined)(`pages under strain${needsChromium}`, () => {
  for (const [index, [kind, text]] of Object.entries(hostile).entries()) {
    it.live(`run nothing and fit when merchants write ${kind}`, () =>
      Effect.gen(function* () {
        const page = yield* openPage({ width: 320, height: 568 })
        const { said, show } = shownBy(page)
        const world = worldOf(text)
        const check = async (what: string) => {
          assert.deepStrictEqual(await page.evaluate(misfits), [], what)
          assert.strictEqual(await page.locator("main img, iframe, main script, header script").count(), 0, what)
        }
        yield* Effect.promise(async () => {
          for (const language of languagesFor(index)) {
            for (const [name, markup] of pagesOf(language, world)) {
              await show(markup)
              await check(`${language} ${name}`)
            }
            // Without the policy of our pages: nothing but the markup itself keeps a script out of a mail.
            await show(mailScreen(language, world)[1], {})
            assert.deepStrictEqual(await page.evaluate(misfits), [], `${language} mail`)
            assert.strictEqual(await page.locator("script, iframe, svg").count(), 0)
          }
        })
        assert.deepStrictEqual(said, [])
      })
    )
  }

  it.live("fit whatever follows in a file that begins like an image", () =>
    Effect.gen(function* () {
      const page = yield* openPage({ width: 320, height: 568 })
      const { said, show, useLogo } = shownBy(page)
      yield* Effect.promise(async () => {
        for (const [kind, logo] of Object.entries(logos)) {
          useLogo(logo)
          await show(pay("en"))
          assert.deepStrictEqual(await page.evaluate(misfits), [], kind)
          const { height } = (await page.locator(".shop").boundingBox())!
          assert.isAtMost(height, 48, kind)
        }
      })
      assert.deepStrictEqual(said, [])
    })
  )

  it.live("run no foreign script, even if one has got into the markup", () =>
    Effect.gen(function* () {
      const page = yield* openPage(phone)
      const { said, show } = shownBy(page)
      yield* Effect.promise(() =>
        show(pay("en").replace("</main>", `<script>document.title = "theirs"</script></main>`))
      )
      assert.notStrictEqual(yield* Effect.promise(() => page.title()), "theirs")
      assert.match(said.join(), /Content Security Policy/)
    })
  )

  it.live("fit at 200 % zoom, and at 400 % of a desktop", () =>
    Effect.gen(function* () {
      const page = yield* openPage({ width: 195, height: 422 })
      const { show } = shownBy(page)
      yield* Effect.promise(async () => {
        for (const language of languages) {
          for (const [name, markup] of screens(language)) {
            await show(markup)
            assert.deepStrictEqual(await page.evaluate(misfits), [], `${language} ${name}`)
          }
        }
      })
    })
  )

  it.live("can be paid with a keyboard alone, and the focus is seen at each step", () =>
    Effect.gen(function* () {
      const page = yield* openPage(phone)
      const { show } = shownBy(page)
      yield* Effect.promise(async () => {
        await show(pay("en"))
        const reached: Array<string> = []
        for (let step = 0; step < 12; step++) {
          await page.keyboard.press("Tab")
          reached.push(
            await page.evaluate(() => {
              const { activeElement: at } = document
              if (at === null || at === document.body) return ""
              const seen = [at, at.closest("label")].some(
                (each) => each && getComputedStyle(each).outlineStyle !== "none"
              )
              return `${at.id || at.getAttribute("value") || at.className || at.tagName}${seen ? "" : " unseen"}`
            })
          )
        }
        assert.deepStrictEqual(reached.slice(0, 9), [
          "switch",
          "switch",
          "google_pay",
          "method-card",
          "number",
          "expiry",
          "cvc",
          "SUMMARY",
          "pay"
        ])
        await page.locator("#method-card").focus()
        await page.keyboard.press("ArrowRight")
        assert.strictEqual(await method(page), "alipay")
        assert.isFalse(await page.locator("#number").isVisible())
      })
    })
  )

  it.live("keep still where the buyer wants no motion", () =>
    Effect.gen(function* () {
      const page = yield* openPage(phone, { reducedMotion: "reduce" })
      const { show } = shownBy(page)
      const moving = () =>
        page.evaluate(() => {
          const form = document.querySelector("form[data-pay]")!
          form.setAttribute("aria-busy", "true")
          form.querySelector("button")!.disabled = true
          return document.getAnimations().length
        })
      yield* Effect.promise(async () => {
        await show(pay("en"))
        assert.strictEqual(await moving(), 0)
        await page.emulateMedia({ reducedMotion: "no-preference" })
        assert.strictEqual(await moving(), 1)
      })
    })
  )

  it.live("keep Pay within the first screen of a phone when the test cards are open", () =>
    Effect.gen(function* () {
      const page = yield* openPage(phone)
      const { show } = shownBy(page)
      yield* Effect.promise(async () => {
        await show(pay("en"))
        await page.locator("summary").last().click()
        const box = await page.locator('button[value="pay"]').boundingBox()
        assert.isAtMost(box!.y + box!.height, phone.height)
        assert.isTrue(await page.getByText("4000 0000 0000 9995").isVisible())
      })
    })
  )
})
