/** The environment that an operator looks at, from page to page. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { modeAt, withMode } from "../../packages/console/src/operator/shownMode.ts"
import { executable, needsChromium } from "../kit/pages/Browser.ts"
import { consoleTable, drawn, openConsole, seeded } from "../kit/pages/consolePages.ts"

it("an address that names an environment keeps it; another one gets that of the page", () => {
  for (const [to, wanted] of [
    ["/console/operator", "/console/operator?mode=sandbox"],
    ["/console/operator/held-up?kind=dispute#row", "/console/operator/held-up?kind=dispute&mode=sandbox#row"],
    ["/console/operator/payouts/pyt_1", "/console/operator/payouts/pyt_1?mode=sandbox"],
    ["/console/operator?mode=live", "/console/operator?mode=live"],
    ["/console/operator/merchants/mer_1/live/orders", "/console/operator/merchants/mer_1/live/orders"],
    ["/console/operator/audit", "/console/operator/audit"],
    ["/console/mer_1/live", "/console/mer_1/live"]
  ] as const) {
    assert.strictEqual(withMode(to, "sandbox"), wanted)
    assert.strictEqual(withMode(to, "live"), to)
  }
  assert.strictEqual(modeAt("/operator", new URLSearchParams()), "live")
  assert.isUndefined(modeAt("/operator/merchants", new URLSearchParams("mode=sandbox")))
})

/** The links of the page that lead to the other environment, apart from the switch between them. */
const strayLinks = (page: Page) =>
  Effect.promise(async () => {
    const links = await page.locator("a[href^='/console/operator']").evaluateAll((found) =>
      found
        .filter((link) => link.closest(".switch") === null)
        .map((link) => link.getAttribute("href")!)
        .map((href) => [href, new URL(href, location.origin)] as const)
        .map(([href, { pathname, search }]) => ({ href, path: pathname.replace("/console", ""), search }))
    )
    assert.isAbove(links.length, 5)
    return links
      .filter(({ path, search }) => modeAt(path, new URLSearchParams(search)) === "live")
      .map(({ href }) => `${page.url()}: ${href}`)
  })

describe.skipIf(executable === undefined)(`the environment of operators${needsChromium}`, () => {
  it.live(
    "each link of a page that shows the sandbox leads to the sandbox, and so do those of the pages after it",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        const seed = yield* seeded(at)
        const { go, page } = yield* at.enter("operator")
        const strays: Array<string> = []
        let looks = 0
        for (const [, pathOf, role] of consoleTable) {
          const path = pathOf(seed)
          if (role !== "operator" || !/sandbox/.test(path)) continue
          yield* go(path)
          yield* drawn(page)
          strays.push(...(yield* strayLinks(page)))
          looks += 1
        }
        assert.isAbove(looks, 5)
        // A number alone does not say the environment; its object does.
        for (const path of [`payouts/${seed.payoutNo}`, `deliveries/${seed.deliveryId}`]) {
          yield* go(`/console/operator/${path}`)
          yield* Effect.promise(() => page.waitForURL(new RegExp(`${path}\\?mode=sandbox$`)))
          yield* drawn(page)
          strays.push(...(yield* strayLinks(page)))
        }
        yield* go("/console/operator?mode=sandbox")
        yield* drawn(page)
        const names = yield* Effect.promise(() => page.locator(".side nav a").allTextContents())
        for (const name of names) {
          yield* Effect.promise(() => page.locator(".side nav a").getByText(name, { exact: true }).click())
          yield* drawn(page)
          strays.push(...(yield* strayLinks(page)))
        }
        assert.deepStrictEqual(strays, [])
        yield* Effect.promise(() => page.locator(".side nav a", { hasText: "Needs attention" }).click())
        yield* Effect.promise(() => page.getByRole("button", { name: "Sandbox", pressed: true }).waitFor())
        yield* Effect.promise(() => page.getByRole("button", { name: "Live", exact: true }).click())
        yield* Effect.promise(() => page.locator(".side nav a", { hasText: "Overview" }).click())
        yield* Effect.promise(() => page.getByRole("button", { name: "Live", pressed: true }).waitFor())
      }),
    120_000
  )
})
