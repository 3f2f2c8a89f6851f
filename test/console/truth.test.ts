/** What the console shows is true: clocks, currencies, figures and their lists, states. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { executable, needsChromium } from "../kit/pages/Browser.ts"
import { drawn, openConsole } from "../kit/pages/consolePages.ts"
import { said as done } from "../kit/Merchant.ts"

const inDialog = (page: Page) => page.locator("dialog[open]")

describe.skipIf(executable === undefined)(`what the console shows${needsChromium}`, () => {
  it.live(
    "deadlines and the proposed range of a report follow the sandbox's clock",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        const moved = yield* at.post("/v1/test_helpers/clock/advance", { by: "90d" })
        assert.include([200, 202], moved.status)
        const clock = () => Effect.map(done(at.get("/v1/test_helpers/clock")), ({ now, status }) => [now, status])
        yield* Effect.repeat(clock(), { until: ([, status]) => status === "ready" })
        const [now] = yield* clock()
        const { trade_no } = yield* at.paid(5_000)
        const dispute = yield* done(at.dispute(trade_no, {}))
        const { go, page } = yield* at.enter("owner")
        yield* go(`/disputes/${dispute["dispute_no"]}`)
        yield* drawn(page)
        yield* Effect.promise(async () => {
          assert.match(await page.locator(".note.urgent .left").innerText(), /in [67] days/)
        })
        yield* go("")
        yield* drawn(page)
        yield* Effect.promise(() => page.getByText(/next due in [67] days/).waitFor())
        yield* go("/reports")
        yield* drawn(page)
        const day = String(now).slice(0, 10)
        yield* Effect.promise(() => page.locator(`input[name=to][value="${day}"]`).waitFor())
      }),
    120_000
  )

  it.live(
    "an amount has its own currency's sign, also in a refusal, which stands once at its field",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        const { trade_no } = yield* at.paid(1_999, { currency: "HKD" })
        const { go, page } = yield* at.enter("owner")
        yield* go(`/orders/${trade_no}`)
        yield* drawn(page)
        yield* Effect.promise(async () => {
          assert.include(await page.locator("h1").innerText(), "HK$19.99")
          await page.getByRole("button", { name: "Refund", exact: true }).click()
          const amount = inDialog(page).getByLabel("Amount (HKD)")
          await amount.fill("20.00")
          await inDialog(page).getByRole("button", { name: "Refund", exact: true }).click()
          await inDialog(page).getByText("At most HK$19.99 can still be refunded.").waitFor()
          assert.strictEqual(await amount.getAttribute("aria-invalid"), "true")
          assert.strictEqual(await inDialog(page).getByRole("alert").count(), 1)
        })
      }),
    60_000
  )

  it.live(
    "the list behind a figure of the home page has its rows: the same day of the merchant's zone, the same currency",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        yield* done(at.api.operator("POST", `/merchants/${at.merchantId}`, { time_zone: "Pacific/Kiritimati" }))
        for (const amount of [1_000, 2_000]) yield* at.paid(amount, { currency: "HKD" })
        const { trade_no } = yield* at.paid(4_000, { currency: "HKD" })
        yield* done(at.refund({ trade_no }))
        yield* at.paid(9_000)
        // The reader's zone is a day behind the merchant's.
        const { go, page } = yield* at.enter("owner", undefined, { timezoneId: "Pacific/Pago_Pago" })
        yield* go("?currency=HKD")
        yield* drawn(page)
        yield* Effect.promise(async () => {
          await page.getByText("HK$70.00").first().waitFor()
          await page.getByRole("link", { name: "Today →" }).click()
          await page
            .getByRole("heading", { name: "Balance transactions" })
            .or(page.locator("main h1"))
            .first()
            .waitFor()
          await page.locator("tbody tr").nth(2).waitFor()
          const amounts = await page.locator("tbody .amount").allInnerTexts()
          assert.deepStrictEqual(
            amounts.filter((text) => text.startsWith("+")).map((text) => text.split(" ")[0]),
            ["+HK$40.00", "+HK$20.00", "+HK$10.00"]
          )
        })
      }),
    60_000
  )

  it.live("an order under dispute says until when to answer, and its refund waits with the reason", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const { trade_no } = yield* at.paid(5_000)
      yield* done(at.dispute(trade_no, {}))
      const { go, page } = yield* at.enter("owner")
      yield* go(`/orders/${trade_no}`)
      yield* drawn(page)
      yield* Effect.promise(async () => {
        await page.getByRole("link", { name: /^Disputed · answer by [A-Z][a-z]{2} \d/ }).waitFor()
        const refund = page.getByRole("button", { name: "Refund", exact: true })
        assert.isTrue(await refund.isDisabled())
        assert.include(await refund.getAttribute("title"), "dispute")
      })
    })
  )

  it.live("new rows wait above a list until they are asked for; the page of an object follows it", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const first = yield* done(at.post("/v1/orders", { amount: 500, out_trade_no: "first" }))
      const { go, page } = yield* at.enter("owner")
      yield* Effect.promise(() => page.clock.install())
      yield* go("/orders")
      yield* drawn(page)
      const rows = () => page.locator("tbody tr").allInnerTexts()
      yield* Effect.promise(async () => void (await page.getByText("first", { exact: true }).waitFor()))
      yield* done(at.post("/v1/orders", { amount: 700, out_trade_no: "second" }))
      yield* Effect.promise(async () => {
        await page.clock.fastForward(6_000)
        await page.getByRole("button", { name: "1 new" }).waitFor()
        assert.lengthOf(
          (await rows()).filter((row) => row.includes("second")),
          0
        )
        await page.getByRole("button", { name: "1 new" }).click()
        await page.getByText("second").waitFor()
        // What a person makes is shown at once.
        await page.getByRole("button", { name: "Create order" }).first().click()
        await inDialog(page).getByLabel("Amount").fill("7.00")
        await inDialog(page).getByLabel("Order reference").fill("third")
        await inDialog(page).getByRole("button", { name: "Create order" }).click()
        await page.locator("tbody").getByText("third").waitFor()
      })
      yield* go(`/orders/${first["trade_no"]}`)
      yield* drawn(page)
      yield* Effect.promise(() => page.locator("h1").getByText("Pending").waitFor())
      yield* done(at.post(`/v1/orders/${first["trade_no"]}/expire`, {}))
      yield* Effect.promise(async () => {
        await page.clock.fastForward(11_000)
        await page.locator("h1").getByText("Expired").waitFor()
      })
    })
  )

  it.live("the live home page lists what is missing, and no test card", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const { go, page } = yield* at.enter("owner")
      yield* go(`/console/${at.merchantId}/live`)
      yield* drawn(page)
      yield* Effect.promise(async () => {
        await page.getByRole("heading", { name: "Before your first live payment" }).waitFor()
        assert.strictEqual(await page.locator(".checklist li").count(), 5)
        assert.notInclude(await page.locator("main").innerText(), "4242")
      })
    })
  )

  it.live("a declined attempt is explained in the reader's language, with its code", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const { trade_no } = yield* done(at.post("/v1/orders", { amount: 500 }))
      yield* at.post(`/v1/test_helpers/orders/${trade_no}/pay`, { outcome: "decline" })
      const { go, page } = yield* at.enter("owner", undefined, { locale: "zh-CN" })
      yield* go(`/orders/${trade_no}`)
      yield* drawn(page)
      yield* Effect.promise(() =>
        page
          .getByText(/银行拒绝付款，未说明原因。.*\(generic_decline\)/)
          .first()
          .waitFor()
      )
    })
  )
})
