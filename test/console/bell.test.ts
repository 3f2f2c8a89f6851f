/** The bell in the frame of the console, and the page on which a person chooses the emails, in a real browser. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { said as done } from "../kit/Merchant.ts"
import { findings } from "../kit/pages/axe.ts"
import { executable, needsChromium } from "../kit/pages/Browser.ts"
import { drawn, misfits, openConsole } from "../kit/pages/consolePages.ts"
import { eventually } from "../kit/Process.ts"

describe.skipIf(executable === undefined)(`notifications in the console${needsChromium}`, () => {
  it.live("the bell counts what is unread, follows what happens, leads to the object, and closes as menus do", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const { go, page, said } = yield* at.enter("support", { width: 360, height: 740 })
      const order = yield* at.paid(4_000)
      yield* go("/people")
      yield* drawn(page)
      const bell = page.locator("details.bell")
      const button = bell.locator("summary")
      const dispute = yield* done(at.dispute(order["trade_no"], {}))
      // The page reads again by itself.
      yield* Effect.promise(() => page.locator('summary[aria-label="Notifications: 1 unread"]').waitFor())
      yield* Effect.promise(async () => {
        await button.focus()
        await page.keyboard.press("Enter")
        await bell.getByRole("link", { name: /A dispute was opened/ }).waitFor()
        const place = await bell.locator(".popup").boundingBox()
        assert.isTrue(place!.x >= 0 && place!.x + place!.width <= 360, JSON.stringify(place))
        assert.deepStrictEqual(await page.evaluate(misfits), [])
        assert.deepStrictEqual(await findings(page, "light"), [])
        await page.keyboard.press("Escape")
        await bell.getByRole("link").first().waitFor({ state: "hidden" })
        assert.isTrue(await button.evaluate((element) => element === document.activeElement))
        await button.click()
        await bell.getByRole("link").first().waitFor()
        await page.mouse.click(180, 725)
        await bell.getByRole("link").first().waitFor({ state: "hidden" })
        await button.click()
        await bell.getByRole("link", { name: /A dispute was opened/ }).click()
        await page.waitForURL((url) => url.pathname.endsWith(`/disputes/${dispute["dispute_no"]}`))
        await page.locator('summary[aria-label="Notifications"]').waitFor()
      })
      const second = yield* at.paid(5_000)
      yield* done(at.dispute(second["trade_no"], {}))
      yield* Effect.promise(async () => {
        await page.locator('summary[aria-label="Notifications: 1 unread"]').waitFor()
        await button.click()
        await bell.getByRole("button", { name: "Mark all as read" }).click()
        await page.locator('summary[aria-label="Notifications"]').waitFor()
      })
      assert.deepStrictEqual(said, [])
    }).pipe(Effect.scoped)
  )

  it.live("a person switches the emails of an occasion, and finds it so after a reload, in each language", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const { go, page, said } = yield* at.enter("finance", { width: 360, height: 740 })
      yield* go("/notifications")
      yield* drawn(page)
      yield* Effect.promise(async () => {
        await page.locator("main").getByText("finance@shop.example").waitFor()
        const box = page.getByRole("checkbox", { name: "Email: Payout paid" })
        assert.isTrue(await box.isChecked())
        assert.isFalse(await page.getByRole("checkbox", { name: "Email: API key leaked" }).isChecked())
        assert.deepStrictEqual(await page.evaluate(misfits), [])
        assert.deepStrictEqual(await findings(page, "light"), [])
        await box.click()
        await page.getByLabel("Language of the emails").selectOption("zh")
      })
      const stored = at.sql<{ readonly one: string }>`select language || (switches ->> 'payout_paid') as one
        from notification_settings`
      yield* eventually(
        "the settings",
        Effect.map(stored, ([row]) => row?.one === "zhfalse")
      )
      yield* Effect.promise(() => page.reload())
      yield* drawn(page)
      yield* Effect.promise(async () => {
        assert.isFalse(await page.getByRole("checkbox", { name: "Email: Payout paid" }).isChecked())
        await page.evaluate(() => localStorage.setItem("coffer.language", "zh"))
        await page.reload()
        await page.getByRole("checkbox", { name: "邮件：提现到账" }).waitFor()
        assert.deepStrictEqual(await page.evaluate(misfits), [])
      })
      assert.deepStrictEqual(said, [])
    }).pipe(Effect.scoped)
  )
})
