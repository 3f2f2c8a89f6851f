/** Bodies in unusual transfer forms: in chunks, and compressed (silences: G6, G26). */
import { gzipSync } from "node:zlib"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { head, sendRaw } from "../../kit/callers/Raw.ts"
import { operatorToken, type Running, start } from "../../kit/Service.ts"
import { fileOf, filePart, formOf, headersOfForm, modePart } from "../../kit/callers/uploads.ts"

class Service extends Context.Service<Service, Running>()("test/sentOtherwise") {}

const json = { "Content-Type": "application/json" }
const form = { "Content-Type": "application/x-www-form-urlencoded" }
const chunked = { "Transfer-Encoding": "chunked" }

/** Each byte is a chunk. */
const inChunks = (bytes: Buffer): Buffer =>
  Buffer.concat([...[...bytes].map((byte) => Buffer.from([0x31, 13, 10, byte, 13, 10])), Buffer.from("0\r\n\r\n")])

/** A valid order in exactly so many bytes. */
const orderOf = (bytes: number) => Buffer.from('{"amount":100}'.padEnd(bytes))

layer(Layer.effect(Service, start()), { excludeTestServices: true })("a body", (it) => {
  const post = Effect.fnUntraced(function* (path: string, headers: Record<string, string>, body: Buffer) {
    const { baseUrl, merchant } = yield* Service
    const length = "Transfer-Encoding" in headers ? {} : { "Content-Length": body.length }
    const key = { "X-Api-Key": merchant.sandboxKey, Authorization: `Bearer ${operatorToken}` }
    return yield* sendRaw(baseUrl, head(`POST ${path}`, { ...key, ...headers, ...length }), body)
  })

  it.effect("may come in 2,000 chunks and not in one more, since each costs as much as a hundred bytes", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* post("/v1/orders", { ...json, ...chunked }, inChunks(orderOf(2_000)))).status, 201)
      for (const bytes of [2_001, 20_000]) {
        const { body, status } = yield* post("/v1/orders", { ...json, ...chunked }, inChunks(orderOf(bytes)))
        assert.deepStrictEqual([status, body.error], [400, "invalid_request"])
        assert.match(body.message, /chunks/)
      }
    })
  )

  it.effect("that is a file may come in small chunks, and is kept as it is", () =>
    Effect.gen(function* () {
      const { merchant } = yield* Service
      const file = fileOf("pdf", 1_500)
      const sent = inChunks(formOf(modePart("sandbox"), filePart(file)))
      const path = `/operator/v1/merchants/${merchant.merchantId}/files`
      const { body, status } = yield* post(path, { ...headersOfForm, ...chunked }, sent)
      assert.strictEqual(status, 201)
      const kept = yield* Effect.promise(() => fetch(body.data.url).then((response) => response.arrayBuffer()))
      assert.deepStrictEqual(Buffer.from(kept), file)
    })
  )

  it.effect("that is compressed is 400, and the message says that it is: on both ways in, and as a file", () =>
    Effect.gen(function* () {
      const { merchant } = yield* Service
      const path = `/operator/v1/merchants/${merchant.merchantId}/files`
      const upload = formOf(modePart("sandbox"), filePart(fileOf("pdf")))
      for (const coding of ["gzip", "GZIP", "x-gzip", "deflate", "br", "zstd", "identity, gzip"]) {
        const packed = { "Content-Encoding": coding }
        for (const [to, headers, body] of [
          ["/v1/orders", json, orderOf(20)],
          ["/v1/orders", { "Content-Type": "Application/JSON" }, orderOf(20)],
          ["/v1/orders", { ...json, "Idempotency-Key": coding }, orderOf(20)],
          ["/operator/v1/merchants", json, Buffer.from('{"name":"a"}')],
          [path, headersOfForm, upload]
        ] as const) {
          const reply = yield* post(to, { ...headers, ...packed }, gzipSync(body))
          assert.deepStrictEqual([reply.status, reply.body.error], [400, "invalid_request"], `${to} ${coding}`)
          assert.strictEqual(reply.body.message, "Compressed bodies are not accepted: omit Content-Encoding.")
          assert.notProperty(reply.body, "param")
        }
      }
      const packed = { ...json, "Transfer-Encoding": "gzip, chunked" }
      const reply = yield* post("/v1/orders", packed, inChunks(gzipSync(orderOf(20))))
      assert.deepStrictEqual([reply.status, reply.body.error], [400, "invalid_request"])
      assert.match(reply.body.message, /^Compressed bodies are not accepted/)
    })
  )

  it.effect("whose Content-Encoding is identity is as it is, and none cannot be compressed", () =>
    Effect.gen(function* () {
      for (const coding of ["identity", "Identity", ""]) {
        assert.strictEqual(
          (yield* post("/v1/orders", { ...json, "Content-Encoding": coding }, orderOf(20))).status,
          201
        )
      }
      const { body } = yield* post("/v1/orders", json, orderOf(20))
      const path = `/v1/orders/${body.data.trade_no}/expire`
      assert.strictEqual((yield* post(path, { "Content-Encoding": "gzip" }, Buffer.alloc(0))).status, 200)
    })
  )

  it.effect("of a checkout page that is compressed is no form of ours, and nothing is paid", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const { body } = yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 100 })
      const { pathname } = new URL(body.data.checkout_url)
      const card = Buffer.from("step=pay&method=card&number=4242424242424242&expiry=12%2F40&cvc=123")
      for (const sent of [card, gzipSync(card)]) {
        assert.strictEqual((yield* post(pathname, { ...form, "Content-Encoding": "gzip" }, sent)).status, 422)
      }
    })
  )
})
