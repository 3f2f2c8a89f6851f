/** Paying at checkout as buyers do, in a real browser and with the whole service behind it (silences: K). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { executable, needsChromium } from "../kit/pages/Browser.ts"
import { fillCard, heading, number, openCheckout, phone, valueOf } from "../kit/pages/checkoutBrowser.ts"

describe.skipIf(executable === undefined)(`paying at checkout${needsChromium}`, () => {
  it.live("takes a card on a phone with digits alone, in fewer than 12 keystrokes beyond the number", () =>
    Effect.gen(function* () {
      const { page, said, status } = yield* openCheckout({}, phone, { hasTouch: true, isMobile: true })
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
      assert.deepStrictEqual(said, [], "no other host is called and nothing is refused")
    })
  )

  it.live("takes a card without JavaScript, and says of a mistake which field it is", () =>
    Effect.gen(function* () {
      const { page, status } = yield* openCheckout({}, phone, { javaScriptEnabled: false })
      yield* Effect.promise(async () => {
        await page.locator("#number").fill(number)
        await page.locator("#expiry").fill("1299")
        await page.locator('button[value="pay"]').click()
        await page.locator("#cvc[aria-invalid]").waitFor()
        assert.strictEqual(await valueOf(page, "number"), "")
        await fillCard(page)
        await page.locator('button[value="pay"]').click()
        await heading(page, "Payment successful")
        assert.isFalse(await page.locator("form.express").isVisible())
      })
      assert.strictEqual(yield* status, "paid")
    })
  )

  it.live("keeps what was typed after a mistake, marks what is wrong, and says it", () =>
    Effect.gen(function* () {
      const { page, said } = yield* openCheckout()
      yield* Effect.promise(async () => {
        await page.locator("#number").fill("4242424242424241")
        await page.locator("#expiry").fill("0120")
        await page.locator("#cvc").fill("123")
        await page.locator('button[value="pay"]').click()
        await page.getByText("Check the card number.").waitFor()
        assert.strictEqual(await page.locator('[role="alert"]').count(), 0)
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

  it.live("a decline is shown above Pay, where the focus is", () =>
    Effect.gen(function* () {
      const { page } = yield* openCheckout()
      yield* Effect.promise(async () => {
        await fillCard(page)
        await page.locator("#number").fill("4000000000000002")
        await page.locator('button[value="pay"]').click()
        await page.getByText("Your payment was declined").waitFor()
        assert.strictEqual(await page.evaluate(() => document.activeElement?.getAttribute("role")), "alert")
        const [alert, pay] = [page.locator('[role="alert"]'), page.locator('button[value="pay"]')]
        const [above, below] = [await alert.boundingBox(), await pay.boundingBox()]
        assert.isAtMost(above!.y + above!.height, below!.y)
        await page.keyboard.press("Tab")
        assert.strictEqual(await page.evaluate(() => document.activeElement?.getAttribute("value")), "pay")
      })
    })
  )

  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? "" : " without JavaScript"
    it.live(`the message of a failed 3-D Secure check is in view on a phone${how}`, () =>
      Effect.gen(function* () {
        const { page } = yield* openCheckout({}, { width: 390, height: 560 }, { javaScriptEnabled })
        yield* Effect.promise(async () => {
          await fillCard(page)
          await page.locator("#number").fill("4000002760003184")
          await page.locator('button[value="pay"]').click()
          await page.locator('button[value="cancel"]').click()
          await page.getByText("Your bank could not verify this payment").waitFor()
          const { height, y } = (await page.locator('[role="alert"]').boundingBox())!
          assert.isAtLeast(y, 0)
          assert.isAtMost(y + height, 560)
        })
      })
    )
  }

  it.live("leaves the caret where it was when a digit is put in or taken out in the middle", () =>
    Effect.gen(function* () {
      const { page } = yield* openCheckout()
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
      const { page, status } = yield* openCheckout()
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
        await fillCard(page)
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
      const { page } = yield* openCheckout()
      yield* Effect.promise(async () => {
        await page.route("**/checkout/*", (route) =>
          route.request().method() === "POST" ? route.abort() : route.continue()
        )
        await fillCard(page)
        await page.locator('button[value="pay"]').click()
        await page.getByText("not sure that your payment went through").waitFor()
        assert.isTrue(await page.locator('button[value="pay"]').isDisabled())
        assert.isFalse(await page.getByText("Processing").isVisible())
        await page.getByRole("link", { name: "Check again" }).click()
        await page.locator('button[value="pay"]:enabled').waitFor()
        assert.strictEqual(await valueOf(page, "number"), "")
      })
    })
  )

  it.live("leads back to the form by the browser's own button, from the page of a wallet", () =>
    Effect.gen(function* () {
      const { page } = yield* openCheckout()
      yield* Effect.promise(async () => {
        await page.locator("#method-alipay").check()
        await page.locator('button[value="pay"]').click()
        await heading(page, "Confirm in Alipay")
        await page.goBack()
        await page.locator('button[value="pay"]').waitFor()
      })
    })
  )
})
