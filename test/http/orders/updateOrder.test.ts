/** POST /v1/orders/{ref}: what can be changed, and how metadata merges (spec: Metadata; silences: O10, O12). */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/updateOrder") {}

const manyKeys = (prefix: string, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, "v"]))

interface Update {
  readonly rule: string
  readonly before: Record<string, string>
  readonly sent: unknown
  readonly after: Record<string, string>
}

const updates: ReadonlyArray<Update> = [
  {
    rule: "keys sent are written, other keys stay",
    before: { a: "1", b: "2" },
    sent: { b: "3", c: "4" },
    after: { a: "1", b: "3", c: "4" }
  },
  { rule: "a key sent with value null is deleted", before: { a: "1", b: "2" }, sent: { a: null }, after: { b: "2" } },
  { rule: "deleting what is not there changes nothing", before: { a: "1" }, sent: { b: null }, after: { a: "1" } },
  { rule: "the empty string is kept: only null deletes", before: { a: "1" }, sent: { a: "" }, after: { a: "" } },
  { rule: "the whole metadata sent as null clears it", before: { a: "1", b: "2" }, sent: null, after: {} },
  { rule: "an empty object changes nothing", before: { a: "1" }, sent: {}, after: { a: "1" } },
  {
    rule: "50 keys after the merge are allowed",
    before: manyKeys("a", 49),
    sent: { b: "1" },
    after: { ...manyKeys("a", 49), b: "1" }
  },
  {
    rule: "keys that are deleted make room for those written with them",
    before: manyKeys("a", 50),
    sent: { a0: null, a1: null, b0: "v", b1: "v" },
    after: { ...Object.fromEntries(Object.entries(manyKeys("a", 50)).slice(2)), ...manyKeys("b", 2) }
  }
]

const refusedUpdates: ReadonlyArray<readonly [unknown, string]> = [
  [{ metadata: { b: "1" } }, "metadata"],
  [{ metadata: [] }, "metadata"],
  [{ metadata: "x" }, "metadata"],
  [{ metadata: { a0: 5 } }, "metadata.a0"],
  [{ metadata: { a0: { b: "1" } } }, "metadata.a0"],
  [{ metadata: { a0: "v".repeat(501) } }, "metadata.a0"],
  [{ metadata: { ["k".repeat(41)]: "1" } }, `metadata.${"k".repeat(41)}`],
  [{ metadata: { "": "1" } }, "metadata."],
  [{ metadata: { svc_payment_link: "1" } }, "metadata.svc_payment_link"],
  [{ metadata: { a0: "a\u0000" } }, "metadata.a0"],
  [{ receipt_email: "nobody" }, "receipt_email"],
  [{ receipt_email: "" }, "receipt_email"],
  [{ receipt_email: 5 }, "receipt_email"]
]

