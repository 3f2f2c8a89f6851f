/** Pages of money in the console: what they do, in a real browser with the whole service behind it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { executable, needsChromium } from "../kit/pages/Browser.ts"
import { desktop, drawn, openConsole, phone, seeded } from "../kit/pages/consolePages.ts"
import { said as done } from "../kit/Merchant.ts"
import { png } from "../kit/pages/png.ts"

const inDialog = (page: Page) => page.locator("dialog[open]")

describe.skipIf(executable === undefined)(`pages of money in the console${needsChromium}`, () => {
  it.live(
    "drafts evidence with a file, counts down to its deadline, and submits it on a phone",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        const { disputeNo } = yield* seeded(at)
        const { go, page, said } = yield* at.enter("support", phone)
        yield* go(`/disputes/${disputeNo}`)
        yield* drawn(page)
        yield* Effect.promise(async () => {
          assert.match(await page.locator(".note.urgent .left").innerText(), /in [67] days/)
          await page.getByLabel("Product description").fill("A lamp")
          await page.getByLabel("Add file").setInputFiles({
            name: "proof.png",
            mimeType: "image/png",
            buffer: png(8, 8)
          })
          await page.getByLabel("Document type 1").selectOption("receipt")
          await page.getByRole("button", { name: "Save draft" }).click()
          await page.getByText("Draft saved.", { exact: true }).waitFor()
        })
        const draft = yield* done(at.get(`/v1/disputes/${disputeNo}/evidence`))
        assert.deepStrictEqual(draft["evidence"], { product_description: "A lamp" })
        assert.strictEqual(draft["files"][0].type, "receipt")
        assert.isFalse(draft["submitted"])
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Submit to bank" }).click()
          await inDialog(page).getByRole("button", { name: "Submit to bank" }).click()
          await page.getByText("Evidence submitted to the bank on").waitFor()
        })
        assert.isTrue((yield* done(at.get(`/v1/disputes/${disputeNo}/evidence`)))["submitted"])
        assert.deepStrictEqual(said, [])
      }),
    120_000
  )

  it.live(
    "refunds the ticked orders that can be, says which are left out and why, and what became of each",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        for (const cart of ["a", "b", "c"])
          yield* at.paid(2_000, { receipt_email: "reader@example.com", out_trade_no: cart })
        const ofReader = { receipt_email: "reader@example.com" }
        yield* done(at.post("/v1/orders", { amount: 1_000, out_trade_no: "waits", ...ofReader }))
        const disputed = yield* at.paid(7_000, { out_trade_no: "disputed", ...ofReader })
        yield* done(at.dispute(disputed["trade_no"], {}))
        const { go, page } = yield* at.enter("owner")
        yield* go("/orders?receipt_email=reader%40example.com")
        yield* drawn(page)
        yield* Effect.promise(async () => {
          await page.getByText("Bulk actions").click()
          const refund = page.locator(".popup").getByRole("button", { name: "Refund" })
          assert.isTrue(await refund.isDisabled(), "a filter alone names no rows for money")
          for (const cart of ["a", "b", "waits", "disputed"])
            await page
              .getByRole("row", { name: new RegExp(` ${cart} `) })
              .getByRole("checkbox")
              .check()
          // A click elsewhere has closed the menu.
          await page.getByText("Bulk actions").click()
          await refund.click()
          await inDialog(page).getByText("2 objects will be changed.").waitFor()
          await inDialog(page).getByText("Total: $40.00").waitFor()
          await inDialog(page).getByText("Left out: 2").waitFor()
          await inDialog(page)
            .getByText(/^waits · reader@example\.com · \$10\.00 USD: Pending$/)
            .waitFor()
          await inDialog(page)
            .getByText(/^disputed · reader@example\.com · \$70\.00 USD: Open dispute\./)
            .waitFor()
          await inDialog(page).getByRole("button", { name: "Refund: 2" }).click()
          await inDialog(page).getByText("2 done, 0 failed, 0 remaining").waitFor()
          const result = inDialog(page).locator("li", { hasText: "a · reader@example.com · $20.00 USD" })
          await result.locator(".state").waitFor()
        })
        assert.strictEqual((yield* at.order("a"))["status"], "refunded")
        assert.strictEqual((yield* at.order("b"))["status"], "refunded")
        assert.strictEqual((yield* at.order("c"))["status"], "paid")
      }),
    120_000
  )

  it.live(
    "pays, refunds and edits an order in the sandbox by the keyboard alone",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        yield* done(
          at.post("/v1/orders", { amount: 4_200, out_trade_no: "k", metadata: { shelf: "A7", note: "1\n2" } })
        )
        const { go, page } = yield* at.enter("owner")
        yield* go("/orders/k")
        yield* drawn(page)
        const press = (name: string) => page.getByRole("button", { name, exact: true }).first().press("Enter")
        yield* Effect.promise(async () => {
          await press("Pay as the buyer")
          await inDialog(page).getByLabel("Outcome").press("Tab")
          await inDialog(page).getByRole("button", { name: "Pay as the buyer" }).press("Enter")
          await page.getByRole("button", { name: "Refund", exact: true }).waitFor()
          await press("Refund")
          await inDialog(page).getByLabel("Amount (USD)").fill("12.34")
          await page.keyboard.press("Enter")
          await page.locator("h1 .state", { hasText: "Partially refunded" }).waitFor()
          await press("Edit")
          await inDialog(page).getByLabel("Value of shelf").fill("B8")
          await inDialog(page).getByRole("button", { name: "Edit" }).press("Enter")
          await page.locator(".facts", { hasText: "B8" }).first().waitFor()
        })
        const order = yield* at.order("k")
        assert.strictEqual(order["refunded_amount"], 1_234)
        assert.deepStrictEqual(order["metadata"], { shelf: "B8", note: "1\n2" })
      }),
    120_000
  )

  it.live(
    "exports a saved view: its filters, the columns that are ticked, days and times of the zone that is chosen",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        yield* at.paid(2_000, { subject: "Two books" })
        yield* done(at.post("/v1/orders", { amount: 4_200, subject: "A chair" }))
        const { go, page } = yield* at.enter("owner", desktop, { timezoneId: "UTC" })
        yield* go("/orders?status=paid")
        yield* drawn(page)
        const queries: Array<URLSearchParams> = []
        page.on("request", (request) => queries.push(new URL(request.url()).searchParams))
        const saved = yield* Effect.promise(async () => {
          await page.getByText("Views", { exact: true }).click()
          await page.getByRole("button", { name: "Save view" }).click()
          await inDialog(page).getByLabel("Name").fill("Paid ones")
          await inDialog(page).getByRole("button", { name: "Save view" }).click()
          await page.getByRole("group", { name: "Views" }).getByRole("button", { name: "Paid ones" }).waitFor()
          await page.goto(page.url().replace("?status=paid", ""))
          await page.getByRole("button", { name: "Export" }).click()
          await inDialog(page).getByLabel("Rows and columns").selectOption("Paid ones")
          await inDialog(page).getByText("status=paid").waitFor()
          await inDialog(page).getByLabel("Time zone").selectOption("Asia/Shanghai")
          await inDialog(page).getByLabel("From").fill("2020-01-02")
          await inDialog(page).getByLabel("To (inclusive)").fill("2099-01-02")
          await inDialog(page).getByRole("checkbox", { name: "Method" }).uncheck()
          queries.length = 0
          const [download] = await Promise.all([
            page.waitForEvent("download"),
            inDialog(page).getByRole("button", { name: "Download file" }).click()
          ])
          const chunks: Array<Buffer> = []
          for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer)
          return Buffer.concat(chunks).toString("utf8")
        })
        const read = queries.find((query) => query.get("limit") === "100")!
        assert.strictEqual(read.get("created[gte]"), "2020-01-01T16:00:00.000Z")
        assert.strictEqual(read.get("created[lte]"), "2099-01-02T15:59:59.999Z")
        const [head, ...lines] = saved.replace(/\r\n$/, "").split("\r\n")
        assert.strictEqual(head, "\uFEFFAmount,Currency,Status,Subject,Order reference,Buyer,Created")
        assert.lengthOf(lines, 1)
        assert.include(lines[0], "Two books")
        const [order] = (yield* done(at.get("/v1/orders?status=paid")))["data"]
        const shown = new Intl.DateTimeFormat("sv-SE", {
          dateStyle: "short",
          timeStyle: "medium",
          timeZone: "Asia/Shanghai"
        }).format(new Date(order.created_at))
        assert.isTrue(lines[0]!.endsWith(shown), lines[0])
      }),
    120_000
  )

  it.live(
    "makes a report, reads it in parts and saves the whole file",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        yield* seeded(at)
        const { go, page } = yield* at.enter("finance", desktop)
        yield* go("/reports")
        yield* drawn(page)
        const ranges: Array<string | undefined> = []
        page.on("request", (request) => {
          if (request.url().endsWith("/file")) ranges.push(request.headers()["range"])
        })
        const saved = yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Show" }).click()
          await page.getByRole("cell", { name: "Closing balance" }).first().waitFor()
          await page.getByRole("button", { name: "Create report" }).click()
          await inDialog(page).getByLabel("Report").selectOption("transactions")
          await inDialog(page).getByRole("button", { name: "Create report" }).click()
          const [download] = await Promise.all([
            page.waitForEvent("download"),
            page.getByRole("button", { name: /^Download/ }).click()
          ])
          const chunks: Array<Buffer> = []
          for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer)
          return Buffer.concat(chunks).toString("utf8")
        })
        const [report] = (yield* done(at.get("/v1/reports")))["data"]
        assert.strictEqual(Buffer.byteLength(saved), report.bytes)
        assert.include(saved, "payment_credit")
        assert.deepStrictEqual(ranges, [`bytes=0-${report.bytes - 1}`])
      }),
    120_000
  )

  it.live(
    "a payout says how far it is, and its statement that it leads from the previous payout to this one",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        const { payoutNo } = yield* seeded(at)
        const { go, page } = yield* at.enter("finance")
        const progress = page.locator("section", { has: page.getByRole("heading", { name: "Progress" }) })
        const open = Effect.andThen(go(`/payouts/${payoutNo}`), drawn(page))
        yield* open
        yield* Effect.promise(async () => {
          for (const name of ["Left after the previous payout", "This payout", "Left after this payout"])
            await page.getByRole("cell", { name, exact: true }).waitFor()
          assert.strictEqual(await progress.locator("time").count(), 1)
          await progress.getByText("No date of arrival is known before.").waitFor()
        })
        for (const step of ["approve", "complete"]) yield* done(at.api.operator("POST", `/payouts/${payoutNo}/${step}`))
        yield* open
        yield* Effect.promise(async () => {
          await progress.getByText("Arrived at your bank").waitFor()
          assert.strictEqual(await progress.locator("time").count(), 3, "each step has its time")
          assert.strictEqual(await progress.getByText("Not yet").count(), 0)
        })
      }),
    120_000
  )

  it.live(
    "offers a viewer nothing that moves money or changes an object",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        const { disputeNo, linkId, refundNo, tradeNo } = yield* seeded(at)
        const { go, page } = yield* at.enter("viewer")
        for (const path of [
          `/orders/${tradeNo}`,
          "/orders",
          `/refunds/${refundNo}`,
          `/disputes/${disputeNo}`,
          "/disputes",
          "/links",
          `/links/${linkId}`,
          "/receipts",
          "/reports"
        ]) {
          yield* go(path)
          yield* drawn(page)
          const acts = yield* Effect.promise(() => page.locator(".head .acts button, .tools summary").allInnerTexts())
          assert.deepStrictEqual(
            acts.filter((text) => !/^(Filter|Columns|Views)/.test(text)),
            [],
            path
          )
        }
      }),
    120_000
  )
})
