/** The search box of the console: what it offers while a person types, and where it leads. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { insertOrders } from "../kit/rows/Rows.ts"
import { executable, needsChromium } from "../kit/pages/Browser.ts"
import { drawn, openConsole } from "../kit/pages/consolePages.ts"
import { said as done } from "../kit/Merchant.ts"

describe.skipIf(executable === undefined)(`the search box of the console${needsChromium}`, () => {
  it.live("offers what is found while a person types, each with what tells it from its neighbours", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const { trade_no } = yield* at.paid(123_456, { subject: "Two books", receipt_email: "ada.reader@example.com" })
      yield* at.paid(500, { subject: "Two lamps", receipt_email: "ada.writer@example.com" })
      const { go, page } = yield* at.enter("viewer")
      yield* go("/events")
      yield* drawn(page)
      yield* Effect.promise(async () => {
        const box = page.getByRole("combobox", { name: /^Search orders/ })
        await box.fill("ADA")
        await page.getByRole("option", { name: /\$5\.00 · Two lamps.*Paid · ada\.writer@example\.com/ }).waitFor()
        await page.getByRole("option", { name: /\$1,234\.56 · Two books.*Paid · ada\.reader@example\.com/ }).click()
        await page.waitForURL(new RegExp(`/orders/${trade_no}$`))
        // All of them are on a page of their own, and the only one is opened.
        await box.fill("two")
        await page.getByRole("option", { name: "Find “two”" }).click()
        await page.getByRole("heading", { name: "Search: two" }).waitFor()
        await page.locator("tbody tr").nth(1).waitFor()
        assert.strictEqual(await page.locator("tbody tr").count(), 2)
        // Several may be meant: Enter opens none of them.
        await box.fill("example ada")
        await page.getByRole("option", { name: /Two lamps/ }).waitFor()
        await box.press("Enter")
        await page.getByRole("heading", { name: "Search: example ada" }).waitFor()
        // Each word narrows, and a part of the address is enough.
        await box.fill("1,234.56 eader two")
        await box.press("Enter")
        await page.waitForURL(new RegExp(`/orders/${trade_no}$`))
      })
    })
  )

  it.live(
    "leads an operator to the merchant of a name that was not offered yet, and a merchant reads amounts of payouts",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        const { merchant_id } = yield* done(at.api.operator("POST", "/merchants", { name: "Corner Books" }))
        const { go, page } = yield* at.enter("operator")
        yield* go("/console/operator/search?number=corner")
        yield* Effect.promise(() => page.waitForURL(new RegExp(`/merchants/${merchant_id}`)))
        // Who asked for which payout of what amount.
        yield* at.paid(40_000)
        const asked = { mode: "sandbox", currency: "USD", amount: 2_500 }
        yield* done(at.api.operator("POST", `/merchants/${at.merchantId}/payouts`, asked))
        const owner = yield* at.enter("owner")
        yield* owner.go("/audit")
        const row = owner.page.locator("tbody tr", { hasText: "Requested a payout" })
        const text = yield* Effect.promise(() => row.first().innerText())
        assert.match(text, /Requested a payout \$25\.00\s+USD\s+pyt_/)
      })
  )

  it.live("leads through all that is found, page by page", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const { merchantId } = at
      const many = { merchantId, count: 70, since: Date.now() - 86_400_000, step: 1_000 }
      yield* insertOrders(at.sql, many, { subject: "'Lamp'" })
      const { go, page } = yield* at.enter("viewer")
      yield* go("/search?text=lamp")
      yield* drawn(page)
      yield* Effect.promise(async () => {
        const rows = page.locator("tbody tr")
        await rows.nth(49).waitFor()
        assert.strictEqual(await rows.count(), 50)
        const newest = await rows.first().innerText()
        await page.getByRole("button", { name: "Older" }).click()
        await rows.nth(19).waitFor()
        await rows.nth(20).waitFor({ state: "detached" })
        assert.strictEqual(await page.getByRole("button", { name: "Older" }).count(), 0)
        await page.getByRole("button", { name: "Newest" }).click()
        await rows.nth(49).waitFor()
        assert.strictEqual(await rows.first().innerText(), newest)
      })
    })
  )
})
