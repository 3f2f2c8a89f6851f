/** What a person sees who is invited, and has no role yet. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { invite, signIn } from "../kit/callers/console.ts"
import { said as done } from "../kit/Merchant.ts"
import { executable, needsChromium, openPage } from "../kit/pages/Browser.ts"
import { openConsole, phone } from "../kit/pages/consolePages.ts"

describe.skipIf(executable === undefined)(`invited people${needsChromium}`, () => {
  it.live(
    "a person who is invited by several merchants and has no role yet accepts one of them in the console",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        const other = yield* done(at.api.operator("POST", "/merchants", { name: "Second shop" }))
        const email = "grace@shop.example"
        for (const merchant_id of [at.merchantId, other["merchant_id"] as string])
          yield* invite(at.api, at.mails, { email, role: "owner", merchant_id })
        const { cookies } = yield* signIn(at.api, at.mails, email, at.origin)
        const page = yield* openPage(phone, { locale: "en-US" })
        const said: Array<string> = []
        page.on("pageerror", (error) => said.push(error.message))
        yield* Effect.promise(async () => {
          await page.context().addCookies(Array.from(cookies, ([name, value]) => ({ name, value, url: at.origin })))
          await page.goto(`${at.origin}/console`)
          await page.getByRole("heading", { name: "Welcome" }).waitFor()
          const offer = page
            .getByRole("listitem")
            .filter({ hasText: "The operators invite you to join as Owner at Second shop" })
          await offer.getByRole("button", { name: "Accept" }).click()
          await page.locator("dialog[open]").getByRole("button", { name: "Accept" }).click()
          await page.getByRole("heading", { name: "Home" }).waitFor()
        })
        assert.include(page.url(), other["merchant_id"])
        assert.deepStrictEqual(said, [])
      }),
    120_000
  )
})
