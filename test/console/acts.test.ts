/** Actions in the console: their dialogs, what they say when they are done, and what they keep when they are not. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page, Route } from "playwright-core"
import { executable, needsChromium } from "../kit/pages/Browser.ts"
import { drawn, openConsole, phone, seeded } from "../kit/pages/consolePages.ts"
import { said as done } from "../kit/Merchant.ts"

const inDialog = (page: Page) => page.locator("dialog[open]")
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent?.trim())
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).first().click()

/** Runs in the page: whether the popup of the open menu is within the window. */
const isWithin = () => {
  const { bottom, left, right, top } = document.querySelector("details[open] > .popup")!.getBoundingClientRect()
  return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight
}

/** The ways in which a call can fail on its way. */
const failures: ReadonlyArray<readonly [name: string, answer: (route: Route) => Promise<void>]> = [
  [
    "429",
    (route) =>
      route.fulfill({
        status: 429,
        headers: { "retry-after": "1" },
        json: { code: 429, error: "rate_limited", message: "Slow down.", request_id: "req_1" }
      })
  ],
  [
    "500",
    (route) =>
      route.fulfill({ status: 500, json: { code: 500, error: "internal_error", message: "No.", request_id: "req_2" } })
  ],
  [
    "502 with a page",
    (route) => route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad Gateway</h1>" })
  ],
  ["a cut connection", (route) => route.abort("connectionreset")]
]

