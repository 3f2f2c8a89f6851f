/** Who, whose and what, in the words of people. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { said as done } from "../kit/Merchant.ts"
import { executable, needsChromium } from "../kit/pages/Browser.ts"
import { drawn, openConsole } from "../kit/pages/consolePages.ts"

const cells = (page: Page) => Effect.promise(() => page.locator("main tbody").innerText())

describe.skipIf(executable === undefined)(`names in the console${needsChromium}`, () => {
  it.live(
    "what the main key requested is said to be of the main key, and an operator reads whose erasure it is",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        yield* at.paid(2_500, { receipt_email: "ada@example.com" })
        yield* done(at.post("/v1/erasures", { email: "ada@example.com" }))
        yield* at.atRest
        const { name } = yield* done(at.api.operator("GET", `/merchants/${at.merchantId}`))
        const owner = yield* at.enter("owner")
        yield* owner.go("/buyers")
        yield* drawn(owner.page)
        assert.include(yield* cells(owner.page), "Main key")
        const operator = yield* at.enter("operator")
        yield* operator.go("/console/operator/buyers")
        yield* drawn(operator.page)
        yield* Effect.promise(() => operator.page.locator("main tbody").getByText(name).waitFor())
        assert.notInclude(yield* cells(operator.page), "main_key")
      }),
    120_000
  )

  it.live(
    "the hours of today begin with this one, and one refund is one",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        const { trade_no } = yield* at.paid(9_000)
        yield* done(at.refund({ trade_no, amount: 500 }))
        yield* at.atRest
        const { go, page } = yield* at.enter("owner")
        yield* go("")
        yield* drawn(page)
        yield* Effect.promise(async () => {
          await page.getByText("1 refund", { exact: true }).waitFor()
          await page.getByRole("button", { name: "Today", exact: true }).click()
          const hour = await page.evaluate(() => String(new Date().getUTCHours()).padStart(2, "0"))
          await page.locator(".reading strong").first().getByText(`${hour}:00`, { exact: true }).waitFor()
        })
      }),
    120_000
  )

  it.live(
    "another attempt of what was sent by hand is not said to have automatic ones",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        yield* done(at.post("/v1/webhook_endpoints", { url: `${at.origin}/hooks` }))
        yield* at.paid(2_500)
        yield* at.atRest
        const [delivery] = (yield* done(at.get("/v1/webhook_deliveries?limit=1")))["data"]
        const { go, page } = yield* at.enter("owner")
        for (const [resend_of, isAutomatic] of [
          [null, true],
          ["dlv_before", false]
        ] as const) {
          yield* Effect.promise(() =>
            page.route(/webhook_deliveries\/dlv_/, async (route) => {
              const answer = await route.fetch()
              const { data, ...others } = await answer.json()
              await route.fulfill({ json: { ...others, data: { ...data, status: "pending", resend_of } } })
            })
          )
          yield* go(`/deliveries/${delivery.id}`)
          yield* drawn(page)
          yield* Effect.promise(async () => {
            await page.getByRole("button", { name: "Send now" }).click()
            const says = await page.locator("dialog[open]").innerText()
            assert.strictEqual(says.includes("automatic attempts"), isAutomatic)
            await page.unroute(/webhook_deliveries\/dlv_/)
          })
        }
      }),
    120_000
  )

  it.live(
    "the channel's state of a dispute is in the reader's language, beside the channel's own word",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        const { trade_no } = yield* at.paid(9_000)
        const { dispute_no, processor_status } = yield* done(at.dispute(trade_no, {}))
        const { go, page } = yield* at.enter("owner", undefined, { locale: "zh-CN" })
        yield* go(`/disputes/${dispute_no}`)
        yield* drawn(page)
        const facts = yield* Effect.promise(() => page.locator("dl.facts").first().innerText())
        assert.include(facts, `待回应 ${processor_status}`)
      }),
    120_000
  )
})
