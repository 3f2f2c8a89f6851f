/** Receipts: the page, the number, and sending one on request (spec: Orders, send_receipt; silences: O20, O21, O26). */
import { readFileSync } from "node:fs"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { DataDir } from "../../src/platform/runtime/DataDir.ts"
import { receiptTexts } from "../../src/money/receipts/receiptTexts.ts"
import { assertRefused } from "../kit/Merchant.ts"
import { type Running, start } from "../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/receipts") {}

// oxlint-disable-next-line no-explicit-any -- a test reads what it expects
type Json = any

layer(Layer.effect(Service, start({ clock: "test" })), { excludeTestServices: true })("a receipt", (it) => {
  const paid = Effect.fnUntraced(function* (terms: object = {}) {
    const { api, merchant } = yield* Service
    const { body } = yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 1_000, ...terms })
    const path = `/v1/orders/${body.data.trade_no}`
    yield* api.post(`/v1/test_helpers/orders/${body.data.trade_no}/pay`, merchant.sandboxKey, {})
    return { path, read: Effect.map(api.get(path, merchant.sandboxKey), ({ body: { data } }): Json => data) }
  })
  const open = Effect.fnUntraced(function* (url: string, language = "en") {
    const { api } = yield* Service
    return yield* api.call("GET", new URL(url).pathname, { headers: { "Accept-Language": language } })
  })
  const send = Effect.fnUntraced(function* (path: string, body: object = {}) {
    const { api, merchant } = yield* Service
    return yield* api.post(`${path}/send_receipt`, merchant.sandboxKey, body)
  })

  it.effect("has an address once the order is paid, and a number once it is first viewed", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const pending = (yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 100 })).body.data
      assert.deepStrictEqual([pending.receipt_url, pending.receipt_number], [null, null])
      const { read } = yield* paid({ subject: "Tea", out_trade_no: "cart-9" })
      const before = yield* read
      assert.isNull(before.receipt_number)
      const page = yield* open(before.receipt_url)
      const after = yield* read
      assert.match(after.receipt_number, /^RCP-197001-\d{4}$/)
      for (const shown of ["US$10.00", "Tea", "cart-9", after.receipt_number, receiptTexts.en.notTax]) {
        assert.include(page.text, shown)
      }
      assert.strictEqual(after.receipt_url, before.receipt_url)
      yield* open(before.receipt_url)
      assert.strictEqual((yield* read).receipt_number, after.receipt_number)
    })
  )

  it.effect("first viewed many times concurrently has one number, and no two have the same", () =>
    Effect.gen(function* () {
      const orders = yield* Effect.forEach(Array(5).keys(), () => paid())
      const urls = yield* Effect.forEach(orders, ({ read }) => read)
      const views = urls.flatMap(({ receipt_url }) => Array.from({ length: 6 }, () => open(receipt_url)))
      yield* Effect.all(views, { concurrency: "unbounded" })
      const numbers = yield* Effect.forEach(orders, ({ read }) => Effect.map(read, (order) => order.receipt_number))
      assert.strictEqual(new Set(numbers).size, orders.length)
    })
  )

  it.effect("is shown in the order's language, else in the browser's", () =>
    Effect.gen(function* () {
      const chinese = yield* (yield* paid({ locale: "zh" })).read
      assert.include((yield* open(chinese.receipt_url)).text, receiptTexts.zh.notTax)
      const any = yield* (yield* paid()).read
      assert.include((yield* open(any.receipt_url, "zh-CN,en;q=0.5")).text, receiptTexts.zh.notTax)
      assert.include((yield* open(any.receipt_url)).text, receiptTexts.en.notTax)
    })
  )

  it.effect("shows what was refunded, and its address keeps working", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const { path, read } = yield* paid()
      yield* api.post("/v1/refunds", merchant.sandboxKey, { trade_no: path.split("/").at(-1), amount: 250 })
      const { text } = yield* open((yield* read).receipt_url)
      assert.include(text, "-US$2.50")
      assert.include(text, "US$7.50")
    })
  )

  it.effect("opens with its own token alone, and that token opens no checkout", () =>
    Effect.gen(function* () {
      const { checkout_url, receipt_url } = yield* (yield* paid()).read
      const [checkout, receipt] = [checkout_url, receipt_url].map((url) => url.split("/").at(-1))
      const at = (path: string) => open(`http://pay.example${path}`)
      for (const token of [checkout, `${receipt}x`, receipt.slice(0, -1), "TRD_1.0.x", "%00"]) {
        const page = yield* at(`/receipts/${token}`)
        assert.strictEqual(page.status, 404)
        assert.include(page.text, receiptTexts.en.unknown.heading)
      }
      assert.strictEqual((yield* at(`/checkout/${receipt}`)).status, 404)
    })
  )

  it.effect("is asked for with an address, which becomes the order's; 400 without any, 409 while not paid", () =>
    Effect.gen(function* () {
      const { api, atRest, merchant } = yield* Service
      const { path, read } = yield* paid()
      assertRefused(yield* send(path), 400, "invalid_request", "email")
      assertRefused(yield* send(path, { email: "nobody" }), 400, "invalid_request", "email")
      const asked = yield* send(path, { email: "reader@example.com" })
      assert.deepStrictEqual([asked.status, asked.body.data.receipt_email], [200, "reader@example.com"])
      yield* atRest
      const sent = yield* read
      assert.match(sent.receipt_sent_at, /^1970-01-01T/)
      assert.isString(sent.receipt_number)
      const pending = (yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 100 })).body.data
      assertRefused(yield* send(`/v1/orders/${pending.trade_no}`, { email: "a@b.cd" }), 409, "conflict")
      assertRefused(yield* send("/v1/orders/none"), 404, "order_not_found")
    })
  )

  it.effect(
    "is sent five times an hour; one more is 429 with Retry-After, and goes again when the first is an hour ago",
    () =>
      Effect.gen(function* () {
        const { pass, sql } = yield* Service
        const { path, read } = yield* paid({ receipt_email: "reader@example.com" })
        for (let count = 0; count < 5; count++) {
          assert.strictEqual((yield* send(path)).status, 200)
          yield* pass("1 minute")
        }
        const refused = yield* send(path)
        assertRefused(refused, 429, "rate_limited")
        assert.strictEqual(refused.headers.get("retry-after"), "3300")
        yield* pass("55 minutes")
        assert.strictEqual((yield* send(path)).status, 200)
        yield* pass("1 minute")
        const rows =
          yield* sql`select id, status, error, due_at, version, created_at from mails where trade_no = ${(yield* read).trade_no}`
        assert.lengthOf(
          rows.filter((row) => row["status"] === "sent"),
          7,
          JSON.stringify(rows)
        )
      })
  )

  it.effect("is requested ten times concurrently: five are answered 200 and sent, five are 429", () =>
    Effect.gen(function* () {
      const { pass, sql } = yield* Service
      const { path, read } = yield* paid()
      const wanted = Array.from({ length: 10 }, (_, each) => `reader${each}@example.com`)
      const replies = yield* Effect.all(
        wanted.map((email) => send(path, { email })),
        { concurrency: "unbounded" }
      )
      const taken = wanted.filter((_, each) => replies[each]!.status === 200)
      assert.lengthOf(taken, 5)
      for (const [each, email] of wanted.entries()) {
        const reply = replies[each]!
        if (taken.includes(email)) assert.strictEqual(reply.body.data.receipt_email, email)
        else {
          assertRefused(reply, 429, "rate_limited")
          assert.strictEqual(reply.headers.get("retry-after"), "3600")
        }
      }
      yield* pass("1 minute")
      const { receipt_email, receipt_sent_at, trade_no } = yield* read
      const mails = yield* sql<{ recipient: string; status: string }>`
        select recipient, status from mails where trade_no = ${trade_no}`
      assert.sameMembers(
        mails.map(({ recipient, status }) => `${recipient} ${status}`),
        taken.map((email) => `${email} sent`)
      )
      assert.include(taken, receipt_email)
      assert.isString(receipt_sent_at)
    })
  )

  it.effect("that is asked for again with its Idempotency-Key is sent once", () =>
    Effect.gen(function* () {
      const { api, merchant, sql } = yield* Service
      const { path, read } = yield* paid()
      const again = api.call("POST", `${path}/send_receipt`, {
        key: merchant.sandboxKey,
        body: { email: "reader@example.com" },
        headers: { "Idempotency-Key": "receipt" }
      })
      assert.strictEqual((yield* again).status, 200)
      assert.strictEqual((yield* again).headers.get("idempotent-replayed"), "true")
      assert.lengthOf(yield* sql`select 1 from mails where trade_no = ${(yield* read).trade_no}`, 1)
    })
  )

  it.effect("becomes a file in the data directory where there is no mail server", () =>
    Effect.gen(function* () {
      const { atRest, context } = yield* Service
      const { read } = yield* paid({ receipt_email: "reader@example.com" })
      yield* atRest
      const { trade_no } = yield* read
      const file = `${Context.get(context as Context.Context<DataDir>, DataDir).path}/mails/mail_${trade_no}.eml`
      assert.match(readFileSync(file, "utf8"), /^To: reader@example\.com$/m)
    })
  )

  it.effect("of a hostile merchant and subject executes nothing", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const hostile = `<script>alert("x")</script>`
      yield* api.operator("POST", `/merchants/${merchant.merchantId}`, { name: hostile })
      const { read } = yield* paid({ subject: `${hostile}"'` })
      const { text } = yield* open((yield* read).receipt_url)
      assert.lengthOf(text.match(/<script/g) ?? [], 1, "our own")
      assert.notInclude(text, hostile)
      yield* api.operator("POST", `/merchants/${merchant.merchantId}`, { name: "Tea House" })
    })
  )
})
