/** POST /v1/orders: business numbers that come twice, and what a live order needs (spec: Orders, rules 1 to 5). */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/createOrderRules") {}

const terms = {
  out_trade_no: "order 1",
  amount: 1000,
  currency: "HKD",
  subject: "A book",
  notify_url: "https://shop.example/hook"
}
/** No events go anywhere. */
const quiet = { ...terms, notify_url: null }
const others = {
  return_url: "https://shop.example/thanks",
  metadata: { basket: "7" },
  receipt_email: "buyer@shop.example",
  locale: "en"
}

/** Same number, another value of one of the four terms that are compared. */
const otherTerms = [
  { term: "amount", changed: { amount: 1001 } },
  { term: "currency", changed: { currency: "USD" } },
  { term: "currency by its default", changed: { currency: undefined } },
  { term: "subject", changed: { subject: "A book " } },
  { term: "subject by its absence", changed: { subject: undefined } },
  { term: "notify_url", changed: { notify_url: "https://shop.example/hook/" } },
  { term: "notify_url by its absence", changed: { notify_url: null } }
]

const otherDetails = [
  { detail: "return_url", changed: { return_url: "https://shop.example/other" } },
  { detail: "metadata", changed: { metadata: { basket: "8", extra: "1" } } },
  { detail: "receipt_email", changed: { receipt_email: null } },
  { detail: "locale", changed: { locale: "zh" } }
]

/** How the first order of a number may have ended before the number comes again. */
const endings = [
  { status: "paid", end: (path: string) => [`/v1/test_helpers${path}/pay`, {}] as const },
  { status: "failed", end: (path: string) => [`/v1/test_helpers${path}/pay`, { outcome: "fail" }] as const },
  { status: "expired", end: (path: string) => [`/v1${path}/expire`, undefined] as const }
]

/** Not public HTTPS, whatever they look like. */
const notPublicHttps = [
  "http://shop.example/hook",
  "https://localhost/hook",
  "https://shop.localhost/hook",
  "https://printer.local/",
  "https://db.internal/",
  "https://intranet/",
  "https://127.0.0.1/",
  "https://127.1/",
  "https://0x7f000001/",
  "https://2130706433/",
  "https://0.0.0.0/",
  "https://10.0.0.1/",
  "https://172.16.0.1/",
  "https://192.168.1.1/",
  "https://169.254.169.254/latest/meta-data",
  "https://100.64.0.1/",
  "https://[::1]/",
  "https://[::ffff:127.0.0.1]/",
  "https://[fd00::1]/",
  "https://[fe80::1]/",
  "https://user@shop.example/"
]