describe.skipIf(executable === undefined)(`actions in the console${needsChromium}`, () => {
  it.live(
    "shows what was made: the address of an order and of a link, to copy and as a QR code",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        const { go, page, said } = yield* at.enter("owner", phone)
        yield* go("/orders")
        yield* drawn(page)
        yield* Effect.promise(async () => {
          await press(page, "Create order")
          await inDialog(page).getByLabel("Amount").fill("19.99")
          await inDialog(page).getByRole("button", { name: "Create order" }).click()
          await inDialog(page).getByRole("img", { name: "QR code of Checkout page" }).waitFor()
          const address = await inDialog(page).locator(".address code").innerText()
          assert.match(address, /^http:\/\/localhost:\d+\/checkout\//)
          await inDialog(page).getByRole("button", { name: "Copy Checkout page" }).waitFor()
          assert.strictEqual(
            await inDialog(page)
              .locator("img")
              .evaluate((image: HTMLImageElement) => image.naturalWidth > 100),
            true
          )
        })
        yield* go("/links")
        yield* drawn(page)
        yield* Effect.promise(async () => {
          await press(page, "Create link")
          await inDialog(page).getByLabel("Amount").fill("5")
          await inDialog(page).getByRole("button", { name: "Create link" }).click()
          await inDialog(page)
            .getByRole("img", { name: /^QR code of/ })
            .waitFor()
          assert.match(await inDialog(page).locator(".address code").innerText(), /^http:\/\/localhost:\d+\//)
        })
        assert.deepStrictEqual(said, [])
      }),
    120_000
  )

  it.live("says that the changes of an object are saved, as a person would", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const endpoint = yield* done(at.post("/v1/webhook_endpoints", { url: `${at.origin}/hooks` }))
      const { go, page } = yield* at.enter("owner")
      yield* go(`/webhooks/${endpoint["id"]}`)
      yield* drawn(page)
      yield* Effect.promise(async () => {
        await press(page, "Edit")
        await inDialog(page).getByLabel("Description").fill("Ours")
        await inDialog(page).getByRole("button", { name: "Edit" }).click()
        await page.locator(".toast").getByText(`Changes saved ${endpoint["id"]}`).waitFor()
      })
    })
  )

  it.live(
    "says what was done and with which object, offers the way back, and leaves the focus on the page",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        const endpoint = yield* done(at.post("/v1/webhook_endpoints", { url: `${at.origin}/hooks` }))
        const { go, page } = yield* at.enter("owner")
        yield* go(`/webhooks/${endpoint["id"]}`)
        yield* drawn(page)
        const toast = page.locator(".toast")
        yield* Effect.promise(async () => {
          await press(page, "Pause")
          await inDialog(page).getByText(endpoint["id"], { exact: true }).waitFor()
          await inDialog(page).getByRole("button", { name: "Pause" }).click()
          await toast.getByText(`Done: Pause ${endpoint["id"]}`).waitFor()
          await page.locator("h1 .state", { hasText: "Paused" }).waitFor()
          // The button that was pressed is gone.
          await page.waitForFunction(() => document.activeElement?.tagName === "H1")
          await toast.getByRole("button", { name: "Undo" }).click()
          await toast.getByText("Undone: Pause").waitFor()
          await page.locator("h1 .state", { hasText: "Enabled" }).waitFor()
        })
        const { status } = (yield* at.get(`/v1/webhook_endpoints/${endpoint["id"]}`)).body.data
        assert.strictEqual(status, "enabled")
      }),
    120_000
  )

  it.live(
    "begin with their first field, name the object and its amount, and give the focus back when they are left",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        const order = yield* at.paid(2_500)
        yield* done(at.post("/v1/orders", { amount: 4_200, out_trade_no: "waits" }))
        const { go, page } = yield* at.enter("owner")
        yield* go(`/orders/${order["trade_no"]}`)
        yield* drawn(page)
        yield* Effect.promise(async () => {
          await press(page, "Refund")
          assert.strictEqual(await page.evaluate(() => document.activeElement?.getAttribute("name")), "amount")
          const about = await inDialog(page).locator(".about").innerText()
          assert.include(about, order["trade_no"])
          assert.include(about, "$25.00")
          await page.keyboard.press("Escape")
          await inDialog(page).waitFor({ state: "detached" })
          assert.strictEqual(await focused(page), "Refund")
        })
        yield* go("/orders/waits")
        yield* drawn(page)
        yield* Effect.promise(async () => {
          await press(page, "Expire")
          assert.strictEqual(
            await focused(page),
            "Cancel",
            "a dangerous one without fields begins where it does no harm"
          )
          assert.include(await inDialog(page).locator(".about").innerText(), "$42.00")
        })
      }),
    120_000
  )

  it.live(
    "cannot be left by Escape while a secret is shown that is shown once",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        const { go, page } = yield* at.enter("owner")
        yield* go("/keys")
        yield* drawn(page)
        yield* Effect.promise(async () => {
          await press(page, "Create key")
          await inDialog(page).getByLabel("Name").fill("Accounting")
          await inDialog(page).getByRole("checkbox").first().check()
          await inDialog(page).getByRole("button", { name: "Create key" }).click()
          const secret = inDialog(page).locator(".secret code")
          await secret.waitFor()
          const shown = await secret.innerText()
          for (let times = 0; times < 3; times++) await page.keyboard.press("Escape")
          assert.strictEqual(await secret.innerText(), shown)
          await inDialog(page).getByRole("button", { name: "Done" }).click()
          await inDialog(page).waitFor({ state: "detached" })
        })
      }),
    120_000
  )

  it.live(
    "menus close by Escape and by a click elsewhere, and one is open at a time",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        yield* at.paid(2_500)
        const { go, page } = yield* at.enter("owner")
        yield* go("/orders")
        yield* drawn(page)
        const open = page.locator("details.menu[open]")
        yield* Effect.promise(async () => {
          await page.getByText("Columns", { exact: true }).click()
          assert.strictEqual(await open.count(), 1)
          await page.keyboard.press("Escape")
          assert.strictEqual(await open.count(), 0)
          assert.strictEqual(await focused(page), "Columns")
          await page.getByText("Columns", { exact: true }).click()
          await page.getByText("Views", { exact: true }).click()
          assert.strictEqual(await open.count(), 1)
          assert.include(await open.innerText(), "Views")
          await page.locator("h1").click()
          assert.strictEqual(await open.count(), 0)
        })
      }),
    120_000
  )

  it.live(
    "a menu of any page opens within a window of 360 pixels",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        for (let times = 0; times < 2; times++) yield* at.paid(2_500)
        yield* seeded(at)
        const narrow = { width: 360, height: 640 }
        const owner = yield* at.enter("owner", narrow)
        const operator = yield* at.enter("operator", narrow)
        const pages = [
          ...["/orders", "/refunds", "/disputes", "/ledger", "/deliveries", "/logs"].map(
            (path) => [owner, path] as const
          ),
          ...["merchants", "audit"].map((path) => [operator, `/console/operator/${path}`] as const)
        ]
        let opened = 0
        for (const [{ go, page }, path] of pages) {
          yield* go(path)
          yield* drawn(page)
          const ticks = page.getByRole("checkbox", { name: /^Select TRD/ })
          yield* Effect.promise(async () => {
            for (const tick of (await ticks.all()).slice(0, 2)) await tick.check()
            for (const menu of await page.locator("details.menu").all()) {
              await menu.locator("> summary").click()
              const popup = menu.locator("> .popup")
              await popup.waitFor()
              // What it reads makes it larger.
              await popup.locator(".skeleton").first().waitFor({ state: "detached" })
              await page.waitForFunction(isWithin).catch(async () => {
                const box = await popup.boundingBox()
                assert.fail(`${path}, ${await menu.locator("> summary").innerText()}: ${Object.values(box ?? {})}`)
              })
              await page.keyboard.press("Escape")
              opened++
            }
          })
        }
        assert.isAtLeast(opened, 20)
      }),
    120_000
  )

  it.live(
    "loses nothing that was typed by 429, 500, 502 with a page, a cut connection or a slow answer, and then runs once",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        const order = yield* at.paid(9_000)
        // A refund takes more from the balance than its payment brought.
        yield* at.paid(5_000)
        const endpoint = yield* done(at.post("/v1/webhook_endpoints", { url: `${at.origin}/hooks` }))
        const { go, page } = yield* at.enter("owner")
        // Each with a field, what is typed there, and what shows that it was done.
        const acts = [
          ["/orders", "Create order", "Amount", "19.99", ".address code"],
          [`/orders/${order["trade_no"]}`, "Refund", "Reason", "came damaged", ".toast"],
          [`/orders/${order["trade_no"]}`, "Edit", "Receipt email", "ada@example.com", ".toast"],
          [`/webhooks/${endpoint["id"]}`, "Edit", "Description", "The shop", ".toast"],
          ["/links", "Create link", "Amount", "12.50", ".address code"]
        ] as const
        for (const [path, act, field, typed, shows] of acts) {
          yield* go(path)
          yield* drawn(page)
          yield* Effect.promise(async () => {
            await press(page, act)
            const input = inDialog(page).getByLabel(field, { exact: field !== "Amount" })
            await input.fill(typed)
            const button = inDialog(page).getByRole("button", { name: act })
            for (const [failure, answer] of failures) {
              await page.route("**/console/api/**", (route) =>
                route.request().method() === "GET" ? route.continue() : answer(route)
              )
              await button.click()
              await inDialog(page).getByRole("alert").first().waitFor()
              assert.strictEqual(await input.inputValue(), typed, `${act}: ${failure}`)
              await page.unroute("**/console/api/**")
            }
            let release = () => {}
            const slow = new Promise<void>((resume) => (release = resume))
            await page.route("**/console/api/**", async (route) => {
              if (route.request().method() !== "GET") await slow
              await route.continue()
            })
            await button.click()
            await inDialog(page).getByRole("button", { name: "Working…" }).waitFor()
            assert.strictEqual(await input.inputValue(), typed, `${act}: slow`)
            release()
            await page
              .locator(shows)
              .first()
              .waitFor({ timeout: 8_000 })
              .catch(async () => assert.fail(`${act}: ${await page.locator("body").innerText()}`))
            await page.unroute("**/console/api/**")
          })
        }
        const orders = (yield* at.get("/v1/orders?limit=10")).body.data.data
        assert.deepStrictEqual(
          orders.map(({ amount }: { readonly amount: number }) => amount),
          [1_999, 5_000, 9_000]
        )
        assert.strictEqual((yield* at.get("/v1/refunds")).body.data.data.length, 1)
      }),
    240_000
  )
})
