/** Visits to payment links, as browsers and programs make them (spec: Payment link; silences: L4 to L8). */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Reply } from "../../kit/Api.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/linkVisits") {}

/** Who visits is said by the header, so that a test can be many visitors. */
const running = start({ env: { TRUSTED_PROXIES: "127.0.0.1" } })

let lastVisitor = 0
const newVisitor = () => {
  lastVisitor += 1
  return `198.51.${lastVisitor >> 8}.${lastVisitor & 255}`
}

interface Visit {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly visitor?: string
}

const lookingAhead: ReadonlyArray<readonly [string, Visit]> = [
  ["HEAD", { method: "HEAD" }],
  ["a browser that prefetches", { headers: { "Sec-Purpose": "prefetch" } }],
  ["a browser that prerenders", { headers: { "Sec-Purpose": "prefetch;prerender" } }],
  ["a browser that prefetches in the old way", { headers: { Purpose: "prefetch" } }],
  ...[
    "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
    "Twitterbot/1.0",
    "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
    "WhatsApp/2.23.20.0 A",
    "TelegramBot (like TwitterBot)",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)"
  ].map((agent) => [agent.slice(0, 40), { headers: { "User-Agent": agent } }] as const)
]

const people: ReadonlyArray<readonly [string, string]> = [
  [
    "Safari on a phone",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Safari/604.1"
  ],
  ["WeChat's browser", "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/130.0 Mobile MicroMessenger/8.0.50"],
  ["a browser without a name", ""]
]

