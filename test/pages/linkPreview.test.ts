/** A person who is taken for a program at a payment link, in a real browser (silences: L4). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { executable, needsChromium, openPage } from "../kit/pages/Browser.ts"
import { start } from "../kit/Service.ts"
import { previewers } from "../http/links/agents.ts"

const userAgent = previewers["Google on a phone"]!

describe.skipIf(executable === undefined)(`the page of a payment link${needsChromium}`, () => {
  for (const javaScriptEnabled of [true, false]) {
    for (const [locale, label, heading] of [
      ["en-GB", "Go to checkout", "Payment method"],
      ["zh-CN", "前往付款", "付款方式"]
    ] as const) {
      it.live(
        `leads to one checkout by a double click, in ${locale}, ${javaScriptEnabled ? "with" : "without"} scripts`,
        () =>
          Effect.gen(function* () {
            const { api, merchant } = yield* start()
            const terms = { amount: 1_999, subject: "Two books 两本书", max_uses: 1 }
            const link = (yield* api.post("/v1/payment_links", merchant.sandboxKey, terms)).body.data
            const page = yield* openPage(undefined, { javaScriptEnabled, locale, userAgent })
            yield* Effect.promise(async () => {
              await page.goto(link.url)
              await page.getByRole("button", { name: label }).dblclick()
              await page.getByText(heading, { exact: true }).waitFor()
              assert.match(page.url(), /\/checkout\//)
            })
            const { used_count } = (yield* api.get(`/v1/payment_links/${link.link_id}`, merchant.sandboxKey)).body.data
            assert.strictEqual(used_count, 1)
          })
      )
    }
  }
})
