/** Typing in the console: filters by the keyboard, texts that came with a copy, refusals at their field. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { said as done } from "../kit/Merchant.ts"
import { executable, needsChromium } from "../kit/pages/Browser.ts"
import { desktop, drawn, openConsole } from "../kit/pages/consolePages.ts"

const inDialog = (page: Page) => page.locator("dialog[open]")

/** The label of the field that has the keyboard. */
const focused = (page: Page) =>
  page.evaluate(() => (document.activeElement as HTMLInputElement).labels?.[0]?.textContent ?? "")

describe.skipIf(executable === undefined)(`typing in the console${needsChromium}`, () => {
  it.live("a filter keeps focus while its values change, accepts a date key by key, and Tab moves on", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      yield* at.paid(1_000, { out_trade_no: "100%25 of a+b" })
      const { go, page } = yield* at.enter("owner", desktop)
      const query = () => new URL(page.url()).searchParams
      const filters = page.locator(".filters")
      yield* go("/orders")
      yield* drawn(page)
      yield* Effect.promise(async () => {
        await page.locator(".filters summary").click()
        await filters.getByLabel("Status").focus()
        await page.keyboard.type("Paid")
        await page.waitForURL(/status=paid/)
        assert.strictEqual(await focused(page), "Status")
        await page.keyboard.press("Tab")
        assert.strictEqual(await focused(page), "Order reference")
        await filters.getByLabel("From", { exact: true }).focus()
        await page.keyboard.type("11012026")
        await page.waitForURL(/from=2026-11-01/)
        assert.strictEqual(await focused(page), "From")
        await filters.getByLabel("To", { exact: true }).focus()
        await page.keyboard.type("1101202")
        await filters.getByLabel("Order reference").focus()
        assert.isNull(query().get("to"), "a day that is not whole is none")
        await page.keyboard.type("100%25 of a+b\u200B")
        await page.keyboard.press("Enter")
        await page.waitForURL(/out_trade_no=/)
        assert.strictEqual(query().get("out_trade_no"), "100%25 of a+b")
        assert.strictEqual(await filters.getByLabel("Order reference").inputValue(), "100%25 of a+b")
        assert.strictEqual(await focused(page), "Order reference")
        await page.getByRole("button", { name: "Clear filters" }).first().click()
        await page.getByRole("row", { name: /100%25 of a\+b/ }).waitFor()
        assert.strictEqual(await focused(page), "Status")
      })
      // The Enter that ends a word of an input method sets no filter.
      yield* Effect.promise(async () => {
        const field = filters.getByLabel("Order reference")
        await field.fill("wang")
        await field.dispatchEvent("keydown", { key: "Enter", isComposing: true })
        assert.isNull(query().get("out_trade_no"))
        await field.press("Enter")
        await page.waitForURL(/out_trade_no=wang/)
      })
    })
  )

  it.live("an object is found by a number of its address with any sign in it", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const { go, page, said } = yield* at.enter("owner", desktop)
      yield* at.paid(1_000, { out_trade_no: "50%OFF" })
      yield* go("/orders/50%25OFF")
      yield* Effect.promise(() => page.getByText("$10.00").first().waitFor())
      assert.deepStrictEqual(said, [])
    })
  )

  for (const [locale, says] of [
    ["en-US", "Enter one email address, such as name@shop.example."],
    ["zh-CN", "请输入一个电子邮箱地址，例如 name@shop.example。"]
  ] as const) {
    it.live(`a refusal stands at its field, in ${locale}, until it is corrected`, () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        const { trade_no } = yield* at.paid(1_000)
        const { go, page } = yield* at.enter("owner", desktop, { locale })
        const name = locale === "en-US" ? "Send receipt" : "发送收据"
        yield* go(`/orders/${trade_no}`)
        yield* drawn(page)
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name }).click()
          const field = inDialog(page).locator("input[name=email]")
          await field.fill("nobody at all")
          await inDialog(page).getByRole("button", { name, exact: true }).click()
          await inDialog(page).getByText(says).waitFor()
          assert.strictEqual(await field.getAttribute("aria-invalid"), "true")
          assert.isTrue(await field.evaluate((each) => each === document.activeElement))
          assert.strictEqual(await inDialog(page).locator(".trouble").count(), 0)
          await field.fill("\u200B 用户@例え.example\uFEFF")
          assert.isNull(await field.getAttribute("aria-invalid"))
          await inDialog(page).getByRole("button", { name, exact: true }).click()
          await inDialog(page).waitFor({ state: "hidden" })
        })
        const { data } = yield* done(
          at.get("/v1/logs?path=" + encodeURIComponent(`/v1/orders/${trade_no}/send_receipt`))
        )
        assert.isAbove(data.length, 0)
      })
    )
  }
})

