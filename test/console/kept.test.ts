/** What was read and what was typed stays on each page of the console while it cannot be read again. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page, Route } from "playwright-core"
import { executable, needsChromium } from "../kit/pages/Browser.ts"
import { consoleTable, drawn, openConsole, seeded } from "../kit/pages/consolePages.ts"

const error = (code: number, name: string) => ({
  status: code,
  contentType: "application/json",
  body: JSON.stringify({ code, error: name, message: "No.", request_id: "req_1" })
})

/** How each read ends, and what the page shows then. */
const failures: ReadonlyArray<readonly [name: string, fail: (route: Route) => Promise<void>, shows: string]> = [
  ["429", (route) => route.fulfill({ ...error(429, "rate_limited"), headers: { "retry-after": "1" } }), ".stale"],
  ["500", (route) => route.fulfill(error(500, "internal_error")), ".stale"],
  ["a proxy's page", (route) => route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad" }), ".stale"],
  ["a cut connection", (route) => route.abort(), ".away"]
]

const api = /\/console\/api\//

/** Runs in the page: what is read in it and typed into it. */
const contentsOf = () => ({
  text: Array.from(document.querySelectorAll("main h1, main h2, main td, main dd, main dt, main button"))
    .filter((element) => element.closest(".stale") === null)
    .map(({ textContent }) => textContent),
  typed: Array.from(document.querySelectorAll<HTMLInputElement>("main input, dialog[open] input"), ({ value }) => value)
})

const readAgain = (page: Page) => page.evaluate(() => dispatchEvent(new Event("online")))

const typeEverywhere = async (page: Page) => {
  for (const field of await page.locator("main input[type=search], main input[type=text]").all()) {
    if ((await field.isVisible()) && (await field.isEnabled())) await field.fill("typed")
  }
}

describe.skipIf(executable === undefined)(`pages that cannot be read again${needsChromium}`, () => {
  it.live(
    "an answer of 429 or 500, a proxy's page, a cut connection and a slow answer lose nothing of a merchant's page",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        const seed = yield* seeded(at)
        const { go, page } = yield* at.enter("owner")
        const lost: Array<string> = []
        const silent: Array<string> = []
        for (const [name, path] of consoleTable.filter(([, , role]) => role === undefined)) {
          yield* go(path(seed))
          yield* drawn(page)
          yield* Effect.promise(async () => {
            await page.waitForLoadState("networkidle")
            await typeEverywhere(page)
            await page.locator(".skeleton").first().waitFor({ state: "hidden" })
            await page.waitForLoadState("networkidle")
            const before = await page.evaluate(contentsOf)
            for (const [failure, fail, shows] of failures) {
              // The person who is signed in is asked for, too, so each page has something to read again.
              const ended =
                shows === ".away" ? page.waitForEvent("requestfailed") : page.waitForEvent("requestfinished")
              await page.route(api, fail)
              await readAgain(page)
              await ended
              await page
                .locator(shows)
                .first()
                .waitFor({ timeout: 5_000 })
                .catch(() => silent.push(name))
              const after = await page.evaluate(contentsOf)
              if (JSON.stringify(after) !== JSON.stringify(before)) lost.push(`${name}, ${failure}`)
              await page.unroute(api)
            }
            const request = page.waitForRequest(api)
            await page.route(api, () => {})
            await readAgain(page)
            await request
            const after = await page.evaluate(contentsOf)
            if (JSON.stringify(after) !== JSON.stringify(before)) lost.push(`${name}, a slow answer`)
            await page.unroute(api)
          })
        }
        assert.deepStrictEqual(lost, [])
        // A list and an object say so.
        assert.deepStrictEqual(
          silent.filter((name) => ["orders", "order", "refunds"].includes(name)),
          []
        )
      }),
    420_000
  )

  it.live("a first load that fails says why, and is tried again at a press", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const { go, page } = yield* at.enter("owner")
      yield* Effect.promise(() =>
        page.route(/\/sandbox\/refunds\?/, (route) => route.fulfill(error(500, "internal_error")))
      )
      yield* go("/refunds")
      yield* Effect.promise(async () => {
        await page.locator(".trouble").waitFor()
        await page.unroute(/\/sandbox\/refunds\?/)
        await page.getByRole("button", { name: "Try again" }).click()
        await page.getByText("No refunds yet").waitFor()
      })
    })
  )
})
