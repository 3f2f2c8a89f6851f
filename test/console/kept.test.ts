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

/** Pages that are known to say so: lists, objects and the operators' first page. */
const told = new Set(["orders", "order", "refunds", "overview", "merchants", "payout", "cluster", "audit log"])

/** Runs in the page: until it has drawn an answer that has come. */
const twoFrames = () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))

/** Fails the reads of the page in each way, and notes what it loses, and where it does not say so. */
const outlive = async (page: Page, name: string, lost: Array<string>, silent: Array<string>) => {
  await page.waitForLoadState("networkidle")
  await typeEverywhere(page)
  await page.locator(".skeleton").first().waitFor({ state: "hidden" })
  await page.waitForLoadState("networkidle")
  // A page that reads each second shows nothing newer meanwhile.
  await page.route(api, () => {})
  const before = await page.evaluate(contentsOf)
  const compare = async (failure: string) => {
    const after = await page.evaluate(contentsOf)
    if (JSON.stringify(after) !== JSON.stringify(before)) lost.push(`${name}, ${failure}`)
  }
  const slow = page.waitForRequest(api)
  await readAgain(page)
  await slow
  await compare("a slow answer")
  for (const [failure, fail, shows] of failures) {
    // The person who is signed in is asked for, too, so each page has something to read again.
    const ended = shows === ".away" ? page.waitForEvent("requestfailed") : page.waitForEvent("requestfinished")
    await page.route(api, fail)
    await readAgain(page)
    await ended
    if (told.has(name)) {
      await page
        .locator(shows)
        .first()
        .waitFor({ timeout: 5_000 })
        .catch(() => silent.push(`${name}, ${failure}`))
    } else await page.evaluate(twoFrames)
    await compare(failure)
    await page.unroute(api, fail)
  }
  await page.unrouteAll({ behavior: "ignoreErrors" })
}

describe.skipIf(executable === undefined)(`pages that cannot be read again${needsChromium}`, () => {
  const readers = [
    ["a merchant's", undefined],
    ["an operator's", "operator"]
  ] as const
  for (const [whose, of] of readers) {
    it.live(
      `an answer of 429 or 500, a proxy's page, a cut connection and a slow answer lose nothing of ${whose} page`,
      () =>
        Effect.gen(function* () {
          const at = yield* openConsole()
          const seed = yield* seeded(at)
          const { go, page } = yield* at.enter(of ?? "owner")
          const lost: Array<string> = []
          const silent: Array<string> = []
          for (const [name, path] of consoleTable.filter(([, , role]) => role === of)) {
            yield* go(path(seed))
            yield* drawn(page)
            yield* Effect.promise(() => outlive(page, name, lost, silent))
          }
          assert.deepStrictEqual(lost, [])
          assert.deepStrictEqual(silent, [])
        }),
      600_000
    )
  }

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
