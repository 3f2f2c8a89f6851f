/**
 * Every page of checkout and payment links in a real browser: in both languages, on a phone, a small phone and a
 * desktop, light and dark. The pictures are kept in `screenshots/`, for people to look at.
 */
import { mkdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { languages } from "../../src/pages/language.ts"
import { executable, needsChromium, openPage } from "../kit/Browser.ts"
import { misfits, screens, shownBy } from "../kit/checkoutScreens.ts"

const folder = "screenshots/checkout"
const sizes = {
  phone: { width: 390, height: 844 },
  small: { width: 320, height: 568 },
  desktop: { width: 1280, height: 800 }
} as const

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

const findings = async (page: Page) => {
  await page.evaluate(axe)
  return await page.evaluate(async () => {
    const { violations } = await (
      window as never as {
        axe: {
          run: () => Promise<{ violations: Array<{ id: string; impact: string; nodes: Array<{ html: string }> }> }>
        }
      }
    ).axe.run()
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`)
  })
}

describe.skipIf(executable === undefined)(`checkout in a browser${needsChromium}`, () => {
  for (const language of languages) {
    for (const [size, viewport] of Object.entries(sizes)) {
      it.live(
        `each page fits and is accessible, light and dark, in ${language} on a ${size}`,
        () =>
          Effect.gen(function* () {
            mkdirSync(folder, { recursive: true })
            const page = yield* openPage(viewport)
            const { said, show } = shownBy(page)
            yield* Effect.promise(async () => {
              for (const [name, markup] of screens(language)) {
                await page.emulateMedia({ colorScheme: "light" })
                await show(markup)
                for (const scheme of ["light", "dark"] as const) {
                  const what = `${language} ${size} ${scheme} ${name}`
                  await page.emulateMedia({ colorScheme: scheme })
                  assert.deepStrictEqual(await page.evaluate(misfits), [], what)
                  assert.deepStrictEqual(await findings(page), [], what)
                  await page.screenshot({ path: `${folder}/${what.replaceAll(" ", "-")}.png`, fullPage: true })
                }
              }
            })
            assert.deepStrictEqual(said, [])
          }),
        180_000
      )
    }

    it.live(`Pay is within the first screen of a phone in ${language}, whichever method is chosen`, () =>
      Effect.gen(function* () {
        const page = yield* openPage(sizes.phone)
        const { show } = shownBy(page)
        for (const [name, markup] of screens(language)) {
          if (name !== "pay") continue
          yield* Effect.promise(async () => {
            await show(markup)
            for (const method of ["card", "alipay", "wechat_pay"]) {
              await page.locator(`#method-${method}`).check()
              const box = await page.locator('button[value="pay"]').boundingBox()
              assert.isAtMost(box!.y + box!.height, sizes.phone.height, method)
            }
          })
        }
      })
    )
  }
})
