/** Pages for people, with an extra slash at the end of the address (silences: G15). */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { assertRefused } from "../../kit/Merchant.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/pagesWithSlash") {}

layer(Layer.effect(Service, start()), { excludeTestServices: true })("an address with slashes at its end", (it) => {
  it.effect("leads people to the page, for each of their pages", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const { url } = (yield* api.post("/v1/payment_links", merchant.sandboxKey, { amount: 100 })).body.data
      const order = (yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 100 })).body.data
      yield* api.post(`/v1/test_helpers/orders/${order.trade_no}/pay`, merchant.sandboxKey)
      const paid = (yield* api.get(`/v1/orders/${order.trade_no}`, merchant.sandboxKey)).body.data
      const pages = [url, order.checkout_url, paid.receipt_url].map((address) => new URL(address).pathname)
      for (const page of [...pages, "/docs", "/pay/none", "/checkout/none", "/receipts/none"]) {
        for (const slashes of ["/", "//", "/".repeat(5_000)]) {
          const reply = yield* api.get(`${page}${slashes}?lang=zh`)
          assert.deepStrictEqual([reply.status, reply.headers.get("location")], [308, `${page}?lang=zh`])
          assert.strictEqual(reply.headers.get("cache-control"), "no-store")
        }
        assert.strictEqual((yield* api.call("HEAD", `${page}/`)).headers.get("location"), page)
      }
      assert.strictEqual((yield* api.get(pages[0]!)).status, 303)
    })
  )

  it.effect("is no address of an API, of a probe or of another host", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      for (const path of [
        "/v1/orders/",
        "/healthz/",
        "/metrics/",
        "/pay/",
        "//pay/x/",
        "//evil.example/",
        "/pay/a/b/"
      ]) {
        assertRefused(yield* api.get(path, merchant.sandboxKey), 404, "route_not_found")
      }
      assertRefused(yield* api.post("/pay/x/", undefined), 404, "route_not_found")
    })
  )
})
