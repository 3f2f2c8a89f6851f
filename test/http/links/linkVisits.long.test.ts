/** Visits to payment links, as browsers and programs make them (spec: Payment link; silences: L4 to L8). */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Reply } from "../../kit/Api.ts"
import { makeRetrying } from "../../kit/callers/retrying.ts"
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
  const assertPage = (reply: Reply, text: string, status = 200) => {
    assert.strictEqual(reply.status, status, reply.text)
    assert.strictEqual(reply.headers.get("content-type"), "text/html; charset=utf-8")
    assert.strictEqual(reply.headers.get("x-robots-tag"), "noindex")
    assert.include(reply.text, text)
  }

  it.effect("makes an order of its own each time, whatever the browser did before, and keeps nothing in it", () =>
    Effect.gen(function* () {
      const link = yield* create({ max_uses: 2 })
      const first = yield* visit(link)
      assert.isNull(first.headers.get("set-cookie"))
      const token = first.headers.get("location")!.split("/").at(-1)
      const again = yield* visit(link, { headers: { Cookie: `coffer_${link.link_id}=${token}` } })
      assert.strictEqual(again.status, 303)
      assert.notStrictEqual(again.headers.get("location"), first.headers.get("location"))
      assert.strictEqual((yield* read(link)).used_count, 2)
      assertPage(yield* visit(link), "has already been used")
    })
  )

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
      const retrying = yield* makeRetrying()
      const visits = Array.from({ length: 200 }, () => retrying(visit(link)))
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

  it.effect("by the button of the page that a program gets makes an order, for every visitor", () =>
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

  it.effect(
    "by a button that is pressed once more leads to no order in which a buyer has acted, but makes another",
    () =>
      Effect.gen(function* () {
        const { api, merchant } = yield* Service
        const card = { method: "card", number: "4000000000000002", expiry: "1240", cvc: "123", step: "pay" }
        const acts: Readonly<Record<string, (page: string, tradeNo: string) => Effect.Effect<Reply>>> = {
          "an address is typed, and the card declined": (page) =>
            api.call("POST", page, {
              raw: new URLSearchParams({ ...card, email: "first@buyer.example" }).toString(),
              headers: { "Content-Type": "application/x-www-form-urlencoded" }
            }),
          "a wallet is begun": (page) =>
            api.call("POST", page, {
              raw: "step=pay&method=alipay&email=first%40buyer.example",
              headers: { "Content-Type": "application/x-www-form-urlencoded" }
            }),
          paid: (_, tradeNo) => api.post(`/v1/test_helpers/orders/${tradeNo}/pay`, merchant.sandboxKey, {}),
          closed: (_, tradeNo) => api.post(`/v1/orders/${tradeNo}/expire`, merchant.sandboxKey, {})
        }
        for (const [what, act] of Object.entries(acts)) {
          const link = yield* create({ max_uses: 2 })
          const number = numberIn(yield* visit(link, asProgram))
          const first = yield* pressed(link, number)
          const [order] = yield* ordersOf(link)
          assert.strictEqual((yield* pressed(link, number)).headers.get("location"), first.headers.get("location"))
          yield* act(first.headers.get("location")!, order.trade_no)
          const second = yield* pressed(link, number)
          assert.strictEqual(second.status, 303, what)
          assert.notStrictEqual(second.headers.get("location"), first.headers.get("location"), what)
          assertPage(yield* pressed(link, number), "has already been used")
        }
      })
  )

  it.effect("by a button that is pressed once more leads nowhere once the link, or its merchant, sells no more", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      for (const [change, words] of [
        [{ status: "inactive" }, "This payment link is closed"],
        [{ expires_at: "2020-01-01T00:00:00Z" }, "This payment link has expired"]
      ] as const) {
        const link = yield* create()
        const number = numberIn(yield* visit(link, asProgram))
        const page = (yield* pressed(link, number)).headers.get("location")!
        yield* api.post(`/v1/payment_links/${link.link_id}`, merchant.sandboxKey, change)
        assertPage(yield* pressed(link, number), words)
        // The order is like any other.
        assertPage(yield* api.get(page), "Payment method")
      }
      const other = yield* api.newMerchant()
      const { url } = (yield* api.post("/v1/payment_links", other.sandboxKey, { amount: 100 })).body.data
      const path = { path: new URL(url).pathname }
      const number = numberIn(yield* visit(path, asProgram))
      assert.strictEqual((yield* pressed(path, number)).status, 303)
      yield* api.operator("POST", `/merchants/${other.merchantId}/suspend`)
      assertPage(yield* pressed(path, number), "take payments right now")
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
