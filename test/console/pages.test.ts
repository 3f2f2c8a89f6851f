/**
 * Each page of the console in a real browser, light and dark: in English on a phone, and in Chinese on a desktop. A
 * soak looks at both languages on both sizes, and so does a run with `SCREENSHOTS=true`, which keeps the pictures in
 * `screenshots/console/`, for people to look at.
 */
import { mkdirSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { findings } from "../kit/pages/axe.ts"
import { executable, needsChromium } from "../kit/pages/Browser.ts"
import { said as done } from "../kit/Merchant.ts"
import { isSoak } from "../kit/run/soak.ts"
import {
  consoleTable,
  desktop,
  drawn,
  misfits,
  openConsole,
  phone,
  seeded,
  smallTargets
} from "../kit/pages/consolePages.ts"

const folder = "screenshots/console"
const keepsPictures = process.env["SCREENSHOTS"] === "true"

describe.skipIf(executable === undefined)(`pages of the console${needsChromium}`, () => {
  const looks = [
    ["en-US", "phone", phone],
    ["zh-TW", "desktop", desktop],
    ...(isSoak || keepsPictures
      ? ([["zh-CN", "phone", phone] as const, ["en-US", "desktop", desktop] as const] as const)
      : [])
  ] as const
  it.live(
    "a merchant's first page takes 132 kB of eight files at most, compressed, and its HTML names each of them",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        const { go, page } = yield* at.enter("owner")
        const loads: Array<Promise<readonly [name: string, bytes: number]>> = []
        const figures: Array<string> = []
        page.on("requestfinished", (request) => {
          const { pathname } = new URL(request.url())
          if (pathname.endsWith("/overview")) figures.push(request.url())
          if (/\/console\/(assets\/|mer_)/.test(pathname)) {
            loads.push(request.sizes().then(({ responseBodySize }) => [pathname, responseBodySize] as const))
          }
        })
        const html = yield* Effect.flatMap(go(""), (answer) => Effect.promise(() => answer!.text()))
        yield* drawn(page)
        const files = yield* Effect.promise(() => Promise.all(loads))
        const sent = files.reduce((sum, [, bytes]) => sum + bytes, 0)
        assert.isAbove(sent, 80_000)
        assert.isAtMost(sent, 132_000)
        assert.isAtMost(files.length, 8)
        // What only a script names is requested after it: a chain of one more round trip.
        const chained = files.filter(([name]) => name.includes("/assets/") && !html.includes(`"${name}"`))
        assert.deepStrictEqual(chained, [])
        assert.lengthOf(figures, 1, "the figures that were asked for early are those that are shown")
      })
  )

  it.live("a page shows its heading and a menu that leads on before its scripts run, in the reader's language", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      for (const [role, locale, heading, refunds] of [
        ["viewer", "en-US", "Orders", "Refunds"],
        ["support", "zh-TW", "訂單", "退款"]
      ] as const) {
        const { go, page } = yield* at.enter(role, desktop, { locale })
        yield* Effect.promise(() => page.route(/\/assets\/main-/, (route) => route.abort()))
        const figures = page.waitForRequest(/\/overview\?mode=sandbox&days=30$/)
        yield* go("")
        yield* Effect.promise(() => figures)
        yield* go("/orders")
        const frame = page.locator(".frame")
        yield* Effect.promise(() => frame.getByRole("heading", { name: heading, exact: true }).waitFor())
        const menu = frame.locator("a", { hasText: refunds })
        const href = yield* Effect.promise(() => menu.first().getAttribute("href"))
        assert.strictEqual(href, `/console/${at.merchantId}/sandbox/refunds`)
        // What some roles may not see is not offered to anybody before the role is known.
        assert.strictEqual(yield* Effect.promise(() => frame.locator("a[href$='/audit']").count()), 0)
      }
    })
  )

  it.live("what each page begins with is asked for before its scripts have come, and once", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const { go, page } = yield* at.enter("owner")
      const asked: Array<string> = []
      let isScripted = false
      page.on("request", (request) => {
        const { pathname } = new URL(request.url())
        if (/\/(session|settings)$/.test(pathname)) asked.push(`${pathname.split("/").at(-1)} ${isScripted}`)
      })
      const read = page.waitForResponse(/\/session$/)
      yield* Effect.promise(() =>
        page.route(/\/assets\/main-/, async (route) => {
          await read
          isScripted = true
          await route.continue()
        })
      )
      yield* go("")
      yield* drawn(page)
      assert.sameMembers(asked, ["session false", "settings false"])
    })
  )

  it.live("an open list is read again without its rows while nothing changes, and with them after a change", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      yield* done(at.post("/v1/orders", { amount: 1_999, subject: "Two books" }))
      const { go, page } = yield* at.enter("owner")
      yield* go("/orders")
      yield* drawn(page)
      const answered = (status: number) =>
        Effect.promise(() =>
          page.waitForResponse((answer) => answer.url().includes("/orders?") && answer.status() === status)
        )
      yield* answered(304)
      const changed = yield* Effect.forkChild(answered(200), { startImmediately: true })
      yield* done(at.post("/v1/orders", { amount: 4_200, subject: "A chair" }))
      yield* Fiber.join(changed)
      yield* answered(304)
    })
  )

  it.live("bars and the chosen page keep their meaning in forced colours", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      yield* seeded(at)
      const { go, page } = yield* at.enter("owner", desktop, { forcedColors: "active" })
      const coloursOf = (selector: string, property: "fill" | "backgroundColor") =>
        Effect.promise(() =>
          page
            .locator(selector)
            .first()
            .evaluate(
              (element, name) => [getComputedStyle(element)[name], getComputedStyle(document.body).backgroundColor],
              property
            )
        )
      yield* go("")
      yield* drawn(page)
      const [bar, behind] = yield* coloursOf(".plot .bar:not(.none)", "fill")
      assert.notStrictEqual(bar, behind)
      yield* go("/webhooks")
      yield* drawn(page)
      const [mark, canvas] = yield* coloursOf(".health i", "backgroundColor")
      assert.notStrictEqual(mark, canvas)
    })
  )

  it.live("a page that a role may not see says so, and names the people whose roles may", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      yield* at.enter("owner")
      yield* at.enter("support")
      const { go, page } = yield* at.enter("viewer")
      yield* go("/audit")
      yield* drawn(page)
      const text = yield* Effect.promise(() => page.locator("main").innerText())
      assert.include(text, "You don't have access to this page")
      assert.include(text, "Owner, Developer")
      yield* Effect.promise(() => page.getByText("owner@shop.example").waitFor())
      assert.notInclude(text, "support@shop.example")
      assert.strictEqual(yield* Effect.promise(() => page.locator(".side .links a[href$='/audit']").count()), 0)
    })
  )

  it.live("a change of page puts the focus on its heading", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const { go, page } = yield* at.enter("owner")
      yield* go("")
      yield* drawn(page)
      yield* Effect.promise(() => page.locator(".side").getByRole("link", { name: "Refunds" }).click())
      yield* Effect.promise(() => page.locator("main h1:focus").waitFor())
      assert.strictEqual(yield* Effect.promise(() => page.title()), "Refunds · Sandbox · Coffer")
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
                for (const each of [...(await page.evaluate(misfits)), ...(await findings(page, scheme, "all"))]) {
                  found.push(`${name}, ${scheme}: ${each}`)
                }
                const picture = `${folder}/${`${name}-${locale.slice(0, 2)}-${size}-${scheme}`.replaceAll(" ", "-")}.png`
                if (keepsPictures) await page.screenshot({ path: picture, fullPage: true })
              }
            })
            if (viewport === phone) {
              found.push(
                ...(yield* Effect.promise(() => page.evaluate(smallTargets))).map((each) => `${name}: ${each}`)
              )
            }
            const title = yield* Effect.promise(() => page.title())
            if (!/^.+ · .+ · Coffer$/.test(title)) found.push(`${name}: title ${title}`)
            found.push(...said.splice(0).map((each) => `${name}: ${each}`))
          }
          assert.deepStrictEqual(found, [])
        }),
      420_000
    )
  }
})
