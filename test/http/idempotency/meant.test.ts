/** One Idempotency-Key with bodies that mean the same, and with bodies that do not (silences: I3, G18). */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { createHash } from "node:crypto"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/http/idempotency/meant") {}

let keys = 0

layer(Layer.effect(Service, start()), { excludeTestServices: true })("with one key", (it) => {
  /** The second body after the first: replayed, or refused. */
  const second = Effect.fnUntraced(function* (path: string, first: string, body: string) {
    const { api, merchant } = yield* Service
    const key = `meant-${keys++}`
    const send = (text: string) =>
      Effect.promise(() =>
        fetch(`${api.url}${path}`, {
          method: "POST",
          headers: { "X-Api-Key": merchant.sandboxKey, "Content-Type": "application/json", "Idempotency-Key": key },
          body: text
        })
      )
    assert.isBelow((yield* send(first)).status, 300, first)
    const again = yield* send(body)
    const { error } = JSON.parse(yield* Effect.promise(() => again.text()))
    return error ?? (again.headers.get("idempotent-replayed") === "true" ? "replayed" : "done")
  })

  it.effect("bodies that mean the same are the same request", () =>
    Effect.gen(function* () {
      for (const [first, body] of [
        ['{"amount":100,"subject":null}', '{"amount":100}'],
        ['{"amount":100}', '{"amount":100,"subject":null,"metadata":null,"locale":null}'],
        ['{"amount":100,"metadata":{"a":"1","b":"2"}}', '{ "metadata" : {"b":"2","\\u0061":"1"},\n "amount":100 }'],
        ['{"amount":100,"unknown":1}', '{"unknown":1,"amount":100,"receipt_email":null}']
      ] as const) {
        assert.strictEqual(yield* second("/v1/orders", first, body), "replayed", body)
      }
    })
  )

  it.effect("bodies of which a null says something are not", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const link = (yield* api.post("/v1/payment_links", merchant.sandboxKey, { amount: 100, subject: "Tea" })).body
        .data
      const order = (yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 100 })).body.data
      for (const [path, first, body] of [
        [`/v1/payment_links/${link.link_id}`, '{"status":"active","subject":null}', '{"status":"active"}'],
        [`/v1/orders/${order.trade_no}`, '{"metadata":null}', "{}"],
        [`/v1/orders/${order.trade_no}`, '{"metadata":{"a":null}}', '{"metadata":{}}'],
        [`/v1/orders/${order.trade_no}`, '{"receipt_email":null}', "{}"],
        ["/v1/orders", '{"amount":100,"subject":"Tea"}', '{"amount":100,"subject":null}']
      ] as const) {
        assert.strictEqual(yield* second(path, first, body), "idempotency_error", `${path} ${body}`)
      }
    })
  )

  it.effect("the fingerprint of a version before, of the body as it was sent, is still known", () =>
    Effect.gen(function* () {
      const { api, merchant, sql } = yield* Service
      const send = api.call("POST", "/v1/orders", {
        key: merchant.sandboxKey,
        body: { amount: 100, subject: null },
        headers: { "Idempotency-Key": "older" }
      })
      const { body } = yield* send
      const old = createHash("sha256").update('{"amount":100,"subject":null}').digest("hex")
      yield* sql`update idempotency_keys set fingerprint = ${old} where merchant_id = ${merchant.merchantId}`
      const again = yield* send
      assert.deepStrictEqual([again.status, again.body.data], [201, body.data])
    })
  )
})
