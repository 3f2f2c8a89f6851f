/** Visits to payment links, as browsers and programs make them (spec: Payment link; silences: L4 to L8). */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Reply } from "../../kit/Api.ts"
import { type Running, start } from "../../kit/Service.ts"
import { people, previewers } from "./agents.ts"

class Service extends Context.Service<Service, Running>()("test/linkVisits") {}

/** The header names the visitor, so that a test can be many visitors. */
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
  ["an old Firefox that prefetches", { headers: { "X-Moz": "prefetch" } }],
  ["a page that loads it as a picture", { headers: { "Sec-Fetch-Dest": "image" } }],
  ["a page that shows it in a frame", { headers: { "Sec-Fetch-Dest": "iframe" } }],
  ...Object.entries(previewers).map(([name, agent]) => [name, { headers: { "User-Agent": agent } }] as const)
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
  it.effect("in the same browser leads to its unpaid order again, and uses the link up once", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const [link, other] = [yield* create({ max_uses: 3 }), yield* create()]
      const first = yield* visit(link)
      const cookie = first.headers.get("set-cookie")!
      assert.match(cookie, /^coffer_plink_\w+=TRD_SB_[\w.-]+; Max-Age=86400; HttpOnly; SameSite=Lax$/)
      const headers = { Cookie: cookie.split(";")[0]! }
      const again = yield* visit(link, { headers })
      assert.deepStrictEqual([again.status, again.headers.get("location")], [303, first.headers.get("location")])
      assert.notStrictEqual((yield* visit(other, { headers })).headers.get("location"), first.headers.get("location"))
      assert.strictEqual((yield* read(link)).used_count, 1)
      const [order] = yield* ordersOf(link)
      yield* api.post(`/v1/test_helpers/orders/${order.trade_no}/pay`, merchant.sandboxKey, {})
      const next = yield* visit(link, { headers })
      assert.notStrictEqual(next.headers.get("location"), first.headers.get("location"))
      assert.strictEqual((yield* read(link)).used_count, 2)
      const forged = { Cookie: `coffer_${link.link_id}=${order.trade_no}.1.x` }
      assert.notStrictEqual((yield* visit(link, { headers: forged })).headers.get("location"), null)
      assert.strictEqual((yield* read(link)).used_count, 3)
    })
  )

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

  it.effect("200, a hundred at once, to a link with max_uses 30 make exactly 30 orders, numbered 1 to 30", () =>
    Effect.gen(function* () {
      const link = yield* create({ max_uses: 30 })
      const visits = Array.from({ length: 200 }, () => visit(link))
      const replies = yield* Effect.all(visits, { concurrency: 100 })
      assert.lengthOf(
        replies.filter(({ status }) => status === 303),
        30
      )
      for (const reply of replies.filter(({ status }) => status !== 303)) assertPage(reply, "has already been used")
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

  for (const [what, agent] of Object.entries(people)) {
    it.effect(`by ${what} makes an order`, () =>
      Effect.gen(function* () {
        const link = yield* create()
        assert.strictEqual((yield* visit(link, { headers: { "User-Agent": agent } })).status, 303)
      })
    )
  }

  const pressed = Effect.fnUntraced(function* (
    { path }: { readonly path: string },
    visitNo: string,
    { headers = {}, visitor = newVisitor() }: Visit = {}
  ) {
    const { api } = yield* Service
    const form = { "Content-Type": "application/x-www-form-urlencoded", "X-Forwarded-For": visitor }
    return yield* api.call("POST", path, { raw: `visit_no=${visitNo}`, headers: { ...form, ...headers } })
  })
  /** The number in the button's form of the page that a program gets. */
  const numberIn = ({ text }: Reply) => {
    assert.match(text, /<form [^>]*method="post"/)
    return /name="visit_no" value="(\w+)"/.exec(text)![1]!
  }
  const asProgram = { headers: { "User-Agent": previewers["X"]! } }

  it.effect("by the button of the page that a program gets makes an order, whoever presses it", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const link = yield* create({ subject: "Tea" })
      for (const headers of [asProgram.headers, { "User-Agent": people["Safari on a phone"]! }]) {
        const reply = yield* pressed(link, numberIn(yield* visit(link, asProgram)), { headers })
        assert.strictEqual(reply.status, 303)
        assertPage(yield* api.get(reply.headers.get("location")!), "Tea")
      }
      assert.strictEqual((yield* read(link)).used_count, 2)
      const inChinese = yield* visit({ path: `${link.path}?lang=zh` }, asProgram)
      assertPage(inChinese, "前往付款")
      const chinese = yield* pressed({ path: `${link.path}?lang=zh` }, numberIn(inChinese))
      assert.match(chinese.headers.get("location")!, /\?lang=zh$/)
    })
  )

  it.effect("by a button that is pressed five times at once and once more makes one order, also the link's last", () =>
    Effect.gen(function* () {
      const link = yield* create({ max_uses: 1 })
      const number = numberIn(yield* visit(link, asProgram))
      const visitor = newVisitor()
      const presses = Array.from({ length: 5 }, () => pressed(link, number, { visitor }))
      const replies = yield* Effect.all(presses, { concurrency: "unbounded" })
      for (let again = 0; again < 30; again++) replies.push(yield* pressed(link, number, { visitor }))
      assert.deepStrictEqual([...new Set(replies.map(({ status }) => status))], [303])
      assert.lengthOf([...new Set(replies.map(({ headers }) => headers.get("location")))], 1)
      assert.lengthOf(yield* ordersOf(link), 1)
      assertPage(yield* pressed(link, "0".repeat(26)), "has already been used")
    })
  )

  it.effect("by a form without a number, or with anything else, makes an order all the same", () =>
    Effect.gen(function* () {
      const link = yield* create()
      for (const number of ["", "x", "0".repeat(25), "%FF", "a&visit_no=b", "x".repeat(5_000)]) {
        assert.strictEqual((yield* pressed(link, number)).status, 303, number)
      }
      assert.strictEqual((yield* read(link)).used_count, 6)
    })
  )

  it.effect("by a button counts to the visitor's twenty, and its page leads on with the same number", () =>
    Effect.gen(function* () {
      const link = yield* create()
      const visitor = newVisitor()
      for (let count = 0; count < 20; count++) {
        yield* visit(link, { ...asProgram, visitor })
        yield* visit(link, { visitor })
      }
      const number = numberIn(yield* visit(link, asProgram))
      const refused = yield* pressed(link, number, { visitor })
      assertPage(refused, "Too many visits", 429)
      assert.strictEqual(numberIn(refused), number)
      assert.strictEqual((yield* pressed(link, number)).status, 303)
    })
  )

  it.effect("by a program finds a link that is closed, and no button", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const link = yield* create()
      yield* api.post(`/v1/payment_links/${link.link_id}`, merchant.sandboxKey, { status: "inactive" })
      const reply = yield* visit(link, asProgram)
      assertPage(reply, "This payment link is closed")
      assert.notInclude(reply.text, "<form")
    })
  )

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
        assertPage(yield* visit({ path: `/pay/${name}` }), "This payment link does not exist")
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
      assertPage(yield* visit({ path: new URL(url).pathname }), "take payments right now")
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

  it.effect("is the 21st of one network of IPv6 (/64) within a minute, from whatever address in it: 429", () =>
    Effect.gen(function* () {
      const link = yield* create()
      const from = (network: string, host: number) => visit(link, { visitor: `${network}::${host.toString(16)}` })
      for (let count = 1; count <= 20; count++) {
        assert.strictEqual((yield* from("2001:db8:1:2", count)).status, 303)
      }
      assertPage(yield* from("2001:db8:1:2", 99), "Too many visits", 429)
      assert.strictEqual((yield* from("2001:db8:1:3", 1)).status, 303)
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
