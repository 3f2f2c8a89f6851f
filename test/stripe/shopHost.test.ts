/** A shop's own host and Stripe (docs/decisions/0201): live links begin with it, and Stripe leads buyers back to it. */
import { accountOf } from "@coffer/simulator/start"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { NameServers } from "../../src/access/domains/lookUp.ts"
import { at, host, pathOf, target, verified } from "../kit/callers/shopHosts.ts"
import { merchantOf, said } from "../kit/Merchant.ts"
import { nameServer } from "../kit/servers/NameServer.ts"
import { connectedAs, leadsTo, quick, worlds } from "./kit.ts"

const key = "sk_live_ofTheTests"
const form = "step=pay&method=card"

describe("a live order at a shop's own host", () => {
  it.live("is paid at Stripe, which leads the buyer back to the host, where the page says that it is paid", () =>
    Effect.gen(function* () {
      const dns = yield* nameServer
      dns.zone.set(target, { A: ["203.0.113.7"] })
      const world = yield* worlds({
        env: { SHOP_DOMAINS_POINT_TO: target },
        beneath: Layer.merge(quick, Layer.succeed(NameServers, [dns.address]))
      })
      const { api, control, merchant, simulator } = world
      const approval = {
        approved: true,
        live_currencies: ["USD"],
        live: { default_notify_url: "https://shop.example/n" }
      }
      yield* said(api.operator("POST", `/merchants/${merchant.merchantId}`, approval))
      yield* connectedAs(world, merchant, key, { mode: "live" })
      yield* verified({ ...world, dns })
      const shop = merchantOf(world, merchant.liveKey)
      const own = (url: string) => assert.strictEqual(new URL(url).hostname, host, url)

      // By a link, whose visit makes the order.
      const link = yield* said(shop.post("/v1/payment_links", { amount: 2_000, subject: "Tea" }))
      own(link["url"])
      const browser = { "User-Agent": "Mozilla/5.0", "Sec-Fetch-Mode": "navigate" }
      const visit = yield* at(host, browser, "POST").ask(world, pathOf(link["url"]), "x=1")
      assert.strictEqual(visit.status, 303, visit.text)
      const byLink = visit.headers["location"]!
      const direct = yield* said(shop.post("/v1/orders", { amount: 2_000, subject: "Tea" }))
      own(direct["checkout_url"])

      for (const path of [byLink, pathOf(direct["checkout_url"])]) {
        const chosen = yield* at(host, {}, "POST").ask(world, path, form)
        const session = simulator.all("checkout.session", accountOf(key)).at(-1)!
        assert.include(chosen.text, session.url!.replaceAll("&", "&amp;"))
        for (const url of [session.success_url!, session.cancel_url!]) own(url)
        yield* control.pay({ session: session.id })
        // The buyer is back before Stripe reports: the page asks.
        const { pathname, search } = new URL(session.success_url!)
        const back = yield* at(host).ask(world, pathname + search)
        assert.deepStrictEqual([back.status, back.text.includes("Payment successful")], [200, true], back.text)
        assert.isUndefined(leadsTo({ text: back.text } as never))
      }
      const orders = (yield* shop.get("/v1/orders")).body.data.data as ReadonlyArray<Record<string, string>>
      assert.deepStrictEqual(
        orders.map(({ status }) => status),
        ["paid", "paid"]
      )
      for (const { receipt_url } of orders) own(receipt_url!)
    }).pipe(Effect.scoped)
  )
})
