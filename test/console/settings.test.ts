/** How a shop looks, in a merchant's settings: shown before it is saved. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { executable, needsChromium } from "../kit/pages/Browser.ts"
import { drawn, openConsole } from "../kit/pages/consolePages.ts"

describe.skipIf(executable === undefined)(`a shop's look${needsChromium}`, () => {
  it.live(
    "is previewed on the checkout's own page while it is typed, with the contrast of its colour, and nothing is sent",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        const { go, page, said } = yield* at.enter("owner")
        const changes: Array<string> = []
        page.on("request", (request) => {
          if (request.method() !== "GET") changes.push(request.url())
        })
        yield* go("/settings")
        yield* drawn(page)
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Edit" }).first().click()
          const dialog = page.locator("dialog[open]")
          const frame = page.frameLocator("iframe")
          await frame.getByText("Test merchant").first().waitFor()
          const button = frame.locator(".button:not(.express, .quiet)").first()
          const colorOf = () => button.evaluate((element) => getComputedStyle(element).backgroundColor)
          const before = await colorOf()
          const color = dialog.getByLabel("Brand color")
          await color.fill("#7a1f5c")
          await dialog.getByText(/Text on buttons is white, \d+\.\d:1\./).waitFor()
          assert.notStrictEqual(await colorOf(), before)
          assert.strictEqual(await colorOf(), "rgb(122, 31, 92)")
          await color.fill("#ffdd00")
          await dialog.getByText(/is too low/).waitFor()
          await dialog.getByText(/Text on buttons is black/).waitFor()
          await dialog.getByLabel("Support email").fill("help@shop.example")
          await frame.getByText("help@shop.example").first().waitFor({ state: "attached" })
          const zones = await dialog.locator("datalist option").count()
          assert.isAbove(zones, 300)
        })
        assert.deepStrictEqual([changes, said], [[], []])
      }),
    120_000
  )

  it.live("is shown in a page without scripts that no other site can frame", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      for (const language of ["en", "zh"]) {
        const reply = yield* Effect.promise(() => fetch(`${at.origin}/console/preview/${language}`))
        const policy = reply.headers.get("content-security-policy") ?? ""
        assert.include(policy, "frame-ancestors 'self'")
        assert.include(policy, "sandbox allow-same-origin")
        assert.notInclude(policy, "script-src")
        assert.notInclude(yield* Effect.promise(() => reply.text()), "<script")
      }
    })
  )
})
