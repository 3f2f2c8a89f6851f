/** Paying at checkout as buyers do, in a real browser and with the whole service behind it (silences: K). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { executable, needsChromium, openPage } from "../kit/Browser.ts"
import { start } from "../kit/Service.ts"

const phone = { width: 390, height: 844 }
const desktop = { width: 1280, height: 800 }
const number = "4242424242424242"

/** A service with a fresh order, and its page in a browser; what it asks of others or says on the console is in `said`. */
const opened = Effect.fnUntraced(function* (
  terms: object = {},
  viewport = phone,
  options: Parameters<typeof openPage>[1] = {}
) {
  const service = yield* start()
  const { body } = yield* service.api.post("/v1/orders", service.merchant.sandboxKey, { amount: 1_000, ...terms })
  const url = body.data.checkout_url as string
  const page = yield* openPage(viewport, options)
  const said: Array<string> = []
  page.on("console", (message) => message.type() === "error" && said.push(message.text()))
  page.on("pageerror", (error) => said.push(error.message))
  page.on("request", (request) => {
    if (!/^(data:|about:)/.test(request.url()) && !request.url().startsWith(service.baseUrl)) said.push(request.url())
    const { referer } = request.headers()
    if (referer?.includes("/checkout/") === true) said.push(`referrer ${referer}`)
  })
  yield* Effect.promise(() => page.goto(url))
  const status = Effect.map(
    service.sql<{ status: string }>`select status from orders where trade_no = ${body.data.trade_no as string}`,
    ([row]) => row!.status
  )
  return { ...service, page, said, status, url }
})

const heading = (page: Page, text: string) => page.getByRole("heading", { name: text }).waitFor()
const valueOf = (page: Page, id: string) => page.locator(`#${id}`).inputValue()

