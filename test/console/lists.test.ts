/** The console's lists and charts in a real browser: order, a phone's cards, orders under dispute, a day's list. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { executable, needsChromium } from "../kit/pages/Browser.ts"
import { drawn, openConsole } from "../kit/pages/consolePages.ts"
import { said as done } from "../kit/Merchant.ts"

const small = { width: 360, height: 800 }

describe.skipIf(executable === undefined)(`the console's lists${needsChromium}`, () => {
  it.live(
    "are sorted by a press on a column's name, and say which rows were sorted by amount",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        for (const amount of [300, 100, 200]) yield* done(at.post("/v1/orders", { amount }))
        const { go, page } = yield* at.enter("owner")
        yield* go("/orders")
        yield* drawn(page)
        const amounts = () => page.locator("tbody td:nth-child(2)").allInnerTexts()
        yield* Effect.promise(async () => {
          assert.deepStrictEqual(await amounts(), ["$2.00 USD", "$1.00 USD", "$3.00 USD"])
          await page.getByRole("button", { name: "Amount" }).click()
          await page.getByText(/^By amount, as of/).waitFor()
          assert.deepStrictEqual(await amounts(), ["$3.00 USD", "$2.00 USD", "$1.00 USD"])
          await page.getByRole("button", { name: "Amount" }).click()
          await page.locator("th[aria-sort=ascending]").waitFor()
          await page.getByText(/^By amount, as of/).waitFor()
          assert.deepStrictEqual(await amounts(), ["$1.00 USD", "$2.00 USD", "$3.00 USD"])
        })
        // The picture stays as it is until a person asks for it again.
        yield* done(at.post("/v1/orders", { amount: 50 }))
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Update" }).click()
          await page.getByText("$0.50").waitFor()
          assert.strictEqual((await amounts())[0], "$0.50 USD")
        })
      }),
    120_000
  )

  it.live(
    "of orders say that one is disputed and until when to answer, in one further read for all rows",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        for (const due of ["2100-03-04T12:00:00.000Z", "2100-03-05T12:00:00.000Z"]) {
          const { trade_no } = yield* at.paid(1_000)
          yield* done(at.dispute(trade_no, { evidence_due_by: due }))
        }
        yield* at.paid(2_000)
        const { go, page } = yield* at.enter("owner")
        const reads: Array<string> = []
        page.on("request", (request) => {
          if (request.url().includes("/disputes")) reads.push(request.url())
        })
        yield* go("/orders")
        yield* drawn(page)
        yield* Effect.promise(async () => {
          await page.getByText("Disputed · answer by Mar 4, 2100").waitFor()
          await page.getByText("Disputed · answer by Mar 5, 2100").waitFor()
          assert.strictEqual(await page.getByText("Disputed").count(), 2)
        })
        assert.lengthOf(new Set(reads), 1)
      }),
    120_000
  )

  it.live(
    "are cards of two lines on a phone: nothing is cut off but a long subject after two lines, and acts are reachable",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        yield* done(at.post("/v1/orders", { amount: 1_999, subject: "Two books about lists ".repeat(10) }))
        yield* done(at.post("/v1/orders", { amount: 2_999, subject: "A chair" }))
        const { go, page } = yield* at.enter("owner", small)
        yield* go("/orders")
        yield* drawn(page)
        const height = (selector: string) =>
          page
            .locator(selector)
            .first()
            .evaluate((cell) => cell.clientHeight)
        yield* Effect.promise(async () => {
          const card = page.locator("tbody tr").first()
          assert.deepStrictEqual(
            [await card.locator(".in-lead").innerText(), await card.locator(".in-state").innerText()],
            ["$29.99 USD", "Pending"]
          )
          const line = await height("tbody tr:first-child .in-text .clamp")
          const long = await height("tbody tr:nth-child(2) .in-text .clamp")
          assert.isAtMost(long, 2 * line + 1)
          const [box] = [await card.boundingBox()]
          assert.isAtMost((box?.x ?? 0) + (box?.width ?? 999), small.width)
          await card.getByRole("checkbox").check()
          await page.getByRole("combobox", { name: "Sort" }).selectOption("amount")
          await page.getByText(/^By amount, as of/).waitFor()
          assert.match(await page.locator("tbody tr .in-lead").first().innerText(), /19\.99/)
        })
      }),
    120_000
  )
})

describe.skipIf(executable === undefined)(`the charts of the home page${needsChromium}`, () => {
  it.live(
    "are read with the arrow keys and by touch, and lead to the payments of that day, in its zone and currency",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        yield* at.paid(5_000)
        const { go, page } = yield* at.enter("owner")
        yield* go("?days=7")
        yield* drawn(page)
        yield* Effect.promise(async () => {
          const plot = page.getByRole("figure", { name: /^Volume/ })
          const bars = plot.getByRole("group").getByRole("link")
          assert.strictEqual(await bars.count(), 7)
          assert.match((await bars.last().getAttribute("aria-label")) ?? "", /^\w+ \d+: \$50\.00; \w+ \d+: \$0\.00$/)
          await bars.last().focus()
          await page.keyboard.press("ArrowLeft")
          const focused = page.locator(":focus")
          assert.match((await focused.getAttribute("aria-label")) ?? "", /: \$0\.00;/)
          assert.include(await plot.locator(".reading").innerText(), "$0.00")
          await page.keyboard.press("End")
          await page.keyboard.press("Enter")
          await page.waitForURL(/\/ledger\?/)
          const query = new URL(page.url()).searchParams
          assert.strictEqual(query.get("from"), query.get("to"))
          assert.deepStrictEqual(
            [query.get("type"), query.get("currency"), query.get("zone")],
            ["payment_credit", "USD", "UTC"]
          )
          await page.getByText("$50.00").first().waitFor()
        })
        yield* go("?days=1")
        yield* drawn(page)
        yield* Effect.promise(async () => {
          const hours = page
            .getByRole("figure", { name: /^Volume/ })
            .getByRole("group")
            .getByRole("link")
          assert.strictEqual(await hours.count(), 24)
          await page.getByText(/^by \d\d:00: .*a week ago \$0\.00$/).waitFor()
        })
      }),
    120_000
  )
})
