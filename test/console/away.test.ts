/**
 * The console where answers do not come: acts whose answers are lost are done once, a console that was rebuilt is
 * offered, and pages stay and say so while the service is away.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import type { Page } from "playwright-core"
import * as Errors from "../../packages/contract/src/Errors.ts"
import { adviceFor } from "../../packages/console/src/parts/advice.ts"
import { layerOf } from "../../src/door/console/ConsoleHttp.ts"
import { executable, needsChromium } from "../kit/pages/Browser.ts"
import { drawn, openConsole } from "../kit/pages/consolePages.ts"
import { said as done } from "../kit/Merchant.ts"

const inDialog = (page: Page) => page.locator("dialog[open]")

/** The service does what is asked, and the browser never hears of it, until the answer is called. */
const losingAnswers = async (page: Page, address: RegExp) => {
  const keys: Array<string | undefined> = []
  await page.route(address, async (route) => {
    if (route.request().method() === "GET") return route.fallback()
    keys.push(route.request().headers()["idempotency-key"])
    await route.fetch()
    await route.abort()
  })
  return { keys, find: () => page.unroute(address) }
}

describe("a refusal in the console", () => {
  it("says what to do for each error of the contract, in both languages", () => {
    const codes = Object.values(Errors).flatMap((each) =>
      "fields" in each && "error" in each.fields ? [each.fields.error.schema.literal as string] : []
    )
    assert.include(codes, "insufficient_balance")
    for (const language of ["en", "zh"] as const) {
      assert.deepStrictEqual(
        codes.filter((code) => adviceFor(code, language) === ""),
        []
      )
    }
  })
})

