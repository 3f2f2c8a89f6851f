/**
 * Each action of the console that endangers something, on each page of a merchant and of operators: its dialog names
 * what it acts on and begins with its first field. A dangerous one is declared by what it endangers (`Act`), so one
 * that names nothing does not compile.
 */
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { executable, needsChromium } from "../kit/pages/Browser.ts"
import { consoleTable, drawn, openConsole, seeded } from "../kit/pages/consolePages.ts"
import { said as done } from "../kit/Merchant.ts"

const folder = "packages/console/src"

const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".tsx"))
  .toSorted()
  .map((file) => [file, readFileSync(`${folder}/${file}`, "utf8")] as const)

/** How many actions the sources declare as dangerous. */
const declared = sources.flatMap(([, text]) => text.match(/^\s+endangers=\{.+$/gm) ?? []).length

describe("a secret that is shown once", () => {
  it("holds its dialog, wherever it is shown", () => {
    const shown = sources.filter(([, text]) => text.includes('className="secret"')).map(([file]) => file)
    // What an operator may read again is shown without holding.
    assert.deepStrictEqual(shown, ["operator/operator.tsx", "parts/Secret.tsx"])
    assert.include(readFileSync(`${folder}/parts/Secret.tsx`, "utf8"), "useHeldDialog()")
  })
})

/** What is wrong with the dialog that is open. */
const judged = (page: Page) =>
  page.evaluate(() => {
    const dialog = [...document.querySelectorAll("dialog[open]")].at(-1)!
    const first =
      dialog.querySelector("form :is(input, select, textarea):not([type=hidden], :disabled)") ??
      dialog.querySelector(".buttons .button:not(.danger, :disabled)")
    return [
      ...((dialog.querySelector(".about code")?.textContent ?? "") === "" ? ["names nothing"] : []),
      ...(document.activeElement === first ? [] : ["does not begin with its first field"])
    ]
  })

describe.skipIf(executable === undefined)(`dangerous actions of the console${needsChromium}`, () => {
  it.live(
    "each names what it endangers, and begins with its first field",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        const seed = yield* seeded(at)
        const owner = yield* at.enter("owner")
        const operator = yield* at.enter("operator")
        const keys = `/merchants/${at.merchantId}/api_keys`
        const { key_id } = yield* done(
          at.api.operator("POST", keys, { mode: "sandbox", name: "Shop", scopes: ["orders:read"] })
        )
        yield* done(at.api.operator("POST", `${keys}/${key_id}/roll`, { overlap_minutes: 60 }))
        const found: Array<string> = []
        const names = new Set<string>()
        for (const [name, path, role = "owner"] of consoleTable) {
          const { go, page } = role === "operator" ? operator : owner
          yield* go(path(seed))
          yield* drawn(page)
          yield* Effect.promise(async () => {
            const buttons = page.locator("main button.danger:enabled:not(dialog *)")
            const count = await buttons.count()
            for (let index = 0; index < count; index++) {
              const text = await buttons.nth(index).innerText()
              await buttons.nth(index).click()
              await page.locator("dialog[open]").last().waitFor()
              found.push(...(await judged(page)).map((each) => `${name}, ${text}: ${each}`))
              names.add(`${name}, ${text}`)
              await page.keyboard.press("Escape")
              await page.locator("dialog[open]").waitFor({ state: "detached" })
            }
          })
        }
        assert.deepStrictEqual(found, [])
        // Others need an object in another state, or an answer before.
        assert.isAtLeast(names.size, declared / 2, [...names].join("; "))
      }),
    420_000
  )
})