layer(Layer.effect(Service, running), { excludeTestServices: true })("a visit to a payment link", (it) => {
  const create = Effect.fnUntraced(function* (body: object = {}) {
    const { api, merchant } = yield* Service
    const { body: made } = yield* api.post("/v1/payment_links", merchant.sandboxKey, { amount: 100, ...body })
    return { ...made.data, path: new URL(made.data.url).pathname }
  })
  const visit = Effect.fnUntraced(function* (
    { path }: { readonly path: string },
    { headers = {}, method = "GET", visitor = newVisitor() }: Visit = {}
  ) {
    const { api } = yield* Service
    return yield* api.call(method, path, { headers: { "X-Forwarded-For": visitor, ...headers } })
  })
  const read = Effect.fnUntraced(function* ({ link_id }: { readonly link_id: string }) {
    const { api, merchant } = yield* Service
    return (yield* api.get(`/v1/payment_links/${link_id}`, merchant.sandboxKey)).body.data
  })
  const ordersOf = Effect.fnUntraced(function* ({ link_id }: { readonly link_id: string }) {
    const { api, merchant } = yield* Service
    const reply = yield* api.get(`/v1/orders?limit=100&metadata[svc_payment_link]=${link_id}`, merchant.sandboxKey)
    return reply.body.data.data
  })
  const assertPage = (reply: Reply, text: string, status = 200) => {
    assert.strictEqual(reply.status, status, reply.text)
    assert.strictEqual(reply.headers.get("content-type"), "text/html; charset=utf-8")
    assert.strictEqual(reply.headers.get("x-robots-tag"), "noindex")
    assert.include(reply.text, text)
  }

  it.effect("makes an order with the link's terms, and leads to its checkout", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const terms = { notify_url: "http://shop.example/hook", return_url: "http://shop.example/thanks" }
      const link = yield* create({ ...terms, subject: "Tea", currency: "HKD", metadata: { shelf: "A7" } })
      const reply = yield* visit(link)
      assert.strictEqual(reply.status, 303)
      assert.strictEqual(reply.headers.get("cache-control"), "no-store")
      const [order] = yield* ordersOf(link)
      assert.strictEqual(reply.headers.get("location"), new URL(order.checkout_url).pathname)
      assertPage(yield* api.get(reply.headers.get("location")!), "Tea")
      const { amount, currency, metadata, notify_url, out_trade_no, return_url, status, subject } = order
      assert.deepStrictEqual(
        { amount, currency, metadata, notify_url, out_trade_no, return_url, status, subject },
        {
          ...terms,
          amount: 100,
          currency: "HKD",
          metadata: { shelf: "A7", svc_payment_link: link.link_id },
          out_trade_no: `${link.link_id}_1`,
          status: "pending",
          subject: "Tea"
        }
      )
    })
  )

  it.effect("200 at once to a link with max_uses 30 make exactly 30 orders, numbered 1 to 30", () =>
    Effect.gen(function* () {
      const link = yield* create({ max_uses: 30 })
      const visits = Array.from({ length: 200 }, () => visit(link))
      const replies = yield* Effect.all(visits, { concurrency: "unbounded" })
      assert.lengthOf(
        replies.filter(({ status }) => status === 303),
        30
      )
      for (const reply of replies.filter(({ status }) => status !== 303)) assertPage(reply, "used up")
      const numbers = (yield* ordersOf(link)).map(({ out_trade_no }: { out_trade_no: string }) => out_trade_no)
      assert.sameMembers(
        numbers,
        Array.from({ length: 30 }, (_, index) => `${link.link_id}_${index + 1}`)
      )
      assert.strictEqual((yield* read(link)).used_count, 30)
    })
  )

  for (const [what, how] of lookingAhead) {
    it.effect(`by ${what} gets a page, and makes no order`, () =>
      Effect.gen(function* () {
        const link = yield* create({ subject: "Tea" })
        const reply = yield* visit(link, how)
        if (how.method === "HEAD") assert.strictEqual(reply.status, 200)
        else assertPage(reply, "Tea")
        assert.strictEqual((yield* read(link)).used_count, 0)
      })
    )
  }

  for (const [what, agent] of people) {
    it.effect(`by ${what} makes an order`, () =>
      Effect.gen(function* () {
        const link = yield* create()
        assert.strictEqual((yield* visit(link, { headers: { "User-Agent": agent } })).status, 303)
      })
    )
  }

  it.effect("to a link that is closed, expired, or not there gets a page that says so", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const close = Effect.fnUntraced(function* (body: object) {
        const link = yield* create()
        yield* api.post(`/v1/payment_links/${link.link_id}`, merchant.sandboxKey, body)
        return yield* visit(link)
      })
      assertPage(yield* close({ status: "inactive" }), "This payment link is closed")
      assertPage(yield* close({ expires_at: "2020-01-01T00:00:00Z" }), "This payment link has expired")
      for (const name of ["plink_x", "%00", `plink_${"0".repeat(26)}`, "%3Cscript%3E"]) {
        assertPage(yield* visit({ path: `/pay/${name}` }), "There is no such payment link")
      }
    })
  )

  it.effect("of a live link whose currency was disabled since gets a page, and makes no order", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const { liveKey, merchantId } = yield* api.newMerchant()
      yield* api.operator("POST", `/merchants/${merchantId}`, { approved: true, live_currencies: ["USD"] })
      const terms = { amount: 100, notify_url: "https://shop.example/hook" }
      const { url } = (yield* api.post("/v1/payment_links", liveKey, terms)).body.data
      yield* api.operator("POST", `/merchants/${merchantId}`, { live_currencies: [] })
      assertPage(yield* visit({ path: new URL(url).pathname }), "takes no payments now")
    })
  )

  it.effect("is the 21st of one visitor within a minute: 429 with Retry-After; others still get in", () =>
    Effect.gen(function* () {
      const link = yield* create()
      const visitor = newVisitor()
      for (let count = 0; count < 20; count++) assert.strictEqual((yield* visit(link, { visitor })).status, 303)
      const refused = yield* visit(link, { visitor })
      assertPage(refused, "Too many visits", 429)
      assert.match(refused.headers.get("retry-after")!, /^([1-9]|[1-5]\d|60)$/)
      assert.strictEqual((yield* visit(link)).status, 303)
      assert.strictEqual((yield* read(link)).used_count, 21)
    })
  )

  it.effect("counts as no write of the merchant", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const { merchantId, sandboxKey } = yield* api.newMerchant()
      yield* api.operator("POST", `/merchants/${merchantId}`, { quotas: { writes: 1 } })
      const { url } = (yield* api.post("/v1/payment_links", sandboxKey, { amount: 100 })).body.data
      assert.strictEqual((yield* visit({ path: new URL(url).pathname })).status, 303)
    })
  )
})
