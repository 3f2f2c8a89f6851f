/**
 * Each page of the console in a real browser, light and dark: in English on a phone, and in Chinese on a desktop. A
 * soak looks at both languages on both sizes, and so does a run with `SCREENSHOTS=true`, which keeps the pictures in
 * `screenshots/console/`, for people to look at.
 */
import { mkdirSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { findings } from "../kit/pages/axe.ts"
import { executable, needsChromium } from "../kit/pages/Browser.ts"
import { isSoak } from "../kit/run/soak.ts"
import { consoleTable, desktop, drawn, misfits, openConsole, phone, seeded } from "../kit/pages/consolePages.ts"

const folder = "screenshots/console"
const keepsPictures = process.env["SCREENSHOTS"] === "true"

describe.skipIf(executable === undefined)(`pages of the console${needsChromium}`, () => {
  const looks = [
    ["en-US", "phone", phone],
    ["zh-CN", "desktop", desktop],
    ...(isSoak || keepsPictures
      ? ([["zh-CN", "phone", phone] as const, ["en-US", "desktop", desktop] as const] as const)
      : [])
  ] as const
  it.live("a merchant's first page is drawn with at most 205 kB of files, compressed", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const { go, page } = yield* at.enter("owner")
      const sizes: Array<Promise<number>> = []
      page.on("requestfinished", (request) => {
        if (/\/console\/(assets\/|mer_)/.test(new URL(request.url()).pathname)) {
          sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize))
        }
      })
      yield* go("")
      yield* drawn(page)
      const sent = (yield* Effect.promise(() => Promise.all(sizes))).reduce((sum, size) => sum + size, 0)
      assert.isAbove(sent, 100_000)
      assert.isAtMost(sent, 205_000)
    })
  )

  for (const [locale, size, viewport] of looks) {
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
          const found: Array<string> = []
          for (const [name, path, role = "owner"] of consoleTable) {
            const { go, page, said } = browsers[role]
            yield* go(path(seed))
            yield* drawn(page)
            yield* Effect.promise(async () => {
              for (const scheme of ["light", "dark"] as const) {
                await page.emulateMedia({ colorScheme: scheme })
                for (const each of [...(await page.evaluate(misfits)), ...(await findings(page, scheme))]) {
                  found.push(`${name}, ${scheme}: ${each}`)
                }
                const picture = `${folder}/${`${name}-${locale.slice(0, 2)}-${size}-${scheme}`.replaceAll(" ", "-")}.png`
                if (keepsPictures) await page.screenshot({ path: picture, fullPage: true })
              }
            })
            found.push(...said.splice(0).map((each) => `${name}: ${each}`))
          }
          assert.deepStrictEqual(found, [])
        }),
      420_000
    )
  }
})
