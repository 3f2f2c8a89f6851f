/** The meaning of a body that says nothing, or something twice (silences: G12, G30), on both ways in. */
import http from "node:http"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { merchantOf } from "../../kit/Merchant.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/http/edge/bodiesMeant") {}

/** Sent in chunks, of which there may be none. */
const chunked = (url: string, key: string, chunks: ReadonlyArray<string>, type?: string) =>
  Effect.callback<{ readonly status: number; readonly text: string }>((resume) => {
    const headers = {
      "X-Api-Key": key,
      "Transfer-Encoding": "chunked",
      ...(type === undefined ? {} : { "Content-Type": type })
    }
    const request = http.request(url, { method: "POST", headers }, (response) => {
      let text = ""
      response.on("data", (part) => (text += String(part)))
      response.on("end", () => resume(Effect.succeed({ status: response.statusCode!, text })))
    })
    for (const chunk of chunks) request.write(chunk)
    request.end()
  })

layer(Layer.effect(Service, start()), { excludeTestServices: true })("a body", (it) => {
  it.effect("that comes in chunks and is empty is no body, whatever its type says", () =>
    Effect.gen(function* () {
      const service = yield* Service
      const shop = merchantOf(service)
      const key = service.merchant.sandboxKey
      const paid = yield* shop.paid(1_000, { receipt_email: "buyer@example.com" })
      const made = (path: string, body: object) => Effect.map(shop.post(path, body), (reply) => reply.body.data)
      const order = yield* made("/v1/orders", { amount: 100 })
      const link = yield* made("/v1/payment_links", { amount: 100 })
      const endpoint = yield* made("/v1/webhook_endpoints", { url: "https://shop.example/hook" })
      for (const type of [undefined, "application/json", "text/plain", "application/json; charset=utf-8"]) {
        for (const path of [
          `test_helpers/orders/${order.trade_no}/pay`,
          `orders/${paid["trade_no"]}/send_receipt`,
          `orders/${order.trade_no}`,
          `payment_links/${link.link_id}`,
          `webhook_endpoints/${endpoint.id}`,
          `webhook_endpoints/${endpoint.id}/rotate_secret`
        ]) {
          const { status, text } = yield* chunked(`${service.api.url}/v1/${path}`, key, [], type)
          assert.strictEqual(status, 200, `${path} ${type}: ${text}`)
        }
      }
      assert.strictEqual((yield* chunked(`${service.api.url}/v1/orders`, key, [], "application/json")).status, 400)
      const other = yield* chunked(`${service.api.url}/v1/orders/${order.trade_no}`, key, ["{}"], "text/plain")
      assert.strictEqual(other.status, 400)
    })
  )

  it.effect("that has a name twice is refused by that name, at every level and on both ways in", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const headers = { "X-Api-Key": merchant.sandboxKey, "Content-Type": "application/json" }
      for (const [path, body, param] of [
        ["/v1/orders", '{"amount":1,"amount":2}', "amount"],
        ["/v1/orders", '{"amount":1,"unknown":1,"unknown":1}', "unknown"],
        ["/v1/orders", '{"amount":1,"metadata":{"a":"1","\\u0061":"2"}}', "metadata.a"],
        ["/v1/refunds", '{"trade_no":"x","amount":5,"trade_no":"y"}', "trade_no"],
        ["/v1/disputes/x/evidence", '{"files":[{"type":"receipt","url":"a","url":"b"}]}', "files[0].url"],
        ["/v1/orders", '{"amount":1,"deep":{"er":[[{"x":1,"x":1}]]}}', "deep.er[0][0].x"]
      ] as const) {
        const plain = yield* Effect.promise(() => fetch(`${api.url}${path}`, { method: "POST", headers, body }))
        const answer = JSON.parse(yield* Effect.promise(() => plain.text()))
        assert.deepStrictEqual([answer.code, answer.error, answer.param], [400, "invalid_request", param], body)
        const parts = yield* chunked(`${api.url}${path}`, merchant.sandboxKey, [body], "application/json")
        assert.deepStrictEqual([parts.status, JSON.parse(parts.text).param], [400, param], body)
      }
    })
  )
})
