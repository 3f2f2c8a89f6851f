/**
 * The checkout page on a slow network, by the browser's own throttling. A buyer's wait is counted: requests and bytes
 * before the form can be used. The time is printed and not asserted, since it depends on the machine.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { executable, needsChromium } from "../kit/pages/Browser.ts"
import { fillCard, heading, openCheckout, phone, valueOf } from "../kit/pages/checkoutBrowser.ts"

/** As the browser's developer tools have them: bytes a second, and milliseconds that each request waits. */
const networks = {
  "3G": { downloadThroughput: 50_000, uploadThroughput: 50_000, latency: 2_000 },
  "fast 3G": { downloadThroughput: 180_000, uploadThroughput: 84_375, latency: 562.5 }
}

describe.skipIf(executable === undefined)(`checkout on a slow network${needsChromium}`, () => {
  it.live("can be used after one request and less than 30 kB, with the script at work, and is paid with another", () =>
    Effect.gen(function* () {
      const { page, status, url } = yield* openCheckout({}, phone, { hasTouch: true, isMobile: true })
      const cdp = yield* Effect.promise(() => page.context().newCDPSession(page))
      for (const [name, conditions] of Object.entries(networks)) {
        yield* Effect.promise(async () => {
          await page.goto("about:blank")
          await cdp.send("Network.enable")
          await cdp.send("Network.setCacheDisabled", { cacheDisabled: true })
          await cdp.send("Network.emulateNetworkConditions", { offline: false, ...conditions })
          let asked = 0
          page.on("request", () => asked++)
          await page.goto(url, { waitUntil: "domcontentloaded" })
          const { bytes, usable } = await page.evaluate(() => {
            const [entry] = performance.getEntriesByType("navigation") as Array<PerformanceNavigationTiming>
            return { bytes: entry!.transferSize, usable: entry!.domContentLoadedEventEnd }
          })
          page.removeAllListeners("request")
          // oxlint-disable-next-line no-console -- the figure is what this is for
          console.info(`${name}: usable after ${Math.round(usable)} ms, ${bytes} bytes, ${asked} request(s)`)
          // The script listens: a number is grouped.
          await page.locator("#number").pressSequentially("42424")
          assert.strictEqual(await valueOf(page, "number"), "4242 4")
          assert.isAtMost(bytes, 30_000, name)
          // The page itself, and the stream of events, which nothing waits for.
          assert.isAtMost(asked, 2, name)
        })
      }
      yield* Effect.promise(async () => {
        await fillCard(page)
        await page.locator('button[value="pay"]').click()
        await heading(page, "Payment successful")
      })
      assert.strictEqual(yield* status, "paid")
    })
  )
})