layer(Layer.effect(Service, start()), { excludeTestServices: true })("POST /v1/orders", (it) => {
  it.effect("answers 201 when created, and 200 with the original when out_trade_no exists with identical content", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const { sandboxKey } = yield* api.newMerchant()
      const first = yield* api.post("/v1/orders", sandboxKey, { ...terms, ...others })
      const second = yield* api.post("/v1/orders", sandboxKey, { ...terms, ...others })
      assert.deepStrictEqual([first.status, second.status], [201, 200])
      assert.deepStrictEqual(second.body.data, first.body.data)
      assert.notStrictEqual(second.body.request_id, first.body.request_id)
    })
  )

  it.effect("what is omitted counts as its default: USD, no subject, no notify_url", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const { sandboxKey } = yield* api.newMerchant()
      const bare = { out_trade_no: "1", amount: 5 }
      const spelledOut = { ...bare, currency: "USD", subject: null, notify_url: null }
      assert.strictEqual((yield* api.post("/v1/orders", sandboxKey, bare)).status, 201)
      assert.strictEqual((yield* api.post("/v1/orders", sandboxKey, spelledOut)).status, 200)
    })
  )

  for (const { changed, term } of otherTerms) {
    it.effect(`same out_trade_no with different ${term} gives 409 conflict`, () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const { sandboxKey } = yield* api.newMerchant()
        const first = yield* api.post("/v1/orders", sandboxKey, terms)
        const { body, status } = yield* api.post("/v1/orders", sandboxKey, { ...terms, ...changed })
        assert.deepStrictEqual([status, body.error], [409, "conflict"])
        const kept = yield* api.get(`/v1/orders/${first.body.data.trade_no}`, sandboxKey)
        assert.deepStrictEqual(kept.body.data, first.body.data)
      })
    )
  }

  for (const { changed, detail } of otherDetails) {
    it.effect(`same out_trade_no with different ${detail} returns the original unchanged`, () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const { sandboxKey } = yield* api.newMerchant()
        const first = yield* api.post("/v1/orders", sandboxKey, { ...terms, ...others })
        const second = yield* api.post("/v1/orders", sandboxKey, { ...terms, ...others, ...changed })
        assert.strictEqual(second.status, 200)
        assert.deepStrictEqual(second.body.data, first.body.data)
      })
    )
  }

  it.effect.each(endings)(
    "the number of an order that is $status stays taken: 200 with that order",
    ({ end, status }) =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const { sandboxKey } = yield* api.newMerchant()
        const first = yield* api.post("/v1/orders", sandboxKey, quiet)
        const [path, body] = end(`/orders/${first.body.data.trade_no}`)
        yield* api.post(path, sandboxKey, body)
        const again = yield* api.post("/v1/orders", sandboxKey, quiet)
        assert.strictEqual(again.status, 200)
        assert.strictEqual(again.body.data.trade_no, first.body.data.trade_no)
        assert.strictEqual(again.body.data.status, status)
      })
  )

  it.effect("out_trade_no is unique per merchant and environment", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const one = yield* api.newMerchant()
      const other = yield* api.newMerchant()
      yield* api.operator("POST", `/merchants/${one.merchantId}`, { approved: true, live_currencies: ["HKD"] })
      const replies = yield* Effect.forEach([one.sandboxKey, one.liveKey, other.sandboxKey], (key) =>
        api.post("/v1/orders", key, terms)
      )
      assert.deepStrictEqual(
        replies.map(({ status }) => status),
        [201, 201, 201]
      )
      assert.strictEqual(new Set(replies.map(({ body }) => body.data.trade_no)).size, 3)
    })
  )

  it.effect(
    "of 30 concurrent creates with one out_trade_no one answers 201, the rest 200, and there is one order",
    () =>
      Effect.gen(function* () {
        const { api, sql } = yield* Service
        const { merchantId, sandboxKey } = yield* api.newMerchant()
        const replies = yield* Effect.forEach(
          Array.from({ length: 30 }),
          () => api.post("/v1/orders", sandboxKey, { ...terms, ...others }),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(
          replies.map(({ status }) => status).toSorted((a, b) => b - a),
          [201, ...Array.from({ length: 29 }, () => 200)]
        )
        const rows = yield* sql`select trade_no from orders where merchant_id = ${merchantId}`
        assert.strictEqual(rows.length, 1)
        assert.deepStrictEqual(
          [...new Set(replies.map(({ body }) => body.data.trade_no))],
          rows.map(({ trade_no }) => trade_no)
        )
      })
  )

  it.effect("of concurrent creates with one out_trade_no and two amounts, one amount wins and the other gets 409", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const { sandboxKey } = yield* api.newMerchant()
      const replies = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 1000 : 2000)),
        (amount) =>
          Effect.map(api.post("/v1/orders", sandboxKey, { ...terms, amount }), (reply) => ({ amount, reply })),
        { concurrency: "unbounded" }
      )
      const winner = replies.find(({ reply }) => reply.status === 201)
      assert.isDefined(winner)
      for (const { amount, reply } of replies) {
        if (reply === winner.reply) continue
        assert.strictEqual(reply.status, amount === winner.amount ? 200 : 409)
      }
    })
  )

  it.effect("a live order may use only the currencies enabled for the merchant", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const { liveKey, merchantId } = yield* api.newMerchant()
      const order = { amount: 100, notify_url: terms.notify_url }
      yield* api.operator("POST", `/merchants/${merchantId}`, { approved: true })
      const early = yield* api.post("/v1/orders", liveKey, order)
      assert.deepStrictEqual(
        [early.status, early.body.error, early.body.param],
        [400, "invalid_request", "currency"],
        "none is enabled at first, USD neither"
      )
      yield* api.operator("POST", `/merchants/${merchantId}`, { live_currencies: ["USD", "CNY"] })
      for (const [currency, expected] of [
        ["USD", 201],
        [undefined, 201],
        ["CNY", 201],
        ["HKD", 400]
      ] as const) {
        const { body, status } = yield* api.post("/v1/orders", liveKey, { ...order, currency })
        assert.strictEqual(status, expected, currency)
        if (status === 400) assert.deepStrictEqual([body.error, body.param], ["invalid_request", "currency"])
        else assert.match(body.data.trade_no, /^TRD_(?!SB_)[0-9A-Z]{26}$/)
      }
    })
  )

  it.effect("a live order needs a notification target: notify_url, or else the address in the console", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const { liveKey, merchantId } = yield* api.newMerchant()
      const settings = `/merchants/${merchantId}`
      const url = "https://shop.example/default"
      // The sandbox's address is not the live one's.
      const approval = { approved: true, live_currencies: ["USD"], sandbox: { default_notify_url: url } }
      yield* api.operator("POST", settings, approval)
      const without = yield* api.post("/v1/orders", liveKey, { amount: 100 })
      assert.deepStrictEqual(
        [without.status, without.body.error, without.body.param],
        [400, "invalid_request", "notify_url"]
      )
      assert.strictEqual((yield* api.post("/v1/orders", liveKey, { amount: 100, notify_url: url })).status, 201)
      yield* api.operator("POST", settings, { live: { default_notify_url: url } })
      const { body, status } = yield* api.post("/v1/orders", liveKey, { amount: 100 })
      assert.strictEqual(status, 201)
      assert.deepStrictEqual([body.data.mode, body.data.notify_url], ["live", null])
    })
  )

  it.effect.each(["notify_url", "return_url"])("a live order's %s is public HTTPS", (field) =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const { liveKey, merchantId } = yield* api.newMerchant()
      yield* api.operator("POST", `/merchants/${merchantId}`, { approved: true, live_currencies: ["USD"] })
      const order = { amount: 100, notify_url: "https://shop.example/hook" }
      for (const url of notPublicHttps) {
        const { body, status } = yield* api.post("/v1/orders", liveKey, { ...order, [field]: url })
        assert.deepStrictEqual([status, body.error, body.param], [400, "invalid_request", field], url)
      }
      for (const url of [
        "https://shop.example/",
        "https://93.184.215.14:8443/hook?a=b",
        "https://xn--bcher-kva.example"
      ]) {
        assert.strictEqual((yield* api.post("/v1/orders", liveKey, { ...order, [field]: url })).status, 201, url)
      }
    })
  )

  it.effect("a placeholder of return_url may stand after the host only, in the sandbox too", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const create = (return_url: string) => api.post("/v1/orders", merchant.sandboxKey, { amount: 100, return_url })
      for (const url of [
        "https://{TRADE_NO}.shop.example/",
        "https://shop.example.{OUT_TRADE_NO}",
        "https://{TRADE_NO}@shop.example/",
        "https://shop.example:{TRADE_NO}/",
        "https://%7BTRADE_NO%7D.shop.example/"
      ]) {
        const { body, status } = yield* create(url)
        assert.deepStrictEqual([status, body.error, body.param], [400, "invalid_request", "return_url"], url)
      }
      const { status } = yield* create("https://shop.example/{TRADE_NO}?a={OUT_TRADE_NO}#{TRADE_NO}")
      assert.strictEqual(status, 201)
    })
  )

  it.effect("mode in the body of a live order changes nothing either", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const { liveKey, merchantId } = yield* api.newMerchant()
      yield* api.operator("POST", `/merchants/${merchantId}`, { approved: true, live_currencies: ["HKD"] })
      const { body } = yield* api.post("/v1/orders", liveKey, { ...terms, mode: "sandbox" })
      assert.strictEqual(body.data.mode, "live")
      assert.match(body.data.trade_no, /^TRD_(?!SB_)/)
    })
  )
})
