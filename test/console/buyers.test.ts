/** A merchant's page for buyers who ask what is kept of them, or to be forgotten; in a real browser. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { said as done } from "../kit/Merchant.ts"
import { executable, needsChromium } from "../kit/pages/Browser.ts"
import { drawn, openConsole } from "../kit/pages/consolePages.ts"
import { flushed } from "../kit/rows/logs.ts"

const email = "reader@example.com"

describe.skipIf(executable === undefined)(`buyers' data in the console of a merchant${needsChromium}`, () => {
  it.live(
    "an owner looks at what a buyer has, takes it as an archive, and erases it after typing the address",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        yield* at.paid(2_000, { receipt_email: email, subject: "Two books", out_trade_no: "one" })
        yield* at.paid(3_000, { receipt_email: "other@example.com", subject: "A lamp", out_trade_no: "two" })
        yield* at.atRest
        yield* flushed(at)
        const { go, page, said } = yield* at.enter("owner")
        yield* go("/buyers")
        yield* drawn(page)
        const archive = yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Export buyer data" }).click()
          await page.locator("dialog[open]").getByLabel("Buyer's email").fill(email)
          const download = page.waitForEvent("download")
          await page.locator("dialog[open]").getByRole("button", { name: "Export buyer data" }).click()
          return readFileSync(await (await download).path(), "latin1")
        })
        assert.include(archive, "Two books")
        assert.notInclude(archive, "A lamp")
        yield* Effect.promise(async () => {
          await page.locator("main").getByLabel("Buyer's email").fill(email)
          await page.getByRole("button", { name: "Preview" }).click()
          await page.getByText("Orders: 1").waitFor()
        })
        // A look changes nothing.
        assert.strictEqual((yield* done(at.get("/v1/orders/one")))["receipt_email"], email)
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Erase permanently" }).click()
          const dialog = page.locator("dialog[open]")
          await dialog.getByRole("button", { name: "Erase permanently" }).click()
          // Without the word the browser keeps the form.
          assert.strictEqual(await dialog.count(), 1)
          await dialog.getByLabel("To confirm, type").fill(email)
          await dialog.getByRole("button", { name: "Erase permanently" }).click()
          await page.getByRole("heading", { name: "Erased" }).waitFor()
        })
        assert.strictEqual((yield* done(at.get("/v1/orders/one")))["subject"], "[erased]")
        assert.strictEqual((yield* done(at.get("/v1/orders/two")))["subject"], "A lamp")
        assert.deepStrictEqual(said, [])
      }),
    120_000
  )

  it.live(
    "a support person may take an archive, and sees that an owner can erase",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        const { go, page } = yield* at.enter("support")
        yield* go("/buyers")
        yield* drawn(page)
        yield* Effect.promise(async () => {
          await page.getByText("An owner can.").waitFor()
          assert.strictEqual(await page.getByRole("button", { name: "Export buyer data" }).count(), 1)
          assert.strictEqual(await page.getByRole("button", { name: "Preview" }).count(), 0)
        })
      }),
    120_000
  )
})
