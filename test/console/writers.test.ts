/** Lists of the console, written: their files, and acts on many of their rows. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { said as done } from "../kit/Merchant.ts"
import { executable, needsChromium } from "../kit/pages/Browser.ts"
import { desktop, drawn, openConsole } from "../kit/pages/consolePages.ts"

describe.skipIf(executable === undefined)(`files of the console${needsChromium}`, () => {
  it.live("have amounts as numbers beside their currency, debits too, and no text that a spreadsheet would run", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      yield* done(at.post("/v1/orders", { amount: 100_000_000, currency: "HKD", subject: "-2+3+cmd|' /C calc'!A0" }))
      const { trade_no } = yield* at.paid(10_000)
      yield* done(at.refund({ trade_no, amount: 123 }))
      yield* at.atRest
      const { go, page } = yield* at.enter("owner")
      const exported = Effect.fnUntraced(function* (path: string) {
        yield* go(path)
        yield* drawn(page)
        return yield* Effect.promise(async () => {
          await page.getByRole("button", { name: "Export", exact: true }).click()
          const saved = page.waitForEvent("download")
          await page.getByRole("button", { name: "Download file" }).click()
          return readFileSync(await (await saved).path(), "utf8").split("\r\n")
        })
      })
      const [header, , order] = yield* exported("/orders")
      assert.match(header!, /^\uFEFFAmount,Currency,Status,Subject,/)
      assert.match(order!, /^1000000\.00,HKD,pending,'-2\+3\+cmd\|/)
      const [titles, newest] = yield* exported("/ledger")
      assert.match(titles!, /^\uFEFFType,Amount,Currency,/)
      assert.match(newest!, /^[a-z_]+,-1\.23,USD,/)
    })
  )
})

describe.skipIf(executable === undefined)(`acts on many rows${needsChromium}`, () => {
  it.live("wait as the service says when its quota is used up, each under one key, and go on", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      // Fees are not given back, so another payment has to cover them.
      yield* at.paid(9_000)
      const carts = ["a", "b", "c"]
      for (const cart of carts) yield* at.paid(2_000, { out_trade_no: cart })
      const { go, page } = yield* at.enter("finance", desktop)
      yield* go("/orders")
      yield* drawn(page)
      const keys: Array<string | undefined> = []
      yield* Effect.promise(async () => {
        await page.route(/\/sandbox\/refunds$/, (route) => {
          keys.push(route.request().headers()["idempotency-key"])
          return keys.length > 4 ? route.continue() : route.fulfill(full)
        })
        for (const cart of carts)
          await page
            .getByRole("row", { name: new RegExp(` ${cart} `) })
            .getByRole("checkbox")
            .check()
        await page.getByText("Bulk actions").click()
        await page.locator(".popup").getByRole("button", { name: "Refund" }).click()
        await page.getByRole("button", { name: "Refund: 3" }).click()
        await page.getByText("Rate limit reached", { exact: false }).waitFor()
        await page.getByText("3 done, 0 failed, 0 remaining").waitFor()
      })
      assert.lengthOf(keys, 7)
      assert.strictEqual(new Set(keys).size, 3)
      assert.strictEqual((yield* at.order("a"))["status"], "refunded")
    })
  )

  it.live("need ticks or a filter, and beyond ten objects their count, typed", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      for (let order = 0; order < 11; order++) yield* done(at.post("/v1/orders", { amount: 1_000 + order }))
      const { go, page } = yield* at.enter("owner", desktop)
      yield* go("/orders")
      yield* drawn(page)
      yield* Effect.promise(async () => {
        await page.getByText("Bulk actions").click()
        const expire = page.locator(".popup").getByRole("button", { name: "Expire" })
        assert.isTrue(await expire.isDisabled())
        await page.goto(`${page.url()}?status=pending`)
        await page.getByText("Bulk actions").click()
        await expire.click()
        await page.getByRole("button", { name: "Expire: 11" }).click()
        assert.isFalse(
          await page.locator("dialog[open] form").evaluate((form: HTMLFormElement) => form.checkValidity())
        )
        await page.getByLabel("To confirm, type").fill("11")
        await page.getByRole("button", { name: "Expire: 11" }).click()
        await page.getByText("11 done, 0 failed, 0 remaining").waitFor()
      })
    })
  )
})

/** An answer of a quota that is used up. */
const full = {
  status: 429,
  contentType: "application/json",
  headers: { "retry-after": "1" },
  body: JSON.stringify({ code: 429, error: "rate_limited", message: "Too many.", request_id: "req_full" })
}
