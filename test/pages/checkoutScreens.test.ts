/**
 * Every page that buyers see, and the mail, in a real browser: in both languages, on a phone, a small phone and a
 * desktop, light and dark. With `SCREENSHOTS=true` the pictures are kept in `screenshots/`, for people to look at.
 */
import { mkdirSync } from "node:fs"
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { type Language, languages } from "../../src/shared/pages/language.ts"
import { findings } from "../kit/pages/axe.ts"
import { executable, needsChromium, openPage } from "../kit/pages/Browser.ts"
import { fillCard } from "../kit/pages/checkoutBrowser.ts"
import { mailScreen, misfits, receiptScreens, screens, shownBy } from "../kit/pages/checkoutScreens.ts"
import { isSoak } from "../kit/run/soak.ts"

const folder = "screenshots/checkout"
/** A picture takes longer than the look at the page. */
const keepsPictures = process.env["SCREENSHOTS"] === "true"
const sizes = {
  phone: { width: 390, height: 844 },
  small: { width: 320, height: 568 },
  desktop: { width: 1280, height: 800 }
} as const
type Size = keyof typeof sizes

/**
 * Screens that differ in their words alone are looked at on one size. On the others the languages take turns.
 * A soak looks at both, and so does a run that keeps the pictures.
 */
const pagesOf = (language: Language, size: Size) =>
  [...screens(language), ...receiptScreens(language), mailScreen(language)]
    .filter(([name]) => size === "phone" || !/^pay (?!by|declined)/.test(name))
    .filter(
      (_, index) =>
        size === "phone" || isSoak || keepsPictures || index % languages.length === languages.indexOf(language)
    )

class Shown extends Context.Service<Shown, ReturnType<typeof shownBy> & { readonly page: Page }>()("test/screens") {}

const shown = Effect.map(openPage(), (page) => ({ page, ...shownBy(page) }))

const inBothSchemes = async (page: Page, what: string, check: (scheme: "light" | "dark") => Promise<void>) => {
  for (const scheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: scheme })
    await check(scheme)
    const path = `${folder}/${what.replaceAll(" ", "-")}-${scheme}.png`
    if (keepsPictures) await page.screenshot({ path, fullPage: true })
  }
}

if (executable === undefined) describe.skip(`pages in a browser${needsChromium}`, () => {})
else
  layer(Layer.effect(Shown, shown), { excludeTestServices: true })("pages in a browser", (it) => {
    for (const language of languages) {
      for (const [size, viewport] of Object.entries(sizes) as ReadonlyArray<[Size, (typeof sizes)[Size]]>) {
        it.effect(`each page fits and is accessible, light and dark, in ${language} on a ${size}`, () =>
          Effect.gen(function* () {
            mkdirSync(folder, { recursive: true })
            const { page, said, show } = yield* Shown
            yield* Effect.promise(async () => {
              await page.setViewportSize(viewport)
              for (const [name, markup] of pagesOf(language, size)) {
                const what = `${language} ${size} ${name}`
                await (name === "mail" ? show(markup, {}) : show(markup))
                await inBothSchemes(page, what, async (scheme) => {
                  assert.deepStrictEqual(await page.evaluate(misfits), [], what)
                  if (size !== "small") assert.deepStrictEqual(await findings(page, scheme), [], what)
                })
              }
            })
            assert.deepStrictEqual(said, [])
          })
        )
      }

      it.effect(`Pay is within the first screen of a phone in ${language}, whichever method is chosen`, () =>
        Effect.gen(function* () {
          const { page, show } = yield* Shown
          yield* Effect.promise(async () => {
            await page.setViewportSize({ width: 390, height: 664 })
            await show(screens(language).find(([name]) => name === "pay")![1])
            for (const method of ["card", "alipay", "wechat_pay"]) {
              await page.locator(`#method-${method}`).check()
              const box = await page.locator('button[value="pay"]').boundingBox()
              assert.isAtMost(box!.y + box!.height, 664, method)
            }
          })
        })
      )

      it.effect(`with forced colours the chosen method is seen in ${language}`, () =>
        Effect.gen(function* () {
          const { page, show } = yield* Shown
          yield* Effect.promise(async () => {
            await page.emulateMedia({ forcedColors: "active" })
            await show(screens(language).find(([name]) => name === "pay")![1])
            const outlines = await page
              .locator(".method")
              .evaluateAll((methods) =>
                methods.map((method) => [
                  method.querySelector("input")!.checked,
                  getComputedStyle(method).outlineStyle === "solid"
                ])
              )
            assert.lengthOf(
              outlines.filter(([checked]) => checked),
              1
            )
            for (const [checked, outlined] of outlines) assert.strictEqual(outlined, checked)
            await page.emulateMedia({ forcedColors: "none" })
          })
        })
      )

      it.effect(`a page that waits for its answer is accessible, light and dark, in ${language}`, () =>
        Effect.gen(function* () {
          const { page, show } = yield* Shown
          yield* Effect.promise(async () => {
            await page.setViewportSize(sizes.phone)
            await show(screens(language).find(([name]) => name === "pay")![1])
            await page.emulateMedia({ reducedMotion: "reduce" })
            if (language !== "en") await page.locator("#method-card").check()
            await fillCard(page)
            await page.locator('button[value="pay"]').click()
            await page.locator("form[aria-busy]").waitFor()
            await inBothSchemes(page, `${language} phone busy`, async (scheme) =>
              assert.deepStrictEqual(await findings(page, scheme), [])
            )
            await page.emulateMedia({ reducedMotion: "no-preference" })
          })
        })
      )
    }
  })