describe.skipIf(executable === undefined)(`the console without answers${needsChromium}`, () => {
  it.live("makes one order when it is asked for again after lost answers, and another with other contents", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const { go, page } = yield* at.enter("owner")
      yield* go("/orders")
      yield* drawn(page)
      const press = () => inDialog(page).getByRole("button", { name: "Create order" }).click()
      yield* Effect.promise(async () => {
        const lost = await losingAnswers(page, /\/sandbox\/orders$/)
        await page.getByRole("button", { name: "Create order" }).first().click()
        await inDialog(page).getByLabel("Amount").fill("12.00")
        await press()
        await inDialog(page).getByText("No response.").waitFor()
        await inDialog(page).getByLabel("Amount").fill("13.00")
        await press()
        await inDialog(page).getByText("No response.").waitFor()
        await lost.find()
        assert.strictEqual(new Set(lost.keys).size, 2, "one key for each contents")
        await press()
        const leave = async () => {
          await inDialog(page).getByRole("button", { name: "Done" }).click()
          await inDialog(page).waitFor({ state: "hidden" })
        }
        await leave()
        // The dialog that is opened again is another act.
        await page.getByRole("button", { name: "Create order" }).first().click()
        await inDialog(page).getByLabel("Amount").fill("13.00")
        await press()
        await leave()
      })
      const { data } = yield* done(at.get("/v1/orders"))
      const amounts = data.map(({ amount }: { readonly amount: number }) => amount)
      assert.deepStrictEqual(amounts, [1_300, 1_300, 1_200])
    })
  )

  it.live("keeps the number that it proposes for a refund, however often the dialog is drawn", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const { trade_no } = yield* at.paid(5_000)
      const { go, page } = yield* at.enter("owner")
      yield* go(`/orders/${trade_no}`)
      yield* drawn(page)
      const press = () => inDialog(page).getByRole("button", { name: "Refund", exact: true }).click()
      yield* Effect.promise(async () => {
        const lost = await losingAnswers(page, /\/sandbox\/refunds$/)
        await page.getByRole("button", { name: "Refund", exact: true }).click()
        const number = await inDialog(page).getByLabel("Refund reference").inputValue()
        await inDialog(page).getByLabel("Amount").fill("10.00")
        await press()
        await inDialog(page).getByText("No response.").waitFor()
        assert.strictEqual(await inDialog(page).getByLabel("Refund reference").inputValue(), number)
        await lost.find()
        await press()
        await inDialog(page).waitFor({ state: "hidden" })
      })
      assert.lengthOf((yield* done(at.get("/v1/refunds")))["data"], 1)
      assert.strictEqual((yield* at.order(trade_no))["refunded_amount"], 1_000)
    })
  )

  it.live("retries after a refusal, under another key", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      yield* done(at.post("/v1/orders", { amount: 500, out_trade_no: "cart" }))
      const { go, page } = yield* at.enter("owner")
      yield* go("/orders")
      yield* drawn(page)
      const keys: Array<string | undefined> = []
      page.on("request", (request) => {
        if (request.method() === "POST" && request.url().endsWith("/orders"))
          keys.push(request.headers()["idempotency-key"])
      })
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Create order" }).first().click()
        await inDialog(page).getByLabel("Amount").fill("7.00")
        await inDialog(page).getByLabel("Order reference").fill("cart")
        for (const count of [1, 2]) {
          const answered = page.waitForResponse(/\/orders$/)
          await inDialog(page).getByRole("button", { name: "Create order" }).click()
          assert.isAtLeast((await answered).status(), 400)
          await inDialog(page).getByRole("alert").waitFor()
          assert.strictEqual(new Set(keys).size, count)
        }
      })
    })
  )

  it.live("sends the files that it began with when the console is rebuilt, and 404 for those of another", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(path.join(tmpdir(), "console-"))),
        (made) => Effect.sync(() => rmSync(made, { recursive: true }))
      )
      writeFileSync(path.join(folder, "index.html"), "<!doctype html>")
      writeFileSync(path.join(folder, "old.js"), "export {}")
      const { dispose, handler } = HttpRouter.toWebHandler(layerOf(folder), { disableLogger: true })
      const statusOf = (name: string) =>
        Effect.map(
          Effect.promise(() => handler(new Request(`http://pay.example/console/assets/${name}`))),
          ({ status }) => status
        )
      assert.strictEqual(yield* statusOf("missing.js"), 404)
      rmSync(path.join(folder, "old.js"))
      writeFileSync(path.join(folder, "new.js"), "export {}")
      assert.strictEqual(yield* statusOf("old.js"), 200)
      assert.strictEqual(yield* statusOf("new.js"), 404)
      yield* Effect.promise(dispose)
    }).pipe(Effect.scoped)
  )

  it.live("offers a newer console where the file of a page is gone, and keeps the menu", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const { go, page } = yield* at.enter("owner")
      yield* go("/orders")
      yield* drawn(page)
      const files = /\/console\/assets\/Refunds-[^/]*\.js$/
      yield* Effect.promise(async () => {
        await page.route(files, (route) => route.fulfill({ status: 404 }))
        await page.route(/\/console$/, (route) =>
          route.fulfill({ contentType: "text/html", body: '<script type="module" src="/console/assets/main-new.js">' })
        )
        await page.getByRole("link", { name: "Refunds" }).click()
        await page.getByRole("heading", { name: "A new version is available" }).waitFor()
        await page.getByRole("link", { name: "Orders" }).click()
        await page.getByRole("heading", { name: "Orders" }).waitFor()
        await page.getByRole("link", { name: "Refunds" }).click()
        await page.unroute(files)
        await page.getByRole("button", { name: "Reload page" }).click()
        await page.getByRole("heading", { name: "Refunds" }).waitFor()
      })
    })
  )

  it.live(
    "stays readable while the service is unreachable, disables actions, says so, and recovers automatically",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        const { trade_no } = yield* at.paid(5_000, { subject: "Two books" })
        const { go, page } = yield* at.enter("owner")
        yield* go(`/orders/${trade_no}`)
        yield* drawn(page)
        yield* Effect.promise(async () => {
          await page.context().setOffline(true)
          // The page asks when a part of it is opened that was not read yet.
          await page.getByRole("link", { name: "Events", exact: true }).click()
          await page.getByText(/^The service is not responding\. You see/).waitFor()
          await page.goBack()
          await page.getByText("Two books").first().waitFor()
          assert.isTrue(await page.getByRole("button", { name: "Refund", exact: true }).isDisabled())
          await page.getByRole("link", { name: "Events", exact: true }).click()
          await page.context().setOffline(false)
          await page.getByRole("heading", { name: "Events" }).waitFor()
          await page.getByText(/^The service is not responding\. You see/).waitFor({ state: "hidden" })
          await page.getByRole("link", { name: "payment.succeeded" }).first().waitFor()
        })
      })
  )
})
