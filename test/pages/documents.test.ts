/**
 * The documents in a real browser: what is found, copied and chosen, by keyboard too, without a request to another
 * host, and without a fault that axe knows, on a phone and a desktop, light and dark, in both languages.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { filesOf, makeSite } from "../../packages/site/src/site.ts"
import { findings } from "../kit/pages/axe.ts"
import { executable, needsChromium, openPage } from "../kit/pages/Browser.ts"
import { start } from "../kit/Service.ts"

const phone = { width: 390, height: 844 }
const desktop = { width: 1440, height: 900 }

const shown = [
  "/docs",
  "/docs/quickstart",
  "/docs/concepts/owners",
  "/docs/guides/recipes",
  "/docs/reference",
  "/docs/reference/refunds",
  "/docs/errors/conflict",
  "/docs/settings",
  "/docs/zh",
  "/docs/zh/guides/refunds",
  "/docs/zh/errors/conflict"
]

describe.skipIf(executable === undefined)(`the documents${needsChromium}`, () => {
  it.live("have no fault that axe knows and are as wide as the screen, and ask no other host", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* start()
      for (const [viewport, scheme] of [
        [phone, "light"],
        [desktop, "light"],
        [desktop, "dark"]
      ] as const) {
        const page = yield* openPage(viewport, { colorScheme: scheme })
        const others: Array<string> = []
        const refused: Array<string> = []
        page.on("request", (request) => {
          if (!request.url().startsWith(`${baseUrl}/`) && !/^(data|blob):/.test(request.url()))
            others.push(request.url())
        })
        page.on("console", (message) => {
          if (message.type() === "error") refused.push(message.text())
        })
        for (const path of shown) {
          yield* Effect.promise(async () => {
            await page.goto(baseUrl + path)
            const place = `${path} ${scheme} ${viewport.width}`
            assert.deepStrictEqual(await findings(page, scheme), [], place)
            const width = await page.evaluate("document.documentElement.scrollWidth")
            assert.isAtMost(Number(width), viewport.width, place)
          })
        }
        assert.deepStrictEqual([others, refused], [[], []])
      }
    })
  )

  it.live("fit a screen of 320 pixels, each of them, and show by a shade and to the keyboard where code goes on", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* start()
      const narrow = 320
      const page = yield* openPage({ width: narrow, height: 640 })
      const assets = { sheet: "", theme: "", script: "", index: { en: "", zh: "" } }
      const all = filesOf(makeSite(), assets, { isServed: true, root: "/docs" })
        .filter(({ path, type }) => type.startsWith("text/html") && !path.includes("/decisions/"))
        .map(({ path }) => path)
      assert.isAbove(all.length, 150)
      yield* Effect.promise(async () => {
        for (const path of all) {
          await page.goto(baseUrl + path)
          const { hidden, width } = await page.evaluate(() => ({
            width: document.documentElement.scrollWidth,
            hidden: Array.from(document.querySelectorAll("pre"))
              .filter((each) => each.scrollWidth > each.clientWidth + 1)
              .filter((each) => each.tabIndex < 0 || !getComputedStyle(each).backgroundAttachment.includes("local"))
              .map(({ textContent }) => textContent)
          }))
          assert.deepStrictEqual([hidden, width], [[], narrow], path)
        }
      })
    })
  )

  it.live("are searched by keyboard alone, in both languages", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* start()
      const page = yield* openPage(desktop)
      for (const [path, query, target] of [
        ["/docs", "refund window", "/docs/errors/refund_window_expired"],
        ["/docs/zh", "退款", "/docs/zh/guides/refunds"]
      ] as const) {
        yield* Effect.promise(async () => {
          await page.goto(baseUrl + path)
          await page.keyboard.press("/")
          await page.keyboard.type(query)
          await page.locator("#found li").first().waitFor()
          await page.keyboard.press("Enter")
          await page.waitForURL(`${baseUrl}${target}`)
        })
      }
    })
  )

  it.live("copy code by a button, and keep the language and the colours that were chosen", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* start()
      const page = yield* openPage(desktop, { permissions: ["clipboard-read", "clipboard-write"] })
      yield* Effect.promise(async () => {
        await page.goto(`${baseUrl}/docs/guides/refunds`)
        await page.getByRole("tab", { name: "curl" }).first().focus()
        await page.keyboard.press("ArrowRight")
        const node = page.getByRole("tab", { name: "Node" })
        assert.deepStrictEqual(
          [await node.first().getAttribute("aria-selected"), await node.last().getAttribute("aria-selected")],
          ["true", "true"]
        )
        const block = page.locator(".tabs .code:visible").first()
        await block.hover()
        await block.getByRole("button", { name: "Copy" }).click()
        const copied = await page.evaluate("navigator.clipboard.readText()")
        assert.match(String(copied), /^import \{ Coffer \} from "@coffer\/sdk"\n/)
        await page.getByRole("button", { name: "Copy the page" }).click()
        await page.locator("#copy-page", { hasText: "Copied" }).waitFor()
        assert.match(String(await page.evaluate("navigator.clipboard.readText()")), /^# Refunds\n[^]*```sh\n/)
        await page.getByRole("button", { name: "Light or dark" }).click()
        await page.goto(`${baseUrl}/docs/guides/disputes`)
        const theme = await page.locator("html").getAttribute("data-theme")
        assert.strictEqual(theme, "dark")
        assert.strictEqual(await page.getByRole("tab", { name: "Node" }).first().getAttribute("aria-selected"), "true")
      })
    })
  )

  it.live("open their contents on a phone, and are read without a script", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* start()
      const page = yield* openPage(phone)
      yield* Effect.promise(async () => {
        await page.goto(`${baseUrl}/docs/guides/refunds`)
        assert.isFalse(await page.getByRole("link", { name: "Disputes", exact: true }).first().isVisible())
        await page.getByRole("button", { name: "Contents" }).click()
        await page.locator("#way").getByRole("link", { name: "Disputes", exact: true }).click()
        await page.waitForURL(`${baseUrl}/docs/guides/disputes`)
      })
      const plain = yield* openPage(phone, { javaScriptEnabled: false })
      yield* Effect.promise(async () => {
        await plain.goto(`${baseUrl}/docs/guides/refunds`)
        assert.isTrue(await plain.getByText("coffer.refunds.create(").first().isVisible())
        assert.isTrue(await plain.locator("#way").isVisible())
        assert.isFalse(await plain.locator("#search").isVisible())
      })
    })
  )
})
