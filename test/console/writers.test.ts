/** What the console writes: files of its lists. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { said as done } from "../kit/Merchant.ts"
import { executable, needsChromium } from "../kit/pages/Browser.ts"
import { drawn, openConsole } from "../kit/pages/consolePages.ts"

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
          await page.getByRole("button", { name: "Save the file" }).click()
          return readFileSync(await (await saved).path(), "utf8").split("\r\n")
        })
      })
      const [header, , order] = yield* exported("/orders")
      assert.match(header!, /^\uFEFFAmount,Currency,Status,Subject,/)
      assert.match(order!, /^1000000\.00,HKD,pending,'-2\+3\+cmd\|/)
      const [titles, newest] = yield* exported("/ledger")
      assert.match(titles!, /^\uFEFFMovement,Amount,Currency,/)
      assert.match(newest!, /^[a-z_]+,-1\.23,USD,/)
    })
  )
})
