/** A shop's own host in a real browser, from the console to the receipt (docs/decisions/0201). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { NameServers } from "../../src/access/domains/lookUp.ts"
import { merchantOf } from "../kit/Merchant.ts"
import { executable, needsChromium, openPage } from "../kit/pages/Browser.ts"
import { openConsole } from "../kit/pages/consolePages.ts"
import { eventually } from "../kit/Process.ts"
import { nameServer } from "../kit/servers/NameServer.ts"

const host = "pay.bookshop.example"

describe.skipIf(executable === undefined)(`a shop's own host${needsChromium}`, () => {
  it.live("is set by an owner in the console; a buyer pays there by a link and reads the receipt there", () =>
    Effect.gen(function* () {
      const dns = yield* nameServer
      const at = yield* openConsole({
        env: { SHOP_DOMAINS_POINT_TO: "127.0.0.1" },
        beneath: Layer.succeed(NameServers, [dns.address])
      })
      const { go, page, said } = yield* at.enter("owner")
      yield* go("/settings")
      const card = page.locator("section.card").filter({ hasText: "Custom checkout domain" })
      yield* Effect.promise(async () => {
        await card.getByRole("button", { name: "Add domain" }).click()
        const dialog = page.locator("dialog[open]")
        await dialog.getByLabel("Domain").fill("bookshop.example")
        await dialog.getByRole("button", { name: "Add domain" }).click()
        await dialog.getByText("must have at least three parts").waitFor()
        await dialog.getByLabel("Domain").fill("Pay.Bookshop.example")
        await dialog.getByRole("button", { name: "Add domain" }).click()
        await card.getByText(`_coffer.${host}`).waitFor()
      })
      const value = yield* Effect.promise(() => card.getByText(/^coffer-domain=/).innerText())
      dns.zone.set(`_coffer.${host}`, { TXT: [value] })
      dns.zone.set(host, { A: ["127.0.0.1"] })
      yield* eventually(
        "the proof",
        Effect.promise(async () => {
          const now = card.getByRole("button", { name: "Check now" })
          if (await now.isEnabled()) await now.click()
          return card.getByText("Verified", { exact: true }).isVisible()
        })
      )
      assert.deepStrictEqual(said, [])

      const link = (yield* at.post("/v1/payment_links", { amount: 1_999, subject: "Two books" })).body.data
      const { port } = new URL(at.origin)
      const own = `http://${host}:${port}`
      assert.isTrue(link.url.startsWith(`${own}/pay/`), link.url)
      const buyer = yield* openPage(undefined, { locale: "en-GB" })
      yield* Effect.promise(async () => {
        await buyer.goto(link.url)
        await buyer.getByLabel("Card number").fill("4242 4242 4242 4242")
        await buyer.getByLabel("Expiry").fill("12 / 40")
        await buyer.getByLabel("Security code").fill("123")
        await buyer.getByRole("button", { name: /^Pay/ }).click()
        // The receipt opens in a tab of its own.
        const [receipt] = await Promise.all([
          buyer.waitForEvent("popup"),
          buyer.getByRole("link", { name: "View receipt" }).click()
        ])
        await receipt.getByText("US$19.99").first().waitFor()
        assert.isTrue(receipt.url().startsWith(`${own}/receipts/`), receipt.url())
      })

      const other = { api: at.api, merchant: yield* at.api.newMerchant() }
      const { checkout_url } = (yield* merchantOf(other).post("/v1/orders", { amount: 100 })).body.data
      const answer = yield* Effect.promise(() => buyer.goto(own + new URL(checkout_url).pathname))
      assert.strictEqual(answer?.status(), 404)
      const console_ = yield* Effect.promise(() => buyer.goto(`${own}/console/sign-in`))
      assert.strictEqual(console_?.status(), 404)
    }).pipe(Effect.scoped)
  )
})