describe.skipIf(executable === undefined)(`paying at checkout${needsChromium}`, () => {
  it.live("takes a card on a phone with digits alone, in fewer than 12 keystrokes beyond the number", () =>
    Effect.gen(function* () {
      const { page, said, status } = yield* opened({}, phone, { hasTouch: true, isMobile: true })
      let keys = 0
      const press = async (key: string) => {
        keys++
        await page.keyboard.press(key)
      }
      yield* Effect.promise(async () => {
        await page.locator("#number").tap()
        for (const digit of number) await page.keyboard.press(digit)
        assert.strictEqual(await valueOf(page, "number"), "4242 4242 4242 4242")
        assert.strictEqual(await page.locator("[data-brand]").textContent(), "Visa")
        await press("Tab")
        for (const digit of "1240") await press(digit)
        assert.strictEqual(await valueOf(page, "expiry"), "12/40")
        await press("Tab")
        for (const digit of "123") await press(digit)
        await press("Enter")
        await heading(page, "Payment successful")
      })
      assert.isBelow(keys, 12)
      assert.strictEqual(yield* status, "paid")
      assert.deepStrictEqual(said, [], "nobody else is asked and nothing is refused")
    })
  )

  it.live("takes a card without JavaScript, and says of a mistake which field it is", () =>
    Effect.gen(function* () {
      const { page, status } = yield* opened({}, phone, { javaScriptEnabled: false })
      yield* Effect.promise(async () => {
        await page.locator("#number").fill(number)
        await page.locator("#expiry").fill("1299")
        await page.locator('button[value="pay"]').click()
        await page.locator("#cvc[aria-invalid]").waitFor()
        assert.strictEqual(await valueOf(page, "number"), "")
        await page.locator("#number").fill(number)
        await page.locator("#expiry").fill("1240")
        await page.locator("#cvc").fill("123")
        await page.locator('button[value="pay"]').click()
        await heading(page, "Payment successful")
        assert.isFalse(await page.locator("form.express").isVisible())
      })
      assert.strictEqual(yield* status, "paid")
    })
  )

  it.live("keeps what was typed after a mistake, marks what is wrong, and says it", () =>
    Effect.gen(function* () {
      const { page, said } = yield* opened()
      yield* Effect.promise(async () => {
        await page.locator("#number").fill("4242424242424241")
        await page.locator("#expiry").fill("0120")
        await page.locator("#cvc").fill("123")
        await page.locator('button[value="pay"]').click()
        await page.getByText("Please check the card details").waitFor()
        assert.strictEqual(await valueOf(page, "number"), "4242 4242 4242 4241")
        assert.strictEqual(await valueOf(page, "expiry"), "01/20")
        assert.strictEqual(await valueOf(page, "cvc"), "123")
        const wrong = page.locator("[aria-invalid]")
        assert.deepStrictEqual(await wrong.evaluateAll((all) => all.map(({ id }) => id)), ["number", "expiry"])
        assert.strictEqual(await page.evaluate(() => document.activeElement?.id), "number")
        const described = await page.locator("#number").getAttribute("aria-describedby")
        assert.match((await page.locator(`#${described}`).textContent()) ?? "", /Check the card number/)
        await page.locator("#number").fill(number)
        assert.deepStrictEqual(await wrong.evaluateAll((all) => all.map(({ id }) => id)), ["expiry"])
      })
      // Chromium writes every answer of 422 on the console.
      assert.deepStrictEqual(
        said.filter((text) => !text.includes("422")),
        []
      )
    })
  )

  it.live("leaves the caret where it was when a digit is put in or taken out in the middle", () =>
    Effect.gen(function* () {
      const { page } = yield* opened()
      const at = (position: number) =>
        page.locator("#number").evaluate((input, place) => {
          ;(input as HTMLInputElement).focus()
          ;(input as HTMLInputElement).setSelectionRange(place, place)
        }, position)
      const caret = () => page.locator("#number").evaluate((input) => (input as HTMLInputElement).selectionStart)
      yield* Effect.promise(async () => {
        await page.locator("#number").fill("4242 4242 4242 424")
        await at(2)
        await page.keyboard.type("9")
        assert.deepStrictEqual([await valueOf(page, "number"), await caret()], ["4294 2424 2424 2424", 3])
        await page.keyboard.press("Backspace")
        assert.deepStrictEqual([await valueOf(page, "number"), await caret()], ["4242 4242 4242 424", 2])
        await page.locator("#expiry").pressSequentially("1240")
        for (const left of ["12/4", "12", "1", ""]) {
          await page.keyboard.press("Backspace")
          assert.strictEqual(await valueOf(page, "expiry"), left)
        }
        await page.locator("#expiry").fill("12/2040")
        assert.strictEqual(await valueOf(page, "expiry"), "12/40")
      })
    })
  )

  it.live("sends one form however often Pay is pressed, and says that it is busy", () =>
    Effect.gen(function* () {
      const { page, status } = yield* opened()
      let sent = 0
      let release = () => {}
      const held = new Promise<void>((resolve) => (release = resolve))
      yield* Effect.promise(async () => {
        await page.route("**/checkout/*", async (route) => {
          if (route.request().method() === "POST") {
            sent++
            await held
          }
          await route.continue()
        })
        await page.locator("#number").fill(number)
        await page.locator("#expiry").fill("1240")
        await page.locator("#cvc").fill("123")
        await page.locator('button[value="pay"]').click()
        await page.locator("form[aria-busy]").getByText("Processing…").waitFor()
        assert.isTrue(await page.locator('button[value="pay"]').isDisabled())
        await page.locator("#cvc").press("Enter")
        await page.locator("form[data-pay]").evaluate((form) => (form as HTMLFormElement).requestSubmit())
        release()
        await heading(page, "Payment successful")
      })
      assert.strictEqual(sent, 1)
      assert.strictEqual(yield* status, "paid")
    })
  )

  it.live("says that nothing was heard when the answer is lost, and does not let the buyer pay again blindly", () =>
    Effect.gen(function* () {
      const { page } = yield* opened()
      yield* Effect.promise(async () => {
        await page.route("**/checkout/*", (route) =>
          route.request().method() === "POST" ? route.abort() : route.continue()
        )
        await page.locator("#number").fill(number)
        await page.locator("#expiry").fill("1240")
        await page.locator("#cvc").fill("123")
        await page.locator('button[value="pay"]').click()
        await page.getByText("We have not heard back yet").waitFor()
        assert.isTrue(await page.locator('button[value="pay"]').isDisabled())
        await page.getByRole("link", { name: "Look again" }).click()
        await page.locator('button[value="pay"]:enabled').waitFor()
        assert.strictEqual(await valueOf(page, "number"), "")
      })
    })
  )

  it.live("leads back to the form by the browser's own button, from the page of a wallet", () =>
    Effect.gen(function* () {
      const { page } = yield* opened()
      yield* Effect.promise(async () => {
        await page.locator("#method-alipay").check()
        await page.locator('button[value="pay"]').click()
        await heading(page, "Confirm in Alipay")
        await page.goBack()
        await page.locator('button[value="pay"]').waitFor()
      })
    })
  )

  it.live("turns the page also where it can only ask now and then", () =>
    Effect.gen(function* () {
      const { api, merchant, page, url } = yield* opened()
      const tradeNo = /checkout\/([^.]+)\./.exec(url)![1]!
      yield* Effect.promise(async () => {
        await page.clock.install()
        let asked = 0
        await page.route("**/events", (route) =>
          route.request().headers()["accept"] === "text/event-stream"
            ? route.fulfill({ status: 503 })
            : (asked++, route.continue())
        )
        const refused = page.waitForResponse((response) => response.status() === 503)
        await page.reload()
        await refused
        const word = page.waitForResponse((response) => response.url().endsWith("/events") && response.ok())
        // The browser hears of the refusal a moment after the test does.
        while (asked === 0) await page.clock.runFor(5_000)
        assert.strictEqual(await (await word).text(), "pending")
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
      const { page, said, status, url } = yield* opened({}, desktop)
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

  it.live("leads back to the shop after a countdown, which can be stopped and does not begin again", () =>
    Effect.gen(function* () {
      const { page } = yield* opened({ return_url: "https://shop.example/thanks?n={OUT_TRADE_NO}" })
      yield* Effect.promise(async () => {
        await page.clock.install()
        await page.route("https://shop.example/**", (route) =>
          route.fulfill({ contentType: "text/html", body: "<h1>Shop" })
        )
        await page.locator("#number").fill(number)
        await page.locator("#expiry").fill("1240")
        await page.locator("#cvc").fill("123")
        await page.locator('button[value="pay"]').click()
        await page.getByText("You will be taken back in 5 s.").waitFor()
        await page.getByRole("button", { name: "Stay here" }).click()
        await page.clock.runFor(10_000)
        await page.reload()
        await heading(page, "Payment successful")
        assert.isFalse(await page.locator("[data-countdown]").isVisible())
        await page.evaluate(() => history.replaceState(null, ""))
        await page.reload()
        await page.getByText("You will be taken back in 5 s.").waitFor()
        await page.clock.runFor(5_000)
        await heading(page, "Shop")
      })
    })
  )

  it.live("shows until when it can be paid in the buyer's own time zone and language", () =>
    Effect.gen(function* () {
      const { page } = yield* opened({}, phone, { timezoneId: "Asia/Shanghai", locale: "zh-CN" })
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
        assert.match((await page.locator("time").textContent()) ?? "", /^until tomorrow \d\d:\d\d$/)
      })
    })
  )
})
