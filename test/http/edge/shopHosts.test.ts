/** Requests that name a shop's own host: its pages are answered, and nothing else (docs/decisions/0201). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { at, begin, host, pathOf, set, verified } from "../../kit/callers/shopHosts.ts"
import { filePart, formOf, modePart, upload } from "../../kit/callers/uploads.ts"
import { merchantOf } from "../../kit/Merchant.ts"
import { png } from "../../kit/pages/png.ts"
import { eventually } from "../../kit/Process.ts"
import { cable } from "../../kit/servers/Cable.ts"
import { freshDatabase, type Running, withNewMerchant } from "../../kit/Service.ts"

const fileUrlOf = ({ baseUrl, merchant }: Pick<Running, "baseUrl" | "merchant">, content: Uint8Array) =>
  Effect.map(
    upload(baseUrl, merchant.merchantId, formOf(modePart("sandbox"), filePart(content))),
    ({ body }) => body.data.url as string
  )
describe("a shop's host", () => {
  it.effect(
    "serves the merchant's pages as PUBLIC_URL does, whose links hold for ever, and a language is changed there",
    () =>
      Effect.gen(function* () {
        const running = yield* begin()
        const { post } = merchantOf(running)
        const old = (yield* post("/v1/orders", { amount: 900, subject: "Two books" })).body.data
        yield* verified(running)
        const path = pathOf(old.checkout_url)
        for (const name of [host, "pay.coffer.example", "PAY.shop.example:443", "pay.shop.example."]) {
          const page = yield* at(name).ask(running, path)
          assert.deepStrictEqual([page.status, page.text.includes("Two books")], [200, true], name)
          assert.strictEqual(page.headers["cache-control"], "no-store")
        }
        assert.strictEqual((yield* at(host).ask(running, `${path}/events`)).text, "pending")
        // A form of that page leads to the same host again.
        const form = "step=pay&method=card&number=4242424242424242&expiry=12%2F40&cvc=123"
        const page = yield* at(host).ask(running, path)
        const [, attempt = ""] = /name="attempt_no" value="(\w+)"/.exec(page.text) ?? []
        const taken = yield* at(host, {}, "POST").ask(running, path, `${form}&attempt_no=${attempt}`)
        assert.strictEqual(taken.status, 303, taken.text)
        assert.isTrue(taken.headers["location"]!.startsWith(path))
        assert.notInclude(taken.headers["set-cookie"]!, "Domain")
        const link = (yield* post("/v1/payment_links", { amount: 500 })).body.data
        const visit = yield* at(host, { "User-Agent": "Mozilla/5.0", "Sec-Fetch-Mode": "navigate" }, "POST").ask(
          running,
          pathOf(link.url),
          "x=1"
        )
        assert.deepStrictEqual([visit.status, visit.headers["location"]?.startsWith("/checkout/")], [303, true])
      })
  )

  it.effect(
    "serves nothing else: no API, console, document, probe, page or file of another merchant, and does not tell",
    () =>
      Effect.gen(function* () {
        const running = yield* begin()
        const { api, merchant } = running
        yield* verified(running)
        const other = yield* withNewMerchant(running)
        const theirs = merchantOf(other)
        const order = yield* theirs.paid(900)
        const link = (yield* theirs.post("/v1/payment_links", { amount: 500 })).body.data
        const unknown = yield* at(host).ask(running, "/checkout/TRD_SB_nobody.1.x")
        const foreign = yield* at(host).ask(running, pathOf(order["checkout_url"]))
        assert.deepStrictEqual([foreign.status, unknown.status], [404, 404])
        const still = ({ text }: { readonly text: string }) => text.replaceAll(/name="attempt_no" value="\w+"/g, "")
        assert.strictEqual(still(foreign), still(unknown))
        for (const path of [order["receipt_url"], link.url].map(pathOf)) {
          const page = yield* at(host).ask(running, path)
          assert.notInclude(page.text, "Test merchant", path)
          assert.strictEqual(page.text.replaceAll(/mer_\w+/g, ""), page.text)
        }
        assert.strictEqual((yield* at(host).ask(running, `${pathOf(order["checkout_url"])}/events`)).status, 404)
        const keyed = { "X-Api-Key": merchant.sandboxKey }
        const bearer = { Authorization: `Bearer ${api.operatorToken}` }
        for (const [path, headers] of [
          ["/", {}],
          ["/v1/orders", keyed],
          ["/api/v1/balance", keyed],
          ["/v1/balance", keyed],
          ["/operator/v1/merchants", bearer],
          ["/console", {}],
          ["/console/", {}],
          ["/console/sign-in", {}],
          ["/console/api/session", {}],
          ["/docs", {}],
          ["/docs/", {}],
          ["/openapi.json", {}],
          ["/metrics", {}],
          ["/healthz", {}],
          ["/readyz", {}],
          [`/shop_domains/ask?domain=${host}`, {}],
          ["/leaked_keys", {}],
          ["/channels/stripe/x", {}]
        ] as const) {
          for (const method of ["GET", "POST"]) {
            const answer = yield* at(host, headers, method).ask(running, path)
            assert.deepStrictEqual([answer.status, answer.headers["allow"]], [404, undefined], `${method} ${path}`)
          }
        }
      })
  )

  it.effect("sends the logo of the shop, and no other file", () =>
    Effect.gen(function* () {
      const running = yield* begin()
      const { api, merchant } = running
      yield* verified(running)
      const [logo, other] = [yield* fileUrlOf(running, png(8, 8)), yield* fileUrlOf(running, png(9, 9))]
      yield* api.operator("POST", `/merchants/${merchant.merchantId}`, { logo_url: logo })
      assert.strictEqual((yield* at(host).ask(running, pathOf(logo))).status, 200)
      assert.strictEqual((yield* at(host).ask(running, pathOf(other))).status, 404)
      assert.strictEqual((yield* at("pay.coffer.example").ask(running, pathOf(other))).status, 200)
    })
  )

  it.effect(
    "is named by a proxy of ours alone in X-Forwarded-Host, and a request that names a shop anywhere is bound to it",
    () =>
      Effect.gen(function* () {
        for (const [proxies, expected] of [
          ["127.0.0.1", 404],
          ["192.0.2.1", 200]
        ] as const) {
          const running = yield* begin({ env: { TRUSTED_PROXIES: proxies } })
          yield* verified(running)
          const key = { "X-Api-Key": running.merchant.sandboxKey }
          const forwarded = { ...key, "X-Forwarded-Host": `elsewhere.example, ${host}` }
          assert.strictEqual((yield* at("pay.coffer.example", forwarded).ask(running, "/v1/balance")).status, expected)
          // A host in the head is not taken back by what a client writes beside it.
          const both = { ...key, "X-Forwarded-Host": "pay.coffer.example" }
          assert.strictEqual((yield* at(host, both).ask(running, "/v1/balance")).status, 404)
          const whole = "http://pay.coffer.example/v1/balance"
          assert.strictEqual((yield* at(host, key).ask(running, whole)).status, 404)
          assert.strictEqual(
            (yield* at("pay.coffer.example", key).ask(running, `http://${host}/v1/balance`)).status,
            404
          )
        }
      }).pipe(Effect.scoped)
  )
})

describe("while Postgres is away, a shop's host", () => {
  it.live(
    "is still the shop's alone: its pages say to come again, all else is 404, and its proxy keeps its certificate",
    () =>
      Effect.gen(function* () {
        const wire = yield* cable(yield* freshDatabase)
        const running = yield* begin({ database: wire.url })
        yield* verified(running)
        const { checkout_url } = (yield* merchantOf(running).post("/v1/orders", { amount: 900 })).body.data
        const key = { "X-Api-Key": running.merchant.sandboxKey }
        wire.cut()
        const page = yield* at(host).ask(running, pathOf(checkout_url))
        assert.deepStrictEqual([page.status, page.headers["retry-after"] === undefined], [503, false], page.text)
        assert.strictEqual((yield* at(host, key).ask(running, "/v1/balance")).status, 404)
        assert.strictEqual((yield* at(host).ask(running, "/console/sign-in")).status, 404)
        assert.strictEqual((yield* running.api.get(`/shop_domains/ask?domain=${host}`)).status, 200)
        wire.heal()
        yield* eventually(
          "the page to be back",
          Effect.map(at(host).ask(running, pathOf(checkout_url)), ({ status }) => status === 200)
        )
      }).pipe(Effect.scoped)
  )
})

describe("/shop_domains/ask", () => {
  it.effect("says 200 for verified hosts and 404 for all others", () =>
    Effect.gen(function* () {
      const running = yield* begin()
      const { api } = running
      yield* verified(running)
      yield* set(yield* withNewMerchant(running), "pay.other.example")
      for (const [query, status] of [
        [`?domain=${host}`, 200],
        [`?domain=PAY.shop.example`, 200],
        ["?domain=pay.other.example", 404],
        ["?domain=pay.coffer.example", 404],
        [`?domain=${host}&domain=${host}`, 404],
        [`?domain=a.${host}`, 404],
        ["?domain=", 404],
        ["", 404],
        ["?domain=%ff", 404]
      ] as const) {
        assert.strictEqual((yield* api.get(`/shop_domains/ask${query}`)).status, status, query)
      }
    })
  )
})
