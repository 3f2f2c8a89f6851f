/** What the pointer is on stays readable. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { executable, needsChromium } from "../kit/pages/Browser.ts"
import { drawn, openConsole } from "../kit/pages/consolePages.ts"

describe.skipIf(executable === undefined)(`under the pointer${needsChromium}`, () => {
  it.live("the button of the account keeps its colours", () =>
    Effect.gen(function* () {
      const at = yield* openConsole()
      const { go, page } = yield* at.enter("owner")
      yield* go("/orders")
      yield* drawn(page)
      yield* Effect.promise(async () => {
        const button = page.locator(".person > summary")
        const colours = () =>
          button.evaluate((it) => [getComputedStyle(it).backgroundColor, getComputedStyle(it).color])
        const before = await colours()
        await button.hover()
        assert.isTrue(await button.evaluate((it) => it.matches(":hover")))
        assert.deepStrictEqual(await colours(), before)
        assert.notStrictEqual(before[0], before[1])
      })
    })
  )
})
