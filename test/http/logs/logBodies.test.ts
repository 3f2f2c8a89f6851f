/**
 * Bodies in API logs: what is redacted, how much is kept, and what cannot be kept unchanged (spec: API log;
 * Limits; silences: A3).
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { type Log, loggedMerchant, storedLogs } from "../../kit/rows/logs.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/logBodies") {}

const fresh = Effect.flatMap(Service, loggedMerchant)

const card = "4111111111111111"

layer(Layer.effect(Service, start()), { excludeTestServices: true })("a body in the logs", (it) => {
  it.effect("secrets are redacted before anything is stored, in the database as in the answer", () =>
    Effect.gen(function* () {
      const { logged } = yield* fresh
      const { log } = yield* logged("POST", "/v1/orders", {
        body: {
          amount: 1,
          metadata: { "X-Api-Key": "s3cr3t-1", fine: "yes" },
          card: { number: "s3cr3t-2" },
          deep: [{ er: { cardNumber: "s3cr3t-3", clientSecret: ["s3cr3t-4"] } }]
        }
      })
      assert.deepStrictEqual(log.request_body, {
        amount: 1,
        metadata: { "X-Api-Key": "[redacted]", fine: "yes" },
        card: "[redacted]",
        deep: [{ er: { cardNumber: "[redacted]", clientSecret: "[redacted]" } }]
      })
      assert.strictEqual(log.response_body.data.metadata["X-Api-Key"], "[redacted]")
      const stored = yield* storedLogs(yield* Service)
      assert.include(stored, "[redacted]")
      assert.notInclude(stored, "s3cr3t")
    })
  )

  it.effect("a card number in the body, path, query or a header is cut before anything is stored", () =>
    Effect.gen(function* () {
      const { api, key, logsOf } = yield* fresh
      const created = yield* api.call("POST", `/v1/orders?card=${card}`, {
        key,
        body: { amount: 1000, out_trade_no: "1", subject: `For 4111 1111 1111 1111`, metadata: { note: card } },
        headers: { "User-Agent": `shop/1.0 (${card})`, "Idempotency-Key": `key-${card}` }
      })
      assert.strictEqual(created.body.data.metadata.note, card)
      yield* api.get(`/v1/orders/${card}`, key)
      yield* api.get("/v1/orders/4111%201111%201111%201111", key)

      const logs = yield* logsOf()
      assert.deepStrictEqual(
        logs.map(({ path }: Log) => path),
        ["/v1/orders/[redacted]", "/v1/orders/[redacted]", "/v1/orders"]
      )
      const { idempotency_key, request_body, response_body, user_agent } = logs[2]
      assert.deepStrictEqual([user_agent, idempotency_key], ["shop/1.0 ([redacted])", "key-[redacted]"])
      assert.deepStrictEqual(request_body, {
        amount: 1000,
        out_trade_no: "1",
        subject: "For [redacted]",
        metadata: { note: "[redacted]" }
      })
      assert.strictEqual(response_body.data.trade_no, created.body.data.trade_no)
      assert.notMatch(yield* storedLogs(yield* Service), /4111.{0,3}1111/)
    })
  )

  it.effect("a request body of 16,384 bytes is kept, and of one byte more only the size", () =>
    Effect.gen(function* () {
      const { logged } = yield* fresh
      const bodyOf = (bytes: number) => {
        const frame = '{"amount":1,"subject":"","extra":""}'
        return `{"amount":1,"subject":"","extra":"${"茶".repeat(100)}${"x".repeat(bytes - frame.length - 300)}"}`
      }
      const kept = yield* logged("POST", "/v1/orders", { raw: bodyOf(16_384) })
      assert.strictEqual(kept.reply.status, 201)
      assert.strictEqual(kept.log.request_body.extra.length, 16_384 - 36 - 300 + 100)
      const cut = yield* logged("POST", "/v1/orders", { raw: bodyOf(16_385) })
      assert.strictEqual(cut.reply.status, 201)
      assert.deepStrictEqual(cut.log.request_body, { _truncated: true, bytes: 16_385 })
      const refused = yield* logged("POST", "/v1/orders", { raw: "x".repeat(1024 * 1024 + 1) })
      assert.strictEqual(refused.log.status, 400)
      assert.deepStrictEqual(refused.log.request_body, { _truncated: true, bytes: 1024 * 1024 + 1 })
    })
  )

  it.effect("of a response body over 16,384 bytes only the size is kept", () =>
    Effect.gen(function* () {
      const { logged } = yield* fresh
      const metadata = Object.fromEntries(
        Array.from({ length: 33 }, (_, index) => [`key-${String(index).padStart(2, "0")}`, "v".repeat(470)])
      )
      const large = yield* logged("POST", "/v1/orders", { body: { amount: 1, metadata } })
      const bytes = Buffer.byteLength(large.reply.text)
      assert.isAbove(bytes, 16_384)
      assert.deepStrictEqual(large.log.response_body, { _truncated: true, bytes })
      // Made to measure: exactly the limit is kept.
      const fitting = { ...metadata, "key-32": "v".repeat(470 - (bytes - 16_384)) }
      const exact = yield* logged("POST", "/v1/orders", { body: { amount: 1, metadata: fitting } })
      assert.strictEqual(Buffer.byteLength(exact.reply.text), 16_384)
      assert.deepStrictEqual(exact.log.response_body.data.metadata, fitting)
    })
  )

  it.effect("text that Postgres cannot hold neither loses the log nor those beside it", () =>
    Effect.gen(function* () {
      const { logged } = yield* fresh
      const raw = String.raw`{"amount":1,"a":"\u0000","b":"\ud800","c":"\\u0000","d":"\ud83d\ude00","\u0000e":1}`
      const { log } = yield* logged("POST", "/v1/orders", { raw })
      assert.deepStrictEqual(log.request_body, {
        amount: 1,
        a: "\ufffd",
        b: "\ufffd",
        c: String.raw`\u0000`,
        d: "😀",
        "\ufffde": 1
      })
    })
  )

  it.effect("hostile nesting is kept to its depth", () =>
    Effect.gen(function* () {
      const { logged } = yield* fresh
      const raw = `{"amount":1,"extra":${"[".repeat(1_000)}${"]".repeat(1_000)}}`
      const { log, reply } = yield* logged("POST", "/v1/orders", { raw })
      assert.strictEqual(reply.status, 201)
      let depth = 0
      for (let inner = log.request_body.extra; Array.isArray(inner); inner = inner[0]) depth++
      assert.strictEqual(depth, 63)
    })
  )

  it.effect("an answer that is not JSON has no body in its log", () =>
    Effect.gen(function* () {
      const { logged } = yield* fresh
      const { log, reply } = yield* logged("GET", "/v1/orders?format=csv")
      assert.match(reply.headers.get("content-type")!, /^text\/csv/)
      assert.deepStrictEqual([log.status, log.path, log.response_body], [200, "/v1/orders", null])
    })
  )

  it.effect("a body sent in chunks, without a length, is kept", () =>
    Effect.gen(function* () {
      const { api, key, logsOf } = yield* fresh
      const response = yield* Effect.promise(() =>
        fetch(`${api.url}/v1/orders`, {
          method: "POST",
          headers: { "X-Api-Key": key, "Content-Type": "application/json" },
          body: new Blob(['{"amount":', "7}"]).stream(),
          duplex: "half"
        } as RequestInit)
      )
      assert.strictEqual(response.status, 201)
      const [log] = yield* logsOf(`?request_id=${response.headers.get("x-request-id")}`)
      assert.deepStrictEqual(log.request_body, { amount: 7 })
    })
  )
})
