/** Acts that need a session of the last minutes. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { tooOld } from "../../src/shared/http/granting.ts"
import { executable, needsChromium } from "../kit/pages/Browser.ts"
import { drawn, openConsole } from "../kit/pages/consolePages.ts"

describe.skipIf(executable === undefined)(`acts that need a new session${needsChromium}`, () => {
  it.live(
    "say so, lead to another sign-in beside what is typed, and do not blame the role",
    () =>
      Effect.gen(function* () {
        const at = yield* openConsole()
        const { go, page } = yield* at.enter("owner")
        yield* go("/people")
        yield* drawn(page)
        yield* Effect.promise(async () => {
          await page.route("**/console/api/**", (route) =>
            route.request().method() === "GET"
              ? route.continue()
              : route.fulfill({
                  status: 403,
                  json: { code: 403, error: "forbidden", message: tooOld, request_id: "req_1" }
                })
          )
          await page.getByRole("button", { name: "Invite member" }).click()
          const dialog = page.locator("dialog[open]")
          await dialog.getByLabel("Email address").fill("new@shop.example")
          await dialog.getByRole("button", { name: "Invite member" }).click()
          const opened = page.context().waitForEvent("page")
          await dialog.getByRole("link", { name: "Sign in again" }).click()
          await (await opened).getByLabel("Email address").waitFor()
          assert.notInclude(await dialog.getByRole("alert").innerText(), "role")
          assert.strictEqual(await dialog.getByLabel("Email address").inputValue(), "new@shop.example")
        })
      }),
    120_000
  )
})
