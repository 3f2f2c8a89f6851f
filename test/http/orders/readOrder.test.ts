/** /v1/orders/{ref}: by which names an order is found, and by whom (spec: Orders; General rules, 4; silences: O4). */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Reply } from "../../kit/Api.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/readOrder") {}

/** Merchants' own numbers that a path, a router or a database could trip over. */
const numbers = [
  "2024-001",
  "order 7",
  " ",
  "a/b/c",
  "/expire",
  "expire",
  "a//b",
  "a+b",
  "50%",
  "a%2Fb",
  "%00",
  "a?b=c#d&e",
  "a;b",
  "a:b@c!$'()*,=~",
  '\\ " < > { } | ^ `',
  "ÄÖÜ",
  "e\u0301",
  "İstanbul",
  "İİİİİİİİ",
  "K (kelvin)",
  "日本語",
  "👨‍👩‍👧",
  "عربى",
  "__proto__",
  "*",
  ":ref",
  "null",
  "😀".repeat(128),
  "%".repeat(128)
]

const isNotFound = (reply: Reply, message?: string) =>
  assert.deepStrictEqual([reply.status, reply.body.error], [404, "order_not_found"], message)

layer(Layer.effect(Service, start()), { excludeTestServices: true })("one order", (it) => {
  it.effect("the path accepts the platform trade number or the merchant's out_trade_no, percent-encoded once", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const { sandboxKey: key } = yield* api.newMerchant()
      for (const number of numbers) {
        const created = yield* api.post("/v1/orders", key, { amount: 100, out_trade_no: number })
        assert.strictEqual(created.status, 201, number)
        const path = `/v1/orders/${encodeURIComponent(number)}`
        const read = yield* api.get(path, key)
        assert.deepStrictEqual(read.body.data, created.body.data, number)
        const byTradeNo = yield* api.get(`/v1/orders/${created.body.data.trade_no}`, key)
        assert.deepStrictEqual(byTradeNo.body.data, created.body.data, number)
        const updated = yield* api.post(path, key, { metadata: { n: "1" } })
        assert.strictEqual(updated.body.data?.out_trade_no, number, updated.text)
      }
    })
  )

  for (const number of ["a;b", "İ", "a/b", "a%2Fb"]) {
    it.effect(`POST expire and the test helpers accept the out_trade_no ${number} as well`, () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const { sandboxKey: key } = yield* api.newMerchant()
        yield* api.post("/v1/orders", key, { amount: 100, out_trade_no: number })
        const path = `/orders/${encodeURIComponent(number)}`
        const declined = yield* api.post(`/v1/test_helpers${path}/pay`, key, { outcome: "decline" })
        assert.strictEqual(declined.status, 200, declined.text)
        const expired = yield* api.post(`/v1${path}/expire`, key)
        assert.strictEqual(expired.status, 200, expired.text)
      })
    )
  }

  it.effect("a semicolon is part of the number, so a;b never means the order a", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const { sandboxKey: key } = yield* api.newMerchant()
      yield* api.post("/v1/orders", key, { amount: 100, out_trade_no: "a" })
      isNotFound(yield* api.get("/v1/orders/a;b", key))
      isNotFound(yield* api.call("POST", "/v1/orders/a;b/expire", { key, body: { metadata: { x: "1" } } }))
      const kept = yield* api.get("/v1/orders/a", key)
      assert.deepStrictEqual([kept.body.data.status, kept.body.data.metadata], ["pending", {}])
    })
  )

  it.effect("numbers are compared exactly: case, spaces and Unicode forms differ", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const { sandboxKey: key } = yield* api.newMerchant()
      yield* api.post("/v1/orders", key, { amount: 100, out_trade_no: "Order-é" })
      for (const other of ["order-é", "Order-é ", " Order-é", "Order-e\u0301", "Order-"]) {
        isNotFound(yield* api.get(`/v1/orders/${encodeURIComponent(other)}`, key), other)
      }
    })
  )

  it.effect("the platform number comes first when an out_trade_no looks like another order's trade_no", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const { sandboxKey: key } = yield* api.newMerchant()
      const first = yield* api.post("/v1/orders", key, { amount: 100, out_trade_no: "1" })
      const number = first.body.data.trade_no
      const second = yield* api.post("/v1/orders", key, { amount: 200, out_trade_no: number })
      assert.strictEqual(second.status, 201)
      assert.strictEqual((yield* api.get(`/v1/orders/${number}`, key)).body.data.amount, 100)

      const stranger = yield* api.newMerchant()
      yield* api.post("/v1/orders", stranger.sandboxKey, { amount: 300, out_trade_no: number })
      const theirs = yield* api.get(`/v1/orders/${number}`, stranger.sandboxKey)
      assert.strictEqual(theirs.body.data.amount, 300, "another merchant's trade_no hides nothing of mine")
    })
  )

  it.effect("an order of another merchant or environment is 404 order_not_found, whatever is asked of it", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const owner = yield* api.newMerchant()
      const stranger = yield* api.newMerchant()
      yield* api.operator("POST", `/merchants/${owner.merchantId}`, { approved: true, live_currencies: ["USD"] })
      const created = yield* api.post("/v1/orders", owner.sandboxKey, { amount: 100, out_trade_no: "mine" })
      for (const ref of [
        created.body.data.trade_no,
        "mine",
        "TRD_SB_00000000000000000000000000",
        "TRD_SB_x",
        "nothing"
      ]) {
        for (const key of [stranger.sandboxKey, owner.liveKey]) {
          isNotFound(yield* api.get(`/v1/orders/${ref}`, key))
          isNotFound(yield* api.post(`/v1/orders/${ref}`, key, { metadata: { a: "1" } }))
          isNotFound(yield* api.post(`/v1/orders/${ref}/expire`, key))
        }
        isNotFound(yield* api.post(`/v1/test_helpers/orders/${ref}/pay`, stranger.sandboxKey, {}))
      }
      const kept = yield* api.get("/v1/orders/mine", owner.sandboxKey)
      assert.deepStrictEqual(kept.body.data, created.body.data)
    })
  )
})
