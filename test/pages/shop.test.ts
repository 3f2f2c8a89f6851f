/** The example shop in a browser: cart, checkout, webhook, the page of the order, a refund, and the books. */
import type { AddressInfo } from "node:net"
import { createAdaptorServer } from "@hono/node-server"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeShop } from "../../examples/shop/src/shop.ts"
import { clientOf } from "../kit/callers/sdk.ts"
import { needsChromium, openPage } from "../kit/pages/Browser.ts"
import { fillCard } from "../kit/pages/checkoutBrowser.ts"
import { freePort, start } from "../kit/Service.ts"

describe.skipIf(needsChromium !== "")(`the example shop${needsChromium}`, () => {
  it.live("sells from the cart to the paid order, gives back, and its books agree with the ledger", () =>
    Effect.gen(function* () {
      const running = yield* start({ env: { ALLOW_PRIVATE_WEBHOOKS: "true" } })
      const coffer = clientOf(running)
      const port = yield* freePort
      const home = `http://127.0.0.1:${port}`
      const secret = yield* Effect.promise(async () => {
        // Fees stay with the bank, so a whole refund takes a little of what other sales have brought.
        const { trade_no } = await coffer.orders.create({ amount: 5_000 })
        await coffer.testHelpers.orders.pay(trade_no)
        return (await coffer.webhookSigningSecret.get()).secret
      })
      const { app, sales } = makeShop({ coffer, home, secret })
      const server = createAdaptorServer({ fetch: app.fetch })
      yield* Effect.acquireRelease(
        Effect.callback<AddressInfo>((resume) => {
          server.listen(port, "127.0.0.1", () => resume(Effect.succeed(server.address() as AddressInfo)))
        }),
        () => Effect.sync(() => void server.close())
      )

      const page = yield* openPage()
      const heading = (name: string) => page.getByRole("heading", { name }).waitFor()
      yield* Effect.promise(async () => {
        await page.goto(home)
        await page.getByLabel("Moby Dick").fill("1")
        await page.getByLabel("Walden").fill("2")
        await page.getByLabel("Receipt to").fill("ada@example.com")
        await page.getByRole("button", { name: "Check out" }).click()
        await page.waitForURL(/\/checkout\//)
        await fillCard(page)
        await page.locator('button[value="pay"]').click()
        await page.waitForURL(`${home}/orders/*`, { timeout: 120_000 })
        await heading("Thank you")
      })
      yield* running.atRest
      const [sale] = sales.values()
      assert.deepInclude(sale, { amount: 3797, status: "paid", refunded: 0 })

      yield* Effect.promise(async () => {
        await page.goto(`${home}/books`)
        await heading("The books agree")
        await page.getByText("$37.97").first().waitFor()
        await page.goBack()
        await page.getByRole("button", { name: "Give it back" }).click()
      })
      yield* running.atRest
      yield* Effect.promise(async () => {
        await page.reload()
        await page.getByText("$37.97 went back to you.").waitFor()
        await page.getByRole("link", { name: "Accounts" }).click()
        await heading("The books agree")
      })
      assert.strictEqual(sale!.refunded, 3797)
      const forged = yield* Effect.promise(() => fetch(`${home}/hook`, { method: "POST", body: "{}" }))
      assert.strictEqual(forged.status, 400)
    }).pipe(Effect.scoped)
  )
})
