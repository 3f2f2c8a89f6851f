/** Operators at work in the console, in a real browser. */
import { DisputeResource } from "@coffer/contract/Disputes"
import { OrderResource } from "@coffer/contract/Orders"
import { RefundResource } from "@coffer/contract/Refunds"
import { DeliveryResource } from "@coffer/contract/WebhookDeliveries"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { said as done } from "../kit/Merchant.ts"
import { executable, needsChromium } from "../kit/pages/Browser.ts"
import { drawn, openConsole, seeded } from "../kit/pages/consolePages.ts"

const operator = "/console/operator"

const hand = (page: Page) => ({
  click: (name: string | RegExp, within = "main, dialog[open]") =>
    Effect.promise(() =>
      page
        .locator(within)
        .getByRole("button", { name })
        .or(page.locator(within).getByRole("link", { name }))
        .last()
        .click()
    )
})

const seen = (page: Page, text: string | RegExp) =>
  Effect.promise(() => page.locator("main, dialog[open]").getByText(text).first().waitFor())

describe.skipIf(executable === undefined)(`the console of operators${needsChromium}`, () => {
  it.live(
    "a merchant's key is made of what was ticked, rolled and revoked on the merchant's page",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        const { go, page } = yield* at.enter("operator")
        yield* go(`${operator}/merchants/${at.merchantId}/sandbox/keys`)
        yield* drawn(page)
        const { click } = hand(page)
        const secret = () =>
          Effect.promise(
            async () =>
              (await page
                .locator("dialog[open]")
                .getByText(/^svc_test_/)
                .textContent())!
          )
        yield* click("Create key", "main")
        yield* Effect.promise(async () => {
          await page.locator("dialog[open]").getByLabel("Name").fill("Accounting")
          await page.getByRole("checkbox", { name: "refunds: Read" }).check()
          await page.getByLabel("Expires after (UTC date)").fill("2099-12-31")
        })
        yield* click("Create key", "dialog[open]")
        const key = yield* secret()
        assert.strictEqual((yield* at.api.get("/v1/refunds", key)).status, 200)
        assert.strictEqual((yield* at.api.get("/v1/orders", key)).status, 403)
        yield* click("Done", "dialog[open]")
        yield* click("Roll key", "main")
        yield* Effect.promise(() => page.getByLabel("Old secret expires").selectOption("0"))
        yield* click("Roll key", "dialog[open]")
        const next = yield* secret()
        assert.strictEqual((yield* at.api.get("/v1/refunds", key)).status, 401)
        assert.strictEqual((yield* at.api.get("/v1/refunds", next)).status, 200)
        yield* click("Done", "dialog[open]")
        yield* click("Revoke", "main")
        yield* click("Revoke", "dialog[open]")
        yield* Effect.promise(() => page.getByRole("cell", { name: "Revoked" }).waitFor())
        assert.strictEqual((yield* at.api.get("/v1/refunds", next)).status, 401)
        const [listed] = (yield* done(at.api.operator("GET", `/merchants/${at.merchantId}/api_keys?mode=sandbox`)))[
          "data"
        ]
        assert.strictEqual(listed.expires_at, "2099-12-31T23:59:59.999Z")
      }),
    120_000
  )

  it.live(
    "an act that one operator asked for waits, and another approves it on the page of its object",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole({ env: { TWO_OPERATORS: "payouts:100,fees" } })
        const { payoutNo } = yield* seeded(at)
        yield* at.api.operator("POST", `/payouts/${payoutNo}/approve`)
        const { go, page } = yield* at.enter("owner")
        // Another operator would have to give the role, too.
        yield* at.sql`insert into memberships (person_id, belongs_to, role, created_at)
          select person_id, 'installation', 'admin', now() from memberships where role = 'owner'`
        yield* go(operator)
        yield* seen(page, "Actions waiting for a second operator")
        yield* go(`${operator}/payouts/${payoutNo}`)
        yield* drawn(page)
        const { click } = hand(page)
        const { name } = yield* done(at.api.operator("GET", `/merchants/${at.merchantId}`))
        const facts = (scope: string) =>
          Effect.promise(() => page.locator(`${scope} .facts`).filter({ hasText: name }).innerText())
        const card = yield* facts("section.approval")
        for (const fact of ["Sandbox", "$25.00 USD", payoutNo]) assert.include(card, fact)
        yield* click("Approve", "section.approval")
        yield* Effect.promise(() => page.locator("dialog[open] dd", { hasText: "$25.00 USD" }).first().waitFor())
        // Before the decision the wallet's balance, too.
        yield* Effect.promise(() =>
          page
            .locator("dialog[open] .facts div", { hasText: "Available balance" })
            .getByText(/\$[\d,.]+/)
            .waitFor()
        )
        const dialog = yield* facts("dialog[open]")
        for (const fact of ["Sandbox", "$25.00 USD", "Requested", payoutNo]) assert.include(dialog, fact)
        yield* Effect.promise(() =>
          page
            .locator("dialog[open]")
            .getByText(/requested/)
            .first()
            .waitFor()
        )
        yield* click("Approve", "dialog[open]")
        yield* seen(page, "Approved. Send it")
        const { status } = yield* done(at.api.operator("GET", `/payouts/${payoutNo}`))
        assert.strictEqual(status, "approved")

        yield* go(`${operator}/merchants/${at.merchantId}/sandbox/settings`)
        yield* drawn(page)
        yield* click("Edit fees")
        yield* click("Edit fees", "dialog[open]")
        yield* seen(page, "A second operator needs to approve this")
        yield* go(`${operator}/approvals`)
        yield* seen(page, "You requested this. Another operator has to approve it.")
        assert.strictEqual(yield* Effect.promise(() => page.getByRole("button", { name: "Approve" }).count()), 0)
      }),
    120_000
  )

  it.live(
    "a merchant is closed only by someone who types its name",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        const { name } = yield* done(
          at.api.operator("POST", `/merchants/${at.merchantId}`, { name: "Corner (Books) & <b>Tea</b>" })
        )
        const { go, page } = yield* at.enter("operator")
        yield* go(`${operator}/merchants/${at.merchantId}/live/settings`)
        yield* drawn(page)
        const { click } = hand(page)
        yield* click("Close permanently")
        const typed = page.locator("dialog[open] input[name=typed_word]")
        yield* Effect.promise(() => typed.fill("Corner"))
        yield* click("Close permanently", "dialog[open]")
        const state = () =>
          Effect.map(done(at.api.operator("GET", `/merchants/${at.merchantId}`)), (found) => found["closed_at"])
        assert.isNull(yield* state())
        assert.isFalse(yield* Effect.promise(() => typed.evaluate((input: HTMLInputElement) => input.validity.valid)))
        yield* Effect.promise(() => typed.fill(name))
        yield* click("Close permanently", "dialog[open]")
        yield* seen(page, "Closed on")
        assert.isNotNull(yield* state())
      }),
    120_000
  )

  it.live(
    "what a merchant lacks before its first live payment is on its page, and in the dialog that approves it",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        const { merchant_id } = yield* done(at.api.operator("POST", "/merchants", { name: "Corner Books" }))
        const { go, page } = yield* at.enter("operator")
        yield* go(`${operator}/merchants/${merchant_id}/live`)
        yield* drawn(page)
        const open = () =>
          Effect.promise(async () => {
            await page.locator(".checklist li").first().waitFor()
            return (await page.locator(".checklist li", { hasText: "Missing" }).allTextContents()).map((text) =>
              text.replace(/^Missing /, "").replace(/(approved|payments|enabled|events|key).*/, "$1")
            )
          })
        const [approved, channel, currencies] = [
          "The business is approved",
          "A channel takes its live payments",
          "Live currencies are enabled"
        ]
        assert.includeMembers(yield* open(), [approved, channel, currencies])
        const { click } = hand(page)
        yield* click("Approve for live", "main")
        yield* seen(page, "It still can't take live payments.")
        assert.deepStrictEqual(yield* Effect.promise(() => page.locator("dialog[open] .note li").allTextContents()), [
          "a channel that takes its live payments",
          "live currencies"
        ])
        yield* click("Approve for live", "dialog[open]")
        yield* Effect.promise(() => page.getByRole("button", { name: "Approve for live" }).waitFor({ state: "hidden" }))
        const after = yield* open()
        assert.notInclude(after, approved)
        assert.includeMembers(after, [channel, currencies])
        yield* go(`${operator}/merchants/${merchant_id}/live/webhooks`)
        yield* Effect.promise(() => page.waitForURL(`**/merchants/${merchant_id}/live`))
      }),
    120_000
  )

  it.live(
    "a buyer is erased only after a look at what there is, and a look changes nothing",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        yield* seeded(at)
        const { go, page } = yield* at.enter("operator")
        yield* go(`${operator}/buyers`)
        yield* drawn(page)
        const { click } = hand(page)
        const erasures = () => Effect.map(done(at.api.operator("GET", "/erasures")), ({ data }) => data.length)
        assert.strictEqual(
          yield* Effect.promise(() => page.getByRole("button", { name: "Erase permanently" }).count()),
          0
        )
        yield* Effect.promise(() => page.getByLabel("Buyer's email").fill("reader@example.com"))
        yield* click("Preview")
        yield* seen(page, /Orders: 1/)
        assert.strictEqual(yield* erasures(), 0)
        yield* click("Erase permanently")
        yield* Effect.promise(() => page.locator("input[name=typed_word]").fill("reader@example.com"))
        yield* click("Erase permanently", "dialog[open]")
        yield* Effect.promise(() => page.locator("table tbody tr").first().waitFor())
        assert.strictEqual(yield* erasures(), 1)
      }),
    120_000
  )

  it.live(
    "a viewer of the installation is offered no act, and no page that its role may not read",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        const { parkedNo, payoutNo } = yield* seeded(at)
        const { go, page, said } = yield* at.enter("watcher")
        for (const path of [
          `/merchants/${at.merchantId}/sandbox/orders/${parkedNo}`,
          `/payouts/${payoutNo}`,
          `/merchants/${at.merchantId}/sandbox/settings`,
          `/merchants/${at.merchantId}/sandbox/channel`,
          "/merchants",
          "/buyers",
          "/reconciliation"
        ]) {
          yield* go(operator + path)
          yield* drawn(page)
          const acts = yield* Effect.promise(() =>
            page
              .getByRole("button", {
                name: /^(Close|Approve|Reject|Suspend|Edit|Reset|Set|Create|Export buyer|Preview|Compare|Mark|Show signing)/
              })
              .count()
          )
          assert.strictEqual(acts, 0, path)
        }
        const links = yield* Effect.promise(() => page.locator(".side nav a").allTextContents())
        assert.notInclude(links, "Audit log")
        assert.deepStrictEqual(said, [])
      }),
    120_000
  )

  it.live(
    "each list of a merchant's objects is filtered by the states that its objects have",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        yield* seeded(at)
        const states = {
          orders: OrderResource.fields.status.literals,
          refunds: RefundResource.fields.status.literals,
          disputes: DisputeResource.fields.status.literals,
          deliveries: DeliveryResource.fields.status.literals
        }
        for (const [role, base] of [
          ["operator", `${operator}/merchants/${at.merchantId}/sandbox`],
          ["owner", ""]
        ] as const) {
          const { go, page } = yield* at.enter(role)
          for (const [list, literals] of Object.entries(states)) {
            yield* go(`${base}/${list}`)
            yield* drawn(page)
            const offered = yield* Effect.promise(() =>
              page
                .locator("select[name=status] option")
                .evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value))
            )
            assert.deepStrictEqual(offered.toSorted(), ["", ...literals].toSorted(), `${role}: ${list}`)
          }
        }
      }),
    120_000
  )

  it.live(
    "a number leads to its object, and the chain of the audit log is verified in the browser",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        const { payoutNo, tradeNo } = yield* seeded(at)
        const { go, page } = yield* at.enter("operator")
        const search = (text: string) =>
          Effect.promise(async () => {
            await page.getByRole("combobox", { name: /^Search by ID/ }).fill(text)
            await page.getByRole("combobox", { name: /^Search by ID/ }).press("Enter")
          })
        yield* go(operator)
        yield* drawn(page)
        yield* search(tradeNo)
        yield* Effect.promise(() => page.waitForURL(`**/merchants/${at.merchantId}/sandbox/orders/${tradeNo}`))
        yield* search(payoutNo)
        yield* Effect.promise(() => page.waitForURL(new RegExp(`/payouts/${payoutNo}\\?mode=sandbox$`)))
        yield* go(`${operator}/audit`)
        yield* drawn(page)
        const { click } = hand(page)
        yield* click("Verify the hash chain")
        yield* click("Verify", "dialog[open]")
        yield* seen(page, "The whole chain is valid.")
      }),
    120_000
  )

  it.live(
    "the cluster is looked at each second",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        const { go, page } = yield* at.enter("operator")
        yield* Effect.promise(() => page.clock.install())
        yield* go(`${operator}/cluster`)
        yield* seen(page, "Shards assigned")
        for (let look = 0; look < 3; look += 1) {
          const answered = page.waitForResponse(/operator\/cluster$/)
          yield* Effect.promise(() => page.clock.runFor(1_000))
          yield* Effect.promise(() => answered)
        }
        yield* Effect.promise(() => page.locator("svg.spark polyline").first().waitFor({ state: "attached" }))
      }),
    120_000
  )

  it.live("says that nothing needs attention only when all that it asks for was read", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const { go, page } = yield* at.enter("operator")
      const payouts = /held_up\?.*kind=payout/
      yield* Effect.promise(() =>
        page.route(payouts, (route) => route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad" }))
      )
      yield* go("/console/operator?mode=sandbox")
      yield* Effect.promise(async () => {
        await page.locator(".tile").first().waitFor()
        await page.locator(".stale").waitFor()
        assert.strictEqual(await page.getByText("Nothing needs your attention").count(), 0)
        await page.unroute(payouts)
        await page.getByRole("button", { name: "Try again" }).click()
        await page.getByText("Nothing needs your attention").waitFor()
      })
    })
  )
})
