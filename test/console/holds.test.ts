/** Orders whose amount is held first: what a merchant's people and operators see of them, and may do. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { executable, needsChromium } from "../kit/pages/Browser.ts"
import { drawn, openConsole } from "../kit/pages/consolePages.ts"
import { said as done } from "../kit/Merchant.ts"

describe.skipIf(executable === undefined)(`a hold in the console${needsChromium}`, () => {
  it.live("is shown with its deadline and the channel's refusal, and captured or canceled by whom it may be", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const { trade_no } = yield* at.authorized(2_000)
      yield* done(at.bankCaptures(trade_no, { outcome: "refuse" }))
      assert.strictEqual((yield* at.capture(trade_no)).status, 502)

      const viewer = yield* at.enter("viewer")
      yield* viewer.go(`/orders/${trade_no}`)
      yield* drawn(viewer.page)
      const shown = yield* Effect.promise(() => viewer.page.locator("main").innerText())
      for (const part of [
        /\$20\.00\s+USD\s+Authorized/,
        /Capture\s+Manual/,
        /Capture by\s+\w+ \d+/,
        /Authorized, not charged, by card: \$20\.00\. Capture refused: the buyer's bank does not confirm the amount/
      ])
        assert.match(shown, part)
      assert.strictEqual(yield* Effect.promise(() => viewer.page.locator("header .button").count()), 0)

      const operator = yield* at.enter("operator")
      yield* operator.go("/console/operator/held-up?mode=sandbox&kind=hold")
      const row = operator.page.locator("tbody tr", { hasText: "The channel refused" })
      const text = yield* Effect.promise(() => row.innerText())
      assert.match(text, /Hold[^]*\$20\.00/)
      yield* Effect.promise(async () => {
        await row.getByRole("link", { name: "Open" }).click()
        await operator.page.getByText("Capture refused").waitFor()
      })

      const { go, page, said } = yield* at.enter("support", undefined, { locale: "zh-TW" })
      yield* go(`/orders/${trade_no}`)
      const dialog = page.locator("dialog[open]")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "扣款", exact: true }).click()
        await dialog.getByText(trade_no).first().waitFor()
        await dialog.getByRole("button", { name: "取消", exact: true }).click()
        await page.getByRole("button", { name: "取消授權", exact: true }).click()
        await dialog.getByText("US$20.00").first().waitFor()
        await dialog.getByRole("button", { name: "取消授權", exact: true }).click()
        await page.locator("h1 .state", { hasText: "已取消授權" }).waitFor()
      })
      assert.strictEqual((yield* at.order(trade_no))["status"], "canceled")
      assert.deepStrictEqual([...said, ...operator.said, ...viewer.said], [])
    })
  )
})
