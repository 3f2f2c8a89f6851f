/** The ledger's proof, made by the merchant's own browser. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page, Route } from "playwright-core"
import { executable, needsChromium } from "../kit/pages/Browser.ts"
import { openConsole } from "../kit/pages/consolePages.ts"

const chainUrl = /\/ledger\/USD\/chain\?/

/** The list of links that the service answers is changed on the way to the browser. */
const changed = (page: Page, change: (links: Array<Record<string, unknown>>) => void) =>
  page.route(chainUrl, async (route: Route) => {
    // Whole, and as it is: the page remembers what it has read.
    const { "if-none-match": _, ...headers } = route.request().headers()
    const answer = await route.fetch({ headers: { ...headers, "accept-encoding": "identity" } })
    const body = (await answer.json()) as { data: { data: Array<Record<string, unknown>> } }
    change(body.data.data)
    const { etag: _tag, ...shown } = answer.headers()
    await route.fulfill({ response: answer, headers: shown, json: body })
  })

const begin = async (page: Page) => {
  await page.locator(".proof > summary").click()
  await page.getByRole("button", { name: "Verify in this browser" }).click()
}

/** Pages of two rows, so that a proof has several. */
const inSmallPages = (page: Page) =>
  page.route(chainUrl, (route) => route.continue({ url: route.request().url().replace("limit=100", "limit=2") }))

describe.skipIf(executable === undefined)(`the ledger's proof in the browser${needsChromium}`, () => {
  it.live(
    "holds for an untouched ledger, and names a row that was changed, removed or rewritten",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        for (const amount of [1_000, 2_000, 3_000]) yield* at.paid(amount)
        const { go, page, said } = yield* at.enter("viewer")
        const rows = yield* at.get("/v1/ledger/USD/chain?limit=100")
        const links = rows.body.data.data as ReadonlyArray<{ id: string; sequence: number; text: string }>
        const third = links.find(({ sequence }) => sequence === 3)!
        const cases: ReadonlyArray<readonly [string, (links: Array<Record<string, unknown>>) => void, string]> = [
          [
            "a text that was changed",
            (all) => {
              const link = all.find(({ id }) => id === third.id)!
              link["text"] = String(link["text"]).replace("payment_credit", "payment_credit ")
            },
            "the row was changed"
          ],
          [
            "a row before it that was removed",
            (all) => {
              const before = all.findIndex(({ sequence }) => sequence === 2)
              if (before >= 0) all.splice(before, 1)
            },
            "the previous row is missing"
          ]
        ]
        yield* go("/ledger?currency=USD")
        yield* Effect.promise(async () => {
          await begin(page)
          await page.getByText("All rows are valid.").waitFor()
          const total = links.length
          await page.getByText(`${total} of ${total} rows verified`).waitFor()
        })
        for (const [name, change, reason] of cases) {
          yield* Effect.promise(async () => {
            await changed(page, change)
            await page.getByRole("button", { name: "Verify again" }).click()
            const trouble = page.locator(".proof .trouble")
            await trouble.waitFor()
            assert.include(await trouble.innerText(), third.id, name)
            assert.include(await trouble.innerText(), reason, name)
            await page.unroute(chainUrl)
          })
        }
        yield* Effect.promise(async () => {
          // All was rewritten after the newest row: the row that this browser had kept is not the same any more.
          const newest = links[0]!
          await page.evaluate((id) => {
            const [name] = Object.keys(localStorage).filter((key) => key.startsWith("coffer.ledger."))
            localStorage.setItem(name!, `${id}=${"0".repeat(64)}`)
          }, newest.id)
          await page.getByRole("button", { name: "Verify again" }).click()
          await page.getByText("the chain was rewritten").waitFor()
        })
        assert.deepStrictEqual(said, [])
      }),
    120_000
  )

  it.live(
    "is stopped and goes on where it was, and after a call that failed",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        for (const amount of [1_000, 2_000, 3_000]) yield* at.paid(amount)
        const { go, page } = yield* at.enter("owner")
        yield* go("/ledger?currency=USD")
        yield* Effect.promise(async () => {
          await inSmallPages(page)
          let asked = 0
          let fails = true
          await page.route(chainUrl, async (route) => {
            asked++
            // The second page cannot be read until the person tries again.
            if (asked >= 2 && fails) return route.fulfill({ status: 400, json: refusal })
            await route.fallback()
          })
          await begin(page)
          await page.locator(".proof .trouble").waitFor()
          await page.getByText(/2 of \d+ rows verified/).waitFor()
          const before = asked
          fails = false
          await page.getByRole("button", { name: "Resume" }).click()
          await page.getByText("All rows are valid.").waitFor()
          assert.isAtLeast(asked, before + 1)
        })
      }),
    120_000
  )
})

const refusal = { code: 400, error: "invalid_request", message: "Not now.", request_id: "req_1" }
