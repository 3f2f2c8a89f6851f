/** The pages of the console for developers and owners: what one does on them, in a real browser. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../kit/Process.ts"
import { executable, needsChromium } from "../kit/pages/Browser.ts"
import { said as done } from "../kit/Merchant.ts"
import { drawn, openConsole } from "../kit/pages/consolePages.ts"
import { png } from "../kit/pages/png.ts"
import { receiver } from "../kit/Receiver.ts"
import { flushed } from "../kit/rows/logs.ts"

describe.skipIf(executable === undefined)(`the console for developers${needsChromium}`, () => {
  it.live(
    "adds an endpoint whose secret is shown once, shows why it fails, and sends a pending delivery now, or one again",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        const hook = yield* receiver
        hook.answer(500)
        const { go, page, said } = yield* at.enter("developer")
        yield* go("/webhooks")
        yield* drawn(page)
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Add endpoint" }).click()
          const dialog = page.getByRole("dialog")
          await dialog.getByLabel("URL", { exact: true }).fill(hook.url)
          await dialog.getByLabel("All types").uncheck()
          await dialog.getByLabel("payment.succeeded").check()
          await dialog.getByRole("button", { name: "Add endpoint" }).click()
          await dialog.getByText(/^whsec_/).waitFor()
          await dialog.getByRole("button", { name: "Done" }).click()
          assert.strictEqual(await page.getByText(/^whsec_/).count(), 0)
        })
        yield* at.paid(4_000)
        yield* hook.next
        yield* eventually(
          "the attempt in the list",
          Effect.map(at.get("/v1/webhook_deliveries"), ({ body }) => body.data.data[0].attempts.length === 1)
        )
        yield* go("/webhooks")
        yield* Effect.promise(async () => {
          await page.getByRole("link", { name: hook.url }).click()
          await page.getByText("The latest deliveries failed.").waitFor()
          await page.getByRole("link", { name: "payment.succeeded" }).click()
          await page.getByText("seen", { exact: true }).waitFor()
        })
        hook.answer(200)
        const failedOnce = hook.all.length
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Send now" }).click()
          await page.getByRole("dialog").getByRole("button", { name: "Send now" }).click()
          await page.getByText("Resend of").waitFor()
        })
        yield* eventually(
          "the event now",
          Effect.sync(() => hook.all.length === failedOnce + 1)
        )
        assert.strictEqual(hook.all.at(-1)!.event.id, hook.all.at(-2)!.event.id)
        // All attempts of an event are made within three days.
        yield* done(at.post("/v1/test_helpers/clock/advance", { by: "1h" }))
        const { data: all } = yield* done(at.get("/v1/webhook_deliveries"))
        const delivery = all.find(({ resend_of }: { readonly resend_of: string | null }) => resend_of === null)
        assert.strictEqual(delivery.status, "succeeded", "its automatic attempts went on")
        yield* go(`/deliveries/${delivery.id}`)
        const before = hook.all.length
        yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Resend" }).click()
          await page.getByRole("dialog").getByRole("button", { name: "Resend" }).click()
          await page.getByText("Resend of").waitFor()
        })
        yield* eventually(
          "the event once more",
          Effect.sync(() => hook.all.length === before + 1)
        )
        assert.strictEqual(hook.all.at(-1)!.event.id, delivery.event_id)
        assert.deepStrictEqual(said, [])
      }).pipe(Effect.scoped)
  )

  it.live("sends a test event to an endpoint of the sandbox, which gets a real one", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const hook = yield* receiver
      const endpoint = yield* done(
        at.post("/v1/webhook_endpoints", { url: hook.url, enabled_events: ["refund.failed", "dispute.lost"] })
      )
      const { go, page, said } = yield* at.enter("developer")
      yield* go(`/webhooks/${endpoint["id"]}`)
      yield* drawn(page)
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Send a test event" }).click()
        const dialog = page.getByRole("dialog")
        assert.deepStrictEqual(await dialog.getByLabel("Event").locator("option").allTextContents(), [
          "refund.failed",
          "dispute.lost"
        ])
        await dialog.getByLabel("Event").selectOption("dispute.lost")
        await dialog.getByRole("button", { name: "Send a test event" }).click()
        // What was sent stands beside what was answered.
        const exchange = dialog.locator(".exchange > section")
        await exchange.first().getByText("dispute.lost").first().waitFor()
        assert.include(await exchange.last().innerText(), "200")
        await dialog.getByRole("button", { name: "Done" }).click()
        await page.getByRole("link", { name: "dispute.lost" }).waitFor()
      })
      const { event } = yield* hook.next
      assert.strictEqual(event.type, "dispute.lost")
      assert.deepStrictEqual(said, [])
    }).pipe(Effect.scoped)
  )

  it.live("makes a key of what was ticked alone, tells its secret once, and revokes it", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const { go, page } = yield* at.enter("developer")
      yield* go("/keys")
      yield* drawn(page)
      const key = yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Create key" }).click()
        const dialog = page.getByRole("dialog")
        await dialog.getByLabel("Name").fill("Accounting")
        await dialog.getByRole("checkbox", { name: "refunds: Write" }).check()
        // A key that may change a resource may read it.
        assert.isTrue(await dialog.getByRole("checkbox", { name: "refunds: Read" }).isChecked())
        await dialog.getByRole("button", { name: "Create key" }).click()
        const told = await dialog.getByText(/^svc_test_/).textContent()
        await dialog.getByRole("button", { name: "Done" }).click()
        await page.getByRole("cell", { name: "Accounting" }).waitFor()
        assert.notInclude(await page.content(), told!)
        return told!
      })
      assert.strictEqual((yield* at.api.get("/v1/refunds", key)).status, 200)
      assert.strictEqual((yield* at.api.get("/v1/orders", key)).status, 403)
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Revoke" }).click()
        await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click()
        await page.getByRole("cell", { name: "Revoked" }).waitFor()
      })
      assert.strictEqual((yield* at.api.get("/v1/refunds", key)).status, 401)
    })
  )

  it.live("tells what is due until a moment, and moves the sandbox's clock there", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const order = yield* done(at.post("/v1/orders", { amount: 4_200 }))
      const { go, page } = yield* at.enter("developer")
      yield* go("/sandbox")
      yield* drawn(page)
      yield* Effect.promise(async () => {
        const slider = page.getByRole("slider")
        await slider.fill("1")
        await page.getByText("Nothing in these lists is due by then.").waitFor()
        await slider.fill("3")
        assert.strictEqual(await slider.getAttribute("aria-valuetext"), "2 days")
        await page.getByRole("link", { name: "Order expires" }).waitFor()
        await page.getByRole("button", { name: "Advance clock: 2 days" }).click()
        await page.getByRole("dialog").getByRole("button", { name: "Advance clock: 2 days" }).click()
        const expired = page.locator("main [role=status] li", { hasText: "Orders expired: 1" })
        assert.match((await expired.locator("a").getAttribute("href"))!, /\/orders\?status=expired$/)
        await page.getByText("2 days ahead of real time").waitFor()
      })
      assert.strictEqual((yield* at.order(order["trade_no"]))["status"], "expired")
    })
  )

  it.live("counts failed calls by error, and leads to the call with both bodies", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      yield* at.post("/v1/orders", { amount: "much" })
      yield* at.post("/v1/orders", { amount: "more" })
      yield* at.get("/v1/orders/TRD_SB_01M8B7R0ZZV2B3RSV6C0W43H20")
      yield* flushed(at)
      const { go, page } = yield* at.enter("developer")
      yield* go("/logs")
      yield* drawn(page)
      yield* Effect.promise(async () => {
        await page
          .getByRole("region", { name: "API logs" })
          .getByRole("cell", { name: "API", exact: true })
          .first()
          .waitFor()
        await page.getByText("Failed calls by error").click()
        const groups = page.getByRole("region", { name: "Failed calls by error" })
        await groups.getByRole("row", { name: /invalid_request POST \/v1\/orders 2/ }).waitFor()
        await groups.getByRole("row", { name: /order_not_found GET \/v1\/orders\/:number 1/ }).waitFor()
        await groups.getByRole("link", { name: "invalid_request" }).click()
        await page.waitForURL(/error_code=invalid_request/)
        await page.getByRole("region", { name: "API logs" }).getByRole("link").first().click()
        await page.getByRole("region", { name: "Request body" }).getByText('"more"').waitFor()
        await page.getByRole("region", { name: "Response body" }).getByText('"invalid_request"').waitFor()
      })
    })
  )

  it.live("goes by the keyboard from the search box to a page, and from a number to its object", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const paid = yield* at.paid(3_000)
      const { go, page } = yield* at.enter("viewer")
      yield* go("/orders")
      yield* drawn(page)
      yield* Effect.promise(async () => {
        await page.keyboard.press("/")
        const box = page.getByRole("combobox", { name: /^Search orders/ })
        assert.isTrue(await box.evaluate((each) => each === document.activeElement))
        await page.keyboard.type("d")
        await page.getByRole("option", { name: /Disputes/ }).waitFor()
        await page.keyboard.press("ArrowDown")
        assert.match(
          (await page.getByRole("listbox").getByRole("option", { selected: true }).textContent()) ?? "",
          /^Deliveries/
        )
        await page.keyboard.press("Enter")
        await page.waitForURL(/\/sandbox\/deliveries$/)
        await page.keyboard.press("ControlOrMeta+k")
        await page.keyboard.type(paid["trade_no"])
        await page.keyboard.press("Enter")
        await page.waitForURL(new RegExp(`/sandbox/orders/${paid["trade_no"]}$`))
      })
    })
  )

  it.live("lets an owner invite a person and change the role, and the audit log tells who did it", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const { go, page } = yield* at.enter("owner")
      yield* go("/people")
      yield* drawn(page)
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Invite member" }).click()
        const dialog = page.getByRole("dialog")
        await dialog.getByLabel("Email address").fill("bob@shop.example")
        await dialog.getByLabel("Role").selectOption("support")
        await dialog.getByRole("button", { name: "Invite member" }).click()
        const row = page.getByRole("row", { name: /bob@shop\.example Support/ })
        await row.getByRole("button", { name: "Change role" }).click()
        await dialog.getByLabel("Role").selectOption("finance")
        await dialog.getByRole("button", { name: "Change role" }).click()
        await page.getByRole("row", { name: /bob@shop\.example Finance/ }).waitFor()
      })
      yield* go("/audit")
      yield* Effect.promise(() =>
        page
          .getByRole("row", { name: /Changed a person.s role.*Completed owner@shop\.example/ })
          .first()
          .waitFor()
      )
    })
  )

  it.live("changes settings that the role may change, and offers no others", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const { go, page } = yield* at.enter("developer")
      yield* go("/settings")
      yield* drawn(page)
      yield* Effect.promise(async () => {
        const part = (name: string) => page.locator("section.card").filter({ has: page.getByRole("heading", { name }) })
        assert.strictEqual(await part("Public details").getByRole("button", { name: "Edit" }).count(), 0)
        await part("Payment methods").getByRole("button", { name: "Edit" }).click()
        await page.getByRole("dialog").getByLabel("Alipay").uncheck()
        await page.getByRole("dialog").getByRole("button", { name: /^Edit/ }).click()
        await part("Payment methods").getByText("Card, WeChat Pay, Apple Pay, Google Pay").waitFor()
      })
      const seen = yield* done(at.api.operator("GET", `/merchants/${at.merchantId}`))
      assert.notInclude(seen["sandbox"].payment_methods, "alipay")
    })
  )

  it.live("keeps a list's filters under a name, and shows a shared view to others", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      yield* at.paid(3_000)
      const { go, page } = yield* at.enter("owner")
      yield* go("/orders?status=paid")
      yield* drawn(page)
      yield* Effect.promise(async () => {
        await page.getByText("Views", { exact: true }).click()
        await page.getByRole("button", { name: "Save view" }).click()
        const dialog = page.getByRole("dialog")
        await dialog.getByLabel("Name").fill("Paid ones")
        await dialog.getByLabel(/^Share with/).check()
        await dialog.getByRole("button", { name: "Save view" }).click()
        // It is a tab above the list, which is chosen.
        await page.locator(".tabs").getByRole("button", { name: "Paid ones", pressed: true }).waitFor()
      })
      const other = yield* at.enter("viewer")
      yield* other.go("/orders")
      yield* drawn(other.page)
      yield* Effect.promise(async () => {
        await other.page.locator(".tabs").getByRole("button", { name: "Paid ones" }).click()
        await other.page.waitForURL(/\/orders\?status=paid$/)
        await other.page.getByText("Views", { exact: true }).click()
        await other.page
          .locator(".views")
          .getByRole("button", { name: /^Paid ones/ })
          .waitFor()
      })
    })
  )

  it.live("lets an owner choose a picture as the shop's logo", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const { go, page } = yield* at.enter("owner")
      yield* go("/settings")
      yield* drawn(page)
      yield* Effect.promise(async () => {
        const picture = { name: "logo.png", mimeType: "image/png", buffer: png(64, 64) }
        await page.getByLabel("Choose image").setInputFiles(picture)
        await page.getByRole("button", { name: "Remove logo" }).waitFor()
      })
    })
  )

  it.live("offers a viewer nothing that it may not do", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      yield* done(at.post("/v1/webhook_endpoints", { url: `${at.origin}/hooks` }))
      const { go, page } = yield* at.enter("viewer")
      for (const path of ["/webhooks", "/deliveries", "/keys", "/sandbox", "/people", "/settings", "/audit"]) {
        yield* go(path)
        yield* drawn(page)
        const names = yield* Effect.promise(() => page.locator("main button:enabled, main summary").allTextContents())
        assert.deepStrictEqual(
          names.filter((name) => !["Filter", "Views", "Columns", "Export"].includes(name)),
          [],
          path
        )
      }
    })
  )
})
