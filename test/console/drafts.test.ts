/** Drafts of the console: they outlive sessions, pages and failed reads, and meet the words of others. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { said as done } from "../kit/Merchant.ts"
import { executable, needsChromium } from "../kit/pages/Browser.ts"
import { desktop, drawn, openConsole } from "../kit/pages/consolePages.ts"

const goods = "Product description"
const buyer = "Buyer's name"
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true })
const save = (page: Page) => page.getByRole("button", { name: "Save draft" })
const draftsIn = (page: Page) =>
  page.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith("coffer.draft.")).length)

const refusal = (code: number, error: string) => ({
  status: code,
  contentType: "application/json",
  body: JSON.stringify({ code, error, message: "No.", request_id: "req_no" })
})

/** A service with a dispute that waits for evidence. */
const begin = Effect.gen(function* () {
  const at = yield* openConsole()
  const { trade_no } = yield* at.paid(5_000)
  const { dispute_no } = yield* done(at.dispute(trade_no, {}))
  const path = `/disputes/${dispute_no}`
  return { ...at, path, stored: done(at.get(`/v1${path}/evidence`)) }
})

describe.skipIf(executable === undefined)(`evidence that is typed${needsChromium}`, () => {
  it.live("is there again after the end of a session, a click in the menu and failed reads, until it is sent", () =>
    Effect.gen(function* () {
      const at = yield* begin
      const { go, page } = yield* at.enter("support", desktop)
      yield* go(at.path)
      yield* drawn(page)
      yield* Effect.promise(async () => {
        await field(page, goods).fill("Two books")
        await page.getByRole("link", { name: "Orders", exact: true }).click()
        await page.getByRole("heading", { name: "Orders" }).waitFor()
        await page.goBack()
        await page.getByText("kept in this browser.").waitFor()
        assert.strictEqual(await field(page, goods).inputValue(), "Two books")
        // The session ends.
        await page.route("**/console/api/**", (route) => route.fulfill(refusal(401, "missing_api_key")))
        await save(page).click()
        await page.waitForURL(/sign-in/)
        await page.unroute("**/console/api/**")
      })
      yield* go(at.path)
      yield* Effect.promise(async () => {
        await page.getByText("kept in this browser.").waitFor()
        assert.strictEqual(await field(page, goods).inputValue(), "Two books")
        for (const [code, error] of [
          [429, "rate_limited"],
          [500, "internal_error"]
        ] as const) {
          await page.route("**/evidence", (route) =>
            route.request().method() === "GET" ? route.fulfill(refusal(code, error)) : route.continue()
          )
          await field(page, goods).fill(`Two books, ${code}`)
          await save(page).click()
          await page.locator("main .stale").first().waitFor()
          assert.strictEqual(await field(page, goods).inputValue(), `Two books, ${code}`)
          await page.unroute("**/evidence")
          await page.reload()
          await field(page, goods).waitFor()
        }
        assert.strictEqual(await field(page, goods).inputValue(), "Two books, 500")
        assert.strictEqual(await draftsIn(page), 0)
        await field(page, buyer).fill("Ada")
        assert.strictEqual(await draftsIn(page), 1)
        await page.locator(".person summary").click()
        await page.getByRole("button", { name: "Sign out" }).click()
        await page.waitForURL(/sign-in/)
        assert.strictEqual(await draftsIn(page), 0)
      })
      assert.deepStrictEqual((yield* at.stored)["evidence"], { product_description: "Two books, 500" })
    })
  )

  it.live("stands beside what another person saved meanwhile: both are kept, or theirs is taken", () =>
    Effect.gen(function* () {
      const at = yield* begin
      const one = yield* at.enter("support", desktop)
      const other = yield* at.enter("finance", desktop)
      for (const { go, page } of [one, other]) {
        yield* go(at.path)
        yield* drawn(page)
      }
      yield* Effect.promise(async () => {
        await field(one.page, goods).fill("The parcel was signed for.")
        await save(one.page).click()
        await one.page.getByText("Draft saved.", { exact: true }).waitFor()
        await field(other.page, buyer).fill("Ada")
        await save(other.page).click()
        await other.page.getByText("This was changed by someone else").waitFor()
        assert.strictEqual(await field(other.page, buyer).inputValue(), "Ada")
        await other.page.getByRole("button", { name: "Keep your version" }).click()
        assert.strictEqual(await field(other.page, goods).inputValue(), "The parcel was signed for.")
        await save(other.page).click()
        await other.page.getByText("Draft saved.", { exact: true }).waitFor()
      })
      assert.deepStrictEqual((yield* at.stored)["evidence"], {
        product_description: "The parcel was signed for.",
        customer_name: "Ada"
      })
      yield* Effect.promise(async () => {
        await field(one.page, buyer).fill("Bob")
        await save(one.page).click()
        await one.page.getByRole("button", { name: "Use their version" }).click()
        assert.strictEqual(await field(one.page, buyer).inputValue(), "Ada")
        await field(one.page, goods).fill("Signed for, see the file.")
        await save(one.page).click()
        await one.page.getByText("Draft saved.", { exact: true }).waitFor()
        await field(one.page, goods).fill("Signed for on Monday.")
        await save(one.page).click()
        await one.page.getByText("Draft saved.", { exact: true }).waitFor()
      })
      assert.strictEqual((yield* at.stored)["evidence"].product_description, "Signed for on Monday.")
    })
  )
})

