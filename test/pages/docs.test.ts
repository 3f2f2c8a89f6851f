/** The forms at `/docs/try` in a real browser: all of it is there, it can be tried out, and it asks no other host. */
import { assert, describe, it } from "@effect/vitest"
import { Api } from "@coffer/contract/Api"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { findings } from "../kit/pages/axe.ts"
import { executable, needsChromium, openPage } from "../kit/pages/Browser.ts"
import { start } from "../kit/Service.ts"

// oxlint-disable-next-line no-explicit-any -- a document without a type of its own
const paths = OpenApi.fromApi(Api).paths as Record<string, Record<string, any>>
const summaries = Object.values(paths).flatMap((operations) =>
  Object.values(operations).map(({ summary }) => summary as string)
)

describe.skipIf(executable === undefined)(`/docs/try${needsChromium}`, () => {
  it.live("has no fault that axe knows, light and dark, and fits a screen of 320 pixels", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* start()
      for (const colorScheme of ["light", "dark"] as const) {
        const page = yield* openPage({ width: 320, height: 640 }, { colorScheme })
        yield* Effect.promise(async () => {
          await page.goto(`${baseUrl}/docs/try`)
          await page
            .locator(".opblock-summary-control")
            .nth(summaries.length - 1)
            .waitFor()
          const closed = await findings(page, "light")
          for (const at of [0, 2]) await page.locator(".opblock-summary-control").nth(at).click()
          await page.locator(".opblock-body .responses-table").nth(1).waitFor()
          assert.deepStrictEqual([...closed, ...(await findings(page, "light"))], [], colorScheme)
          const shown = await page.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.classList.contains('dark-mode')]"
          )
          assert.deepStrictEqual(shown, [320, colorScheme === "dark"])
        })
      }
    })
  )

  it.live("shows every operation, and sends one that is tried out, without a request to any other host", () =>
    Effect.gen(function* () {
      const { baseUrl, merchant } = yield* start()
      const page = yield* openPage({ width: 1400, height: 1000 })
      const asked: Array<string> = []
      const refused: Array<string> = []
      page.on("request", (request) => asked.push(request.url()))
      page.on("console", (message) => {
        if (/Content.Security.Policy/i.test(message.text())) refused.push(message.text())
      })

      yield* Effect.promise(async () => {
        await page.goto(`${baseUrl}/docs/try`)
        for (const summary of summaries) await page.getByText(summary, { exact: true }).first().waitFor()
        await page.getByRole("button", { name: "Authorize" }).first().click()
        const dialog = page.locator(".modal-ux")
        await dialog.getByRole("textbox").first().fill(merchant.sandboxKey)
        await dialog
          .getByRole("button", { name: /^Apply credentials/ })
          .first()
          .click()
        await dialog.getByRole("button", { name: "Close" }).last().click()
        const create = page.locator(".opblock-post", { has: page.locator('[data-path="/v1/orders"]') })
        await create.locator(".opblock-summary-control").click()
        await create.getByRole("button", { name: "Try it out" }).click()
        const answered = page.waitForResponse((response) => response.request().method() === "POST")
        await create.getByRole("button", { name: "Execute" }).click()
        const response = await answered
        assert.deepStrictEqual([response.url(), response.status()], [`${baseUrl}/v1/orders`, 201])
      })
      const elsewhere = asked.filter((url) => !url.startsWith(`${baseUrl}/`) && !/^(data|blob):/.test(url))
      assert.deepStrictEqual(elsewhere, [])
      assert.deepStrictEqual(refused, [], "its policy lets it do all that it does")
    })
  )
})
