/** Which calls are kept as API logs, for whom, and with which fields (spec: API log; silences: A1 to A7). */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { flushed, type Log, loggedMerchant } from "../../kit/rows/logs.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/logs") {}

const fresh = Effect.flatMap(Service, loggedMerchant)

layer(Layer.effect(Service, start()), { excludeTestServices: true })("what is kept", (it) => {
  it.effect("every field of a call, with its bodies", () =>
    Effect.gen(function* () {
      const { logged } = yield* fresh
      const { log, reply } = yield* logged("POST", "/api/v1/orders?a=b", {
        body: { amount: 1000, subject: "Tea 茶 😀", metadata: { a: "b" } },
        headers: { "User-Agent": "shop/1.0", "Idempotency-Key": "key-1" }
      })
      const { created_at, duration_ms, response_body, ...rest } = log
      assert.deepStrictEqual(rest, {
        object: "api_log",
        request_id: reply.body.request_id,
        mode: "sandbox",
        method: "POST",
        path: "/v1/orders",
        status: 201,
        error_code: null,
        ip: "127.0.0.1",
        key_id: null,
        source: "api",
        user_agent: "shop/1.0",
        idempotency_key: "key-1",
        ignored_fields: null,
        request_body: { amount: 1000, subject: "Tea 茶 😀", metadata: { a: "b" } }
      })
      const data = reply.body.data
      const token = data.checkout_url.slice(data.checkout_url.lastIndexOf("/") + 1)
      assert.deepStrictEqual(response_body, {
        ...reply.body,
        data: { ...data, checkout_url: data.checkout_url.replace(token, "[redacted]") }
      })
      assert.isTrue(Number.isInteger(duration_ms) && duration_ms >= 0)
      assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    })
  )

  it.effect(
    "fields that were ignored stand in the log with the nearest known one, and as no more than a plain word",
    () =>
      Effect.gen(function* () {
        const { logged } = yield* fresh
        const body = { amount: 1_000, metadta: { a: "b" }, "ada@example.com": 1, color: "red" }
        const { log, reply } = yield* logged("POST", "/v1/orders", { body })
        assert.strictEqual(reply.status, 201)
        assert.deepStrictEqual(log.ignored_fields, [
          { name: "metadta", nearest: "metadata" },
          { name: "[redacted]", nearest: null },
          { name: "color", nearest: null }
        ])
        assert.include(reply.headers.get("coffer-ignored-fields"), "metadta;nearest=metadata")
        const refused = yield* logged("POST", "/v1/refunds", { body: { trade_no: "none", amout: 5 } })
        assert.deepStrictEqual(refused.log.ignored_fields, [{ name: "amout", nearest: "amount" }])
      })
  )

  it.effect("a refusal has its error code, also one of the framework or without a handler", () =>
    Effect.gen(function* () {
      const { logged } = yield* fresh
      for (const [method, path, call, status, code, request_body] of [
        ["POST", "/v1/orders", { body: { amount: 0 } }, 400, "invalid_request", { amount: 0 }],
        ["POST", "/v1/orders", { raw: "{not json" }, 400, "invalid_request", null],
        ["POST", "/v1/orders", { raw: "" }, 400, "invalid_request", null],
        ["POST", "/v1/orders", { raw: "a=1", headers: { "Content-Type": "text/plain" } }, 400, "invalid_request", null],
        ["GET", "/v1/orders/nothing", {}, 404, "order_not_found", null],
        ["GET", "/v1/logs?limit=0", {}, 400, "invalid_request", null]
      ] as const) {
        const { log, reply } = yield* logged(method, path, call)
        assert.deepStrictEqual(
          [log.status, log.error_code, log.path, log.request_body],
          [status, code, path.replace(/\?.*/, ""), request_body]
        )
        assert.deepStrictEqual(log.response_body, reply.body)
      }
    })
  )

  it.effect("a call of an address that is none of ours is stored for the owner of its key", () =>
    Effect.gen(function* () {
      const { logged } = yield* fresh
      for (const [method, path] of [
        ["GET", "/v1/nothing"],
        ["POST", "/v1/order"],
        ["PUT", "/v1/orders"],
        ["GET", "/v1/orders/1/expire"],
        ["GET", "/v1/orders/"]
      ] as const) {
        const { log, reply } = yield* logged(method, path, method === "GET" ? {} : { body: { amount: 5 } })
        assert.deepStrictEqual([reply.status, reply.body.error], [404, "route_not_found"])
        assert.deepStrictEqual(
          [log.method, log.path, log.status, log.error_code],
          [method, path, 404, "route_not_found"]
        )
      }
    })
  )

  it.effect("what no owner is known for is not stored: no key, a wrong key, the operator, a page", () =>
    Effect.gen(function* () {
      const { api, key } = yield* fresh
      const { sql } = yield* Service
      const count = Effect.andThen(
        Effect.flatMap(Service, flushed),
        Effect.map(sql`select 1 from api_logs`, (rows) => rows.length)
      )
      const before = yield* count
      assert.strictEqual((yield* api.post("/v1/orders", undefined, { amount: 1 })).status, 401)
      assert.strictEqual((yield* api.post("/v1/orders", `${key}x`, { amount: 1 })).status, 401)
      assert.strictEqual((yield* api.operator("GET", "/merchants/mer_none")).status, 404)
      yield* api.get("/readyz")
      for (const path of ["/v1/nothing", "/v1/orders/"]) {
        assert.strictEqual((yield* api.get(path)).status, 404)
        assert.strictEqual((yield* api.get(path, `${key}x`)).status, 404)
      }
      assert.strictEqual((yield* api.get("/nothing", key)).status, 404)
      assert.strictEqual(yield* count, before)
      yield* api.get("/v1/balance", key)
      assert.strictEqual(yield* count, before + 1)
    })
  )

  it.effect("a refusal of a known key is stored, with the body that no handler has read", () =>
    Effect.gen(function* () {
      const { api, logsOf, merchant } = yield* fresh
      const refused = yield* api.post("/v1/orders", merchant.liveKey, { amount: 5, password: "p" })
      assert.deepStrictEqual([refused.status, refused.body.error], [403, "merchant_not_approved"])
      yield* flushed(yield* Service)
      yield* api.operator("POST", `/merchants/${merchant.merchantId}`, { approved: true })
      const [log] = yield* logsOf("", merchant.liveKey)
      assert.strictEqual(log.request_id, refused.body.request_id)
      assert.deepStrictEqual([log.mode, log.status, log.error_code], ["live", 403, "merchant_not_approved"])
      assert.deepStrictEqual(log.request_body, { amount: 5, password: "[redacted]" })
    })
  )

  it.effect("calls that read the logs are logged themselves", () =>
    Effect.gen(function* () {
      const { list, logsOf } = yield* fresh
      const first = yield* list()
      const [second] = yield* logsOf()
      assert.strictEqual(second.request_id, first.body.request_id)
      assert.strictEqual(second.path, "/v1/logs")
      assert.deepStrictEqual(second.response_body, first.body)
    })
  )

  it.effect("another merchant and the other environment see nothing of it, also by request_id", () =>
    Effect.gen(function* () {
      const one = yield* fresh
      const other = yield* fresh
      const { reply } = yield* one.logged("POST", "/v1/orders", { body: { amount: 1 } })
      yield* one.api.operator("POST", `/merchants/${one.merchant.merchantId}`, { approved: true })
      for (const key of [other.key, one.merchant.liveKey]) {
        assert.deepStrictEqual(yield* one.logsOf(`?request_id=${reply.body.request_id}`, key), [])
        assert.deepStrictEqual(
          (yield* one.logsOf("", key)).filter(({ path }: Log) => path !== "/v1/logs"),
          []
        )
      }
    })
  )
})
