/**
 * Order data has the same structure in the create, retrieve and update responses and in `payment.*` events (spec:
 * Order; silences: V3). Compared as the bytes that merchants receive; no token is cut out, since an order's
 * `checkout_url` is the same each time.
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Reply } from "../../kit/Api.ts"
import { receiver } from "../../kit/Receiver.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/sameOrder") {}

/** The bytes of `data`, which is the last member of the envelope. */
const dataOf = ({ text }: Reply) => text.slice(text.indexOf('"data":') + '"data":'.length, -1)

/** A database may keep the keys of metadata in an order of its own. */
const order = {
  amount: 5000,
  currency: "CNY",
  subject: 'Ä "book" <b> \\ 日本 😀',
  return_url: "https://shop.example/thanks?n={OUT_TRADE_NO}",
  metadata: { zebra: "1", apple: "2", "10": "3", B: "4", ä: "5", __proto: "6", cc: "" },
  receipt_email: "buyer@shop.example",
  locale: "zh"
}

const changedBy: Record<string, ReadonlyArray<string>> = {
  "payment.succeeded": [
    "fee",
    "net_amount",
    "status",
    "payment_id",
    "payment_method",
    "refundable_until",
    "paid_at",
    "receipt_url"
  ],
  "payment.failed": ["status", "payment_failure_reason"],
  "payment.expired": ["status"],
  "payment.duplicate_refunded": ["status"]
}

const differing = (before: Record<string, unknown>, after: Record<string, unknown>) =>
  Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))

layer(Layer.effect(Service, start()), { excludeTestServices: true })("an order", (it) => {
  it.effect("is the same bytes when created, when created again, when retrieved and when updated", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const { sandboxKey: key } = yield* api.newMerchant()
      const sent = { ...order, out_trade_no: "1" }
      const created = yield* api.post("/v1/orders", key, sent)
      const again = yield* api.post("/v1/orders", key, sent)
      const read = yield* api.get("/v1/orders/1", key)
      const updated = yield* api.post("/v1/orders/1", key, {})
      for (const reply of [again, read, updated]) assert.strictEqual(dataOf(reply), dataOf(created))

      const patched = yield* api.post("/v1/orders/1", key, { metadata: { yak: "7", aa: "8", zebra: null } })
      assert.strictEqual(dataOf(yield* api.get("/v1/orders/1", key)), dataOf(patched))
      assert.deepStrictEqual(Object.keys(patched.body.data), Object.keys(created.body.data))
    })
  )

  for (const type of Object.keys(changedBy)) {
    it.effect(`is the same bytes in the ${type} event as retrieved, and only what the event is about has changed`, () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const { sandboxKey: key } = yield* api.newMerchant()
        const hook = yield* receiver
        // Without an address no receipt is sent, which alone would change the order.
        yield* api.post("/v1/orders", key, { ...order, out_trade_no: "1", notify_url: hook.url, receipt_email: null })
        // The state that the owner then has came from its own update, not from the database.
        const before = yield* api.post("/v1/orders/1", key, { metadata: { yak: "7", aa: "8" } })
        const pay = (body: object) => api.post("/v1/test_helpers/orders/1/pay", key, body)

        if (type === "payment.succeeded") yield* pay({ payment_method: "alipay" })
        else if (type === "payment.failed") yield* pay({ outcome: "fail" })
        else yield* api.post("/v1/orders/1/expire", key)
        let event = yield* hook.next
        if (type === "payment.duplicate_refunded") {
          yield* pay({})
          event = yield* hook.next
        }

        assert.strictEqual(event.event.type, type)
        const read = yield* api.get("/v1/orders/1", key)
        assert.include(event.raw, `"object":${dataOf(read)}`)
        assert.deepStrictEqual(Object.keys(read.body.data), Object.keys(before.body.data))
        assert.deepStrictEqual(differing(before.body.data, read.body.data), changedBy[type])
      })
    )
  }

  it.effect("that an endpoint or a helper answers with is what is then retrieved", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const { sandboxKey: key } = yield* api.newMerchant()
      for (const [number, path, body] of [
        ["1", "/v1/test_helpers/orders/1/pay", { payment_method: "wechat_pay" }],
        ["2", "/v1/test_helpers/orders/2/pay", { outcome: "fail" }],
        ["3", "/v1/orders/3/expire", undefined]
      ] as const) {
        yield* api.post("/v1/orders", key, { ...order, out_trade_no: number })
        const answered = yield* api.post(path, key, body)
        assert.strictEqual(answered.status, 200)
        assert.strictEqual(dataOf(yield* api.get(`/v1/orders/${number}`, key)), dataOf(answered))
      }
    })
  )
})
