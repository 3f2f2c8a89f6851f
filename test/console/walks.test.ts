/**
 * Four people at work in the console, each from where they begin to what they came for: how many clicks and keys it
 * takes at most. Seconds depend on the machine; they are printed and not asserted.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Locator, Page } from "playwright-core"
import { invite, linkIn } from "../kit/callers/console.ts"
import { said as done } from "../kit/Merchant.ts"
import { executable, needsChromium, openPage } from "../kit/pages/Browser.ts"
import { drawn, openConsole, phone, seeded } from "../kit/pages/consolePages.ts"
import { eventually } from "../kit/Process.ts"
import { receiver } from "../kit/Receiver.ts"

const inDialog = (page: Page) => page.locator("dialog[open]")

/** A person's hand: it clicks and types, and counts both. */
const hand = (name: string) => {
  let [clicks, keys] = [0, 0]
  const begun = performance.now()
  return {
    click: async (where: Locator) => {
      clicks += 1
      await where.click()
    },
    type: async (where: Locator, text: string) => {
      keys += text.length
      await where.fill(text)
    },
    press: async (page: Page, key: string) => {
      keys += 1
      await page.keyboard.press(key)
    },
    /** Tells how it went. */
    atMost: (most: { readonly clicks: number; readonly keys: number }) =>
      Effect.gen(function* () {
        const seconds = ((performance.now() - begun) / 1_000).toFixed(1)
        yield* Effect.logInfo(`${name}: ${seconds} s, ${clicks} clicks, ${keys} keys`)
        assert.isAtMost(clicks, most.clicks)
        assert.isAtMost(keys, most.keys)
      })
  }
}

describe.skipIf(executable === undefined)(`walks through the console${needsChromium}`, () => {
  it.live("an owner on a phone signs in, sees the day's volume, and refunds an order", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const { trade_no } = yield* at.paid(12_300, { subject: "Two books" })
      const email = "ada@shop.example"
      yield* invite(at.api, at.mails, { email, role: "owner", merchant_id: at.merchantId })
      const mailsBefore = at.mails.mails.length
      const page = yield* openPage(phone, { locale: "en-US", hasTouch: true })
      yield* Effect.promise(() => page.goto(`${at.origin}/console`))
      const { atMost, click, type } = hand("owner on a phone")
      yield* Effect.promise(async () => {
        await type(page.getByLabel("Email address"), email)
        await click(page.getByRole("button", { name: "Email me a sign-in link" }))
      })
      // The tap on the link in the mail is a click, too.
      const token = linkIn(yield* at.mails.mail(mailsBefore + 1))
      yield* Effect.promise(async () => {
        await page.goto(`${at.origin}/console/sign-in#${token}`)
        await page.locator(".tile", { hasText: "Today" }).getByText("$123.00").waitFor()
        await click(page.getByRole("link", { name: "Today" }))
        await click(page.locator("tbody").getByRole("link", { name: /^TRD_/ }).first())
        await click(page.getByRole("button", { name: "Refund", exact: true }))
        await type(inDialog(page).getByLabel("Amount"), "23.00")
        await click(inDialog(page).getByRole("button", { name: "Refund", exact: true }))
        await page.locator("h1 .state", { hasText: "Partially refunded" }).waitFor()
      })
      assert.strictEqual((yield* at.order(trade_no))["refunded_amount"], 2_300)
      yield* atMost({ clicks: 5, keys: email.length + 5 })
    })
  )

  it.live("a support person with one order's number sends its receipt again and refunds it", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const cart = "cart-2041"
      // Fees are not given back, so another payment has to cover them.
      yield* at.paid(9_000)
      yield* at.paid(4_200, { out_trade_no: cart, receipt_email: "reader@example.com" })
      const { go, page } = yield* at.enter("support")
      yield* go("")
      yield* drawn(page)
      const { atMost, click, press, type } = hand("support with an order's number")
      yield* Effect.promise(async () => {
        await press(page, "/")
        await type(page.getByRole("combobox", { name: /^Search orders/ }), cart)
        await press(page, "Enter")
        await click(page.getByRole("button", { name: "Send receipt" }))
        await click(inDialog(page).getByRole("button", { name: "Send receipt" }))
        await inDialog(page).waitFor({ state: "hidden" })
        await click(page.getByRole("button", { name: "Refund", exact: true }))
        await click(inDialog(page).getByRole("button", { name: "Refund", exact: true }))
        await page.locator("h1 .state", { hasText: "Refunded" }).waitFor()
      })
      assert.strictEqual((yield* at.order(cart))["status"], "refunded")
      yield* atMost({ clicks: 4, keys: cart.length + 2 })
    })
  )

  it.live("a developer with a failing webhook goes from home to the body that failed, and sends it again", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const hook = yield* receiver
      hook.answer(500)
      yield* done(at.post("/v1/webhook_endpoints", { url: hook.url, enabled_events: ["payment.succeeded"] }))
      const { trade_no } = yield* at.paid(4_000)
      // All attempts of an event are made within three days.
      yield* done(at.post("/v1/test_helpers/clock/advance", { by: "96h" }))
      yield* at.atRest
      const { go, page } = yield* at.enter("developer")
      yield* go("")
      yield* drawn(page)
      hook.answer(200)
      const before = hook.all.length
      const { atMost, click } = hand("developer with a failing webhook")
      yield* Effect.promise(async () => {
        await click(page.locator(".note.urgent").getByRole("link", { name: hook.url }))
        await page.getByText("The latest deliveries failed.").waitFor()
        await click(page.getByRole("link", { name: "payment.succeeded" }).first())
        await page.getByRole("region", { name: "Body" }).getByText(trade_no).first().waitFor()
        await click(page.getByRole("button", { name: "Resend" }))
        await click(inDialog(page).getByRole("button", { name: "Resend" }))
        await inDialog(page).waitFor({ state: "hidden" })
      })
      yield* eventually(
        "the event once more",
        Effect.sync(() => hook.all.length === before + 1)
      )
      yield* atMost({ clicks: 4, keys: 0 })
    }).pipe(Effect.scoped)
  )

  it.live("an operator at three in the morning closes a parked payment from the first page, on a phone", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const { parkedNo } = yield* seeded(at)
      const { go, page } = yield* at.enter("operator", phone, { colorScheme: "dark" })
      yield* go("/console/operator?mode=sandbox")
      yield* drawn(page)
      const note = "Paid back by bank transfer."
      const { atMost, click, type } = hand("operator with a parked payment")
      yield* Effect.promise(async () => {
        const matter = page.locator("section.matter", { hasText: "Unmatched payments" })
        await click(matter.getByRole("link", { name: "Review" }))
        await click(page.locator("section.matter").getByRole("button", { name: "Close payment" }))
        await type(page.getByLabel("What was done"), note)
        await click(inDialog(page).getByRole("button", { name: "Close payment" }))
        await page.getByText("Nothing else in this order").first().waitFor()
      })
      const heldUp = yield* done(at.api.operator("GET", `/held_up?kind=unapplied_payment&merchant_id=${at.merchantId}`))
      assert.deepStrictEqual(heldUp["data"], [])
      const { entries } = yield* done(
        at.api.operator("GET", `/merchants/${at.merchantId}/orders/${parkedNo}/timeline?mode=sandbox`)
      )
      assert.include(JSON.stringify(entries), note)
      yield* atMost({ clicks: 3, keys: note.length })
    })
  )
})