layer(Layer.effect(Service, start()), { excludeTestServices: true })("POST /v1/orders/{ref}", (it) => {
  for (const { after, before, rule, sent } of updates) {
    it.effect(`metadata: ${rule}`, () =>
      Effect.gen(function* () {
        const { api, merchant } = yield* Service
        const key = merchant.sandboxKey
        const created = yield* api.post("/v1/orders", key, { amount: 100, metadata: before })
        const path = `/v1/orders/${created.body.data.trade_no}`
        const updated = yield* api.post(path, key, { metadata: sent })
        assert.strictEqual(updated.status, 200)
        assert.deepStrictEqual(updated.body.data, { ...created.body.data, metadata: after })
        assert.deepStrictEqual((yield* api.get(path, key)).body.data, updated.body.data)
      })
    )
  }

  it.effect("keys that the service wrote survive clearing and do not count to the 50", () =>
    Effect.gen(function* () {
      const { api, merchant, sql } = yield* Service
      const key = merchant.sandboxKey
      const created = yield* api.post("/v1/orders", key, { amount: 100 })
      const number: string = created.body.data.trade_no
      yield* sql`update orders set metadata = '{"svc_payment_link":"plink_1"}' where trade_no = ${number}`
      const full = yield* api.post(`/v1/orders/${number}`, key, { metadata: manyKeys("a", 50) })
      assert.deepStrictEqual(full.body.data.metadata, { svc_payment_link: "plink_1", ...manyKeys("a", 50) })
      const cleared = yield* api.post(`/v1/orders/${number}`, key, { metadata: null })
      assert.deepStrictEqual(cleared.body.data.metadata, { svc_payment_link: "plink_1" })
    })
  )

  it.effect("a refused update names the field and changes nothing, not even beside a good one", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const key = merchant.sandboxKey
      const created = yield* api.post("/v1/orders", key, { amount: 100, metadata: manyKeys("a", 50) })
      const path = `/v1/orders/${created.body.data.trade_no}`
      for (const [sent, param] of refusedUpdates) {
        const { body, status } = yield* api.post(path, key, { receipt_email: "a@b.co", ...(sent as object) })
        assert.deepStrictEqual([status, body.error, body.param], [400, "invalid_request", param], JSON.stringify(sent))
      }
      assert.deepStrictEqual((yield* api.get(path, key)).body.data, created.body.data)
    })
  )

  it.effect(
    "validation comes before existence: a patch that no order could take is 400 even for an unknown order",
    () =>
      Effect.gen(function* () {
        const { api, merchant } = yield* Service
        for (const metadata of [{ a: 5 }, { ["k".repeat(41)]: "1" }, { svc_payment_link: "1" }, manyKeys("a", 51)]) {
          const { body, status } = yield* api.post("/v1/orders/nothing", merchant.sandboxKey, { metadata })
          assert.deepStrictEqual([status, body.error], [400, "invalid_request"], JSON.stringify(metadata).slice(0, 60))
        }
      })
  )

  it.effect("receipt_email is changeable, also to null, and what is not sent stays", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const key = merchant.sandboxKey
      const created = yield* api.post("/v1/orders", key, { amount: 100, metadata: { a: "1" } })
      const path = `/v1/orders/${created.body.data.trade_no}`
      const set = yield* api.post(path, key, { receipt_email: "buyer@shop.example" })
      assert.deepStrictEqual(set.body.data, { ...created.body.data, receipt_email: "buyer@shop.example" })
      const kept = yield* api.post(path, key, { metadata: { b: "2" } })
      assert.strictEqual(kept.body.data.receipt_email, "buyer@shop.example")
      const removed = yield* api.post(path, key, { receipt_email: null })
      assert.deepStrictEqual(removed.body.data, { ...created.body.data, metadata: { a: "1", b: "2" } })
    })
  )

  it.effect("nothing else of an order can be updated", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const key = merchant.sandboxKey
      const created = yield* api.post("/v1/orders", key, { amount: 100, subject: "A", locale: "en" })
      const path = `/v1/orders/${created.body.data.trade_no}`
      const { checkout_url: _, metadata: __, receipt_email: ___, ...rest } = created.body.data
      const other = {
        ...rest,
        amount: 1,
        currency: "HKD",
        subject: "B",
        status: "paid",
        mode: "live",
        fee: 5,
        locale: "zh"
      }
      const updated = yield* api.post(path, key, {
        ...other,
        return_url: "https://a.example",
        notify_url: "x",
        out_trade_no: "y"
      })
      assert.strictEqual(updated.status, 200)
      assert.deepStrictEqual(updated.body.data, created.body.data)
    })
  )

  it.effect("updates at the same time all count", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const key = merchant.sandboxKey
      const created = yield* api.post("/v1/orders", key, { amount: 100 })
      const path = `/v1/orders/${created.body.data.trade_no}`
      yield* Effect.forEach(
        Object.keys(manyKeys("k", 20)),
        (name) =>
          Effect.map(api.post(path, key, { metadata: { [name]: "v" } }), ({ status }) =>
            assert.strictEqual(status, 200)
          ),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual((yield* api.get(path, key)).body.data.metadata, manyKeys("k", 20))
    })
  )
})