describe.skipIf(executable === undefined)(`the console at other names and without HTTPS${needsChromium}`, () => {
  it.live(
    "leads from another name of the machine to the one that signs people in, and elsewhere says where that is",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        const { page } = yield* at.enter("owner")
        const own = at.origin.replace("localhost", "127.0.0.1")
        yield* Effect.promise(async () => {
          await page.goto(`${own}/console/sign-in?manage`)
          await page.waitForURL(`${at.origin}/console/sign-in?manage`)
          await page.goto(`${own}/console`)
          await page.waitForURL(new RegExp(`^${at.origin}/console`))
          await page.goto(`${at.origin.replace("localhost", "pay.bookshop.example")}/console/sign-in`)
        })
        const other = yield* Effect.promise(() => page.locator("body").innerText())
        assert.notInclude(other, "Email me a sign-in link")
      })
  )

  it.live("acts and copies where the browser has neither random names nor a clipboard", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const { go, page } = yield* at.enter("owner", desktop)
      yield* Effect.promise(() =>
        page.addInitScript(() => {
          Object.defineProperty(Crypto.prototype, "randomUUID", { value: undefined })
          Object.defineProperty(Navigator.prototype, "clipboard", { value: undefined })
        })
      )
      yield* go("/orders")
      yield* drawn(page)
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Create order" }).first().click()
        await inDialog(page).getByLabel("Amount").fill("12.00")
        await inDialog(page).getByRole("button", { name: "Create order" }).click()
        await inDialog(page).getByRole("button", { name: "Copy Checkout page" }).click()
        await inDialog(page).getByText("Copied").waitFor()
        await inDialog(page).getByRole("button", { name: "Done" }).click()
        await inDialog(page).waitFor({ state: "hidden" })
        await page.getByRole("link", { name: "$12.00" }).click()
        await page.getByRole("button", { name: /^Copy TRD_/ }).click()
        await page.getByText("Copied").first().waitFor()
      })
    })
  )
})

describe.skipIf(executable === undefined)(`a suggested number${needsChromium}`, () => {
  it.live("is in its field when it comes, and never replaces what a person has typed meanwhile", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const { trade_no } = yield* at.paid(5_000)
      const { go, page } = yield* at.enter("owner")
      yield* Effect.promise(async () => {
        let release = () => {}
        const held = new Promise<void>((resolve) => (release = resolve))
        const isAsked = page.waitForRequest(/orders\?.*status=paid.*limit=25|orders\?.*limit=25.*status=paid/)
        await page.route(/orders\?.*limit=25/, async (route) => {
          await held
          await route.continue()
        })
        await Effect.runPromise(go("/sandbox"))
        const dispute = page.locator("main").getByRole("button", { name: "Dispute a payment", exact: true })
        await dispute.click()
        await isAsked
        const order = page.locator("dialog[open] input[name=order]")
        await order.fill("cart-7")
        release()
        await page.locator(`dialog[open] datalist option[value="${trade_no}"]`).waitFor({ state: "attached" })
        assert.strictEqual(await order.inputValue(), "cart-7")
        await page.keyboard.press("Escape")
        await page.locator("dialog[open]").waitFor({ state: "detached" })
        await dispute.click()
        await page.waitForFunction(
          (number) => document.querySelector<HTMLInputElement>("dialog[open] input[name=order]")?.value === number,
          trade_no
        )
      })
    })
  )
})
