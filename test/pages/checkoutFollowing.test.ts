/** A checkout page's own acts: it turns with its order, leads back, and shows times (silences: K1, K3, K5). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { executable, needsChromium, openPage } from "../kit/pages/Browser.ts"
import { desktop, fillCard, heading, openCheckout, phone } from "../kit/pages/checkoutBrowser.ts"

describe.skipIf(executable === undefined)(`a checkout page by itself${needsChromium}`, () => {
  it.live("turns the page also where it can only ask now and then", () =>
    Effect.gen(function* () {
      const { api, merchant, page, url } = yield* openCheckout()
      const tradeNo = /checkout\/([^.]+)\./.exec(url)![1]!
      yield* Effect.promise(async () => {
        await page.clock.install()
        await page.route("**/events", (route) =>
          route.request().headers()["accept"] === "text/event-stream"
            ? route.fulfill({ status: 503 })
            : route.continue()
        )
        const refused = page.waitForResponse((response) => response.status() === 503)
        const asked = page.waitForResponse((response) => response.url().endsWith("/events") && response.ok())
        await page.reload()
        await refused
        // The script hears of the refusal a moment after the test does.
        const word = { text: "" }
        const heard = asked.then(async (response) => void (word.text = await response.text()))
        while (word.text === "") await page.clock.runFor(5_000)
        await heard
        assert.strictEqual(word.text, "pending")
      })
      yield* api.post(`/v1/test_helpers/orders/${tradeNo}/pay`, merchant.sandboxKey)
      yield* Effect.promise(async () => {
        await page.clock.runFor(5_000)
        await heading(page, "Payment successful")
      })
    })
  )

  it.live("turns the desktop's page when a phone has read its code and paid there", () =>
    Effect.gen(function* () {
      const { page, said, status, url } = yield* openCheckout({}, desktop)
      const hand = yield* openPage(phone)
      yield* Effect.promise(async () => {
        await page.locator("#method-wechat_pay").check()
        await page.locator('button[value="pay"]').click()
        await page.getByRole("img", { name: "QR code for paying with WeChat Pay on a phone" }).waitFor()
        await hand.goto(`${url}?wallet=wechat_pay`)
        await hand.getByRole("button", { name: "Confirm payment" }).click()
        await heading(hand, "Payment successful")
        await heading(page, "Payment successful")
      })
      assert.strictEqual(yield* status, "paid")
      assert.deepStrictEqual(said, [])
    })
  )

  it.live("waits while a payment is processed, however it is opened, and turns when that ends", () =>
    Effect.gen(function* () {
      const { api, merchant, page, said, sql, status, url } = yield* openCheckout()
      const tradeNo = /checkout\/([^.]+)\./.exec(url)![1]!
      const plain = yield* openPage(phone, { javaScriptEnabled: false })
      yield* api.post(`/v1/test_helpers/orders/${tradeNo}/pay`, merchant.sandboxKey, { outcome: "succeed_unreported" })
      yield* Effect.promise(async () => {
        // A buyer who has the form open already pays nothing.
        await fillCard(page)
        await page.locator('button[value="pay"]').click()
        for (const each of [page, plain]) {
          if (each === plain) await plain.goto(url)
          await heading(each, "Your payment is being processed")
          await each.reload()
          await heading(each, "Your payment is being processed")
          assert.strictEqual(await each.locator("form").count(), 0)
        }
      })
      const payments = yield* sql`update sandbox_payments set report_due_at = created_at
        where trade_no = ${tradeNo} and state = 'succeeded' returning 1`
      assert.lengthOf(payments, 1)
      yield* Effect.promise(async () => {
        for (const each of [page, plain]) await heading(each, "Payment successful")
      })
      assert.strictEqual(yield* status, "paid")
      assert.deepStrictEqual(said, [])
    })
  )

  it.live("leads back to the shop after a countdown, once, and in the tab that paid alone", () =>
    Effect.gen(function* () {
      const { page, url } = yield* openCheckout({ return_url: "https://shop.example/thanks?n={OUT_TRADE_NO}" })
      yield* Effect.promise(async () => {
        await page.clock.install()
        await page.route("https://shop.example/**", (route) =>
          route.fulfill({ contentType: "text/html", body: "<h1>Shop" })
        )
        await fillCard(page)
        await page.locator('button[value="pay"]').click()
        await page.getByText("Returning to the shop in 5 s.").waitFor()
        await page.getByRole("button", { name: "Stay here" }).click()
        await page.clock.runFor(10_000)
        const other = await page.context().newPage()
        await other.goto(url)
        for (const each of [page, other]) {
          await each.reload()
          await heading(each, "Payment successful")
          assert.isFalse(await each.locator("[data-countdown]").isVisible())
        }
        // As a tab that has just paid.
        await page.evaluate(() => sessionStorage.setItem(location.pathname, "paying"))
        await page.reload()
        await page.getByText("Returning to the shop in 5 s.").waitFor()
        await page.clock.runFor(5_000)
        await heading(page, "Shop")
        await page.goBack()
        await heading(page, "Payment successful")
        assert.isFalse(await page.locator("[data-countdown]").isVisible())
      })
    })
  )

  it.live("without a script leads back from the first page that says it is paid, and from no later one", () =>
    Effect.gen(function* () {
      const terms = { return_url: "https://shop.example/thanks" }
      const { page, url } = yield* openCheckout(terms, phone, { javaScriptEnabled: false })
      yield* Effect.promise(async () => {
        await page.route("https://shop.example/**", (route) => route.fulfill({ body: "Shop" }))
        const leads = async () => (await page.content()).includes('http-equiv="refresh"')
        await fillCard(page)
        await page.locator('button[value="pay"]').click()
        await heading(page, "Payment successful")
        assert.isTrue(await leads())
        await page.goto(url)
        await heading(page, "Payment successful")
        assert.isFalse(await leads())
      })
    })
  )

  it.live("shows the time of a receipt in the buyer's own time zone, which it names", () =>
    Effect.gen(function* () {
      const { page } = yield* openCheckout({}, phone, { timezoneId: "Asia/Tokyo" })
      yield* Effect.promise(async () => {
        await fillCard(page)
        await page.locator('button[value="pay"]').click()
        const [receipt] = await Promise.all([
          page.waitForEvent("popup"),
          page.getByRole("link", { name: "View receipt" }).click()
        ])
        assert.match((await receipt.locator("time").textContent()) ?? "", /\d\d:\d\d GMT\+9$/)
      })
    })
  )

  it.live("shows until when it can be paid in the buyer's own time zone and language", () =>
    Effect.gen(function* () {
      const { page } = yield* openCheckout({}, phone, { timezoneId: "Asia/Shanghai", locale: "zh-CN" })
      yield* Effect.promise(async () => {
        const shown = await page.locator("time").textContent()
        assert.match(shown ?? "", /^明天 ?\d\d:\d\d$/)
        const at = await page.locator("time").evaluate((time) => Date.parse((time as HTMLTimeElement).dateTime))
        const clock = new Intl.DateTimeFormat("zh-CN", {
          timeZone: "Asia/Shanghai",
          hour: "2-digit",
          minute: "2-digit",
          hourCycle: "h23"
        })
        assert.include(shown, clock.format(at))
        await page.getByRole("link", { name: "English" }).click()
        await page.locator('html[lang="en"]').waitFor()
        assert.match((await page.locator("time").textContent()) ?? "", /^tomorrow \d\d:\d\d$/)
      })
    })
  )
})