describe.skipIf(executable === undefined)(`a form whose object was changed meanwhile${needsChromium}`, () => {
  it.live("says so and keeps what was typed: settings, an endpoint and metadata", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const endpoint = yield* done(at.post("/v1/webhook_endpoints", { url: `${at.origin}/hooks` }))
      const { trade_no } = yield* at.paid(5_000, { metadata: { shelf: "A7" } })
      const { go, page } = yield* at.enter("owner", desktop)
      const dialog = page.locator("dialog[open]")
      const cases = [
        {
          path: "/settings",
          open: page
            .locator("section.card", { has: page.getByRole("heading", { name: "Public details" }) })
            .getByRole("button", { name: "Edit" }),
          input: "Report time zone",
          change: at.api.operator("POST", `/merchants/${at.merchantId}`, { time_zone: "Asia/Tokyo" }),
          theirs: "Asia/Tokyo",
          mine: "Europe/Berlin"
        },
        {
          path: `/webhooks/${endpoint["id"]}`,
          open: page.getByRole("button", { name: "Edit", exact: true }),
          input: "Description",
          change: at.post(`/v1/webhook_endpoints/${endpoint["id"]}`, { description: "theirs" }),
          theirs: "theirs",
          mine: "mine"
        },
        {
          path: `/orders/${trade_no}`,
          open: page.getByRole("button", { name: "Edit", exact: true }),
          input: "Value of shelf",
          change: at.post(`/v1/orders/${trade_no}`, { metadata: { shelf: "B8" } }),
          theirs: "B8",
          mine: "C9"
        }
      ]
      for (const { change, input, mine, open, path, theirs } of cases) {
        yield* go(path)
        yield* drawn(page)
        const fill = async (text: string) => {
          await open.click()
          await dialog.getByLabel(input).fill(text)
        }
        const send = () => dialog.locator("form > .buttons button:not([type])").click()
        yield* Effect.promise(() => fill("typed"))
        assert.strictEqual((yield* change).status, 200)
        yield* Effect.promise(async () => {
          await dialog.getByLabel(input).fill(mine)
          await send()
          await dialog.getByText("This was changed by someone else").waitFor()
          assert.strictEqual(await dialog.getByLabel(input).inputValue(), mine)
          await dialog.getByRole("button", { name: "Use their version" }).click()
          assert.strictEqual(await dialog.getByLabel(input).inputValue(), theirs)
          await dialog.getByLabel(input).fill(mine)
          await send()
          await dialog.waitFor({ state: "hidden" })
          await page.getByText(mine).first().waitFor()
        })
      }
    })
  )
})
