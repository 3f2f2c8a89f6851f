/**
 * Each page of the console in a real browser: in both languages, on a phone and a desktop, light and dark. With
 * `SCREENSHOTS=true` the pictures are kept in `screenshots/console/`, for people to look at.
 */
import { mkdirSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { findings } from "../kit/pages/axe.ts"
import { executable, needsChromium } from "../kit/pages/Browser.ts"
import { consoleTable, desktop, drawn, misfits, openConsole, phone, seeded } from "../kit/pages/consolePages.ts"

const folder = "screenshots/console"
const keepsPictures = process.env["SCREENSHOTS"] === "true"

describe.skipIf(executable === undefined)(`pages of the console${needsChromium}`, () => {
  for (const [locale, size, viewport] of [
    ["en-US", "phone", phone],
    ["zh-CN", "phone", phone],
    ["en-US", "desktop", desktop],
    ["zh-CN", "desktop", desktop]
  ] as const) {
    it.live(
      `each page fits and is accessible, light and dark, in ${locale} on a ${size}`,
      () =>
        Effect.gen(function* () {
          mkdirSync(folder, { recursive: true })
          const at = yield* openConsole()
          const seed = yield* seeded(at)
          const browsers = {
            owner: yield* at.enter("owner", viewport, { locale }),
            operator: yield* at.enter("operator", viewport, { locale })
          }
          for (const [name, path, role = "owner"] of consoleTable) {
            const { go, page, said } = browsers[role]
            yield* go(path(seed))
            yield* drawn(page)
            yield* Effect.promise(async () => {
              for (const scheme of ["light", "dark"] as const) {
                await page.emulateMedia({ colorScheme: scheme })
                assert.deepStrictEqual(await page.evaluate(misfits), [], name)
                assert.deepStrictEqual(await findings(page, scheme), [], `${name} ${scheme}`)
                const picture = `${folder}/${`${name}-${locale.slice(0, 2)}-${size}-${scheme}`.replaceAll(" ", "-")}.png`
                if (keepsPictures) await page.screenshot({ path: picture, fullPage: true })
              }
            })
            assert.deepStrictEqual(said, [], name)
          }
        }),
      240_000
    )
  }
})
