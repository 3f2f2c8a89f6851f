/** What has to be seen whole: amounts, names of events and objects beside an act. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { executable, needsChromium } from "../kit/pages/Browser.ts"
import { desktop, drawn, openConsole, phone } from "../kit/pages/consolePages.ts"
import { said as done } from "../kit/Merchant.ts"

/** Runs in the page: what stands out of its tile, its card or its cell. */
const cutOff = () =>
  Array.from(document.querySelectorAll<HTMLElement>(".tile .figure, .tile .amount, .cards td.in-lead :is(a, .amount)"))
    .filter((element) => element.checkVisibility())
    .filter((element) => {
      const right = Math.max(element.getBoundingClientRect().right, element.getBoundingClientRect().left)
      const cell = element.closest<HTMLElement>("td") ?? element.closest<HTMLElement>(".tile")!
      return right > cell.getBoundingClientRect().right + 1 || element.scrollWidth > element.clientWidth + 1
    })
    .filter((element) => getComputedStyle(element).display !== "inline" || element.matches(".amount"))
    .map(({ textContent }) => textContent)

describe.skipIf(executable === undefined)(`what is seen whole${needsChromium}`, () => {
  it.live(
    "on a phone, millions of a currency are whole on the first page, in the ledger and in a list",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        for (const currency of ["HKD", "USD"]) yield* at.paid(99_999_999, { currency })
        yield* at.atRest
        const { go, page } = yield* at.enter("owner", phone)
        for (const path of ["", "/ledger", "/orders"]) {
          yield* go(path)
          yield* drawn(page)
          yield* Effect.promise(async () => {
            await page.getByText("999,999.99").first().waitFor()
            assert.deepStrictEqual(await page.evaluate(cutOff), [], path)
          })
        }
      }),
    120_000
  )

  it.live(
    "the audit log shows the object below the act, on a page that is opened first",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        yield* at.paid(40_000)
        const payout = yield* done(
          at.api.operator("POST", `/merchants/${at.merchantId}/payouts`, {
            mode: "sandbox",
            currency: "USD",
            amount: 2_500
          })
        )
        yield* done(at.api.operator("POST", `/payouts/${payout["payout_no"]}/approve`))
        const { go, page } = yield* at.enter("owner")
        yield* go("/audit")
        for (const size of [desktop, phone]) {
          yield* Effect.promise(() => page.setViewportSize(size))
          yield* drawn(page)
          yield* Effect.promise(async () => {
            const object = page.locator("main td").getByText(payout["payout_no"]).first()
            assert.strictEqual(await object.evaluate((element) => getComputedStyle(element).display), "block")
          })
        }
      }),
    120_000
  )
})
