/**
 * The checks of every request before its route: envelope, addresses, keys (spec: Response envelope; Authentication;
 * Errors).
 */
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Reply } from "../../kit/Api.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/edge") {}

const isError = (reply: Reply, status: number, error: string, message?: string) =>
  assert.deepStrictEqual([reply.status, reply.body.error], [status, error], message ?? reply.text)

/** Method, path, and what `Allow` must name; further methods may join it. */
const wrongMethods: ReadonlyArray<readonly [string, string, ReadonlyArray<string>]> = [
  ["PUT", "/v1/orders", ["POST"]],
  ["DELETE", "/v1/orders", ["POST"]],
  ["PATCH", "/v1/orders/1", ["GET", "POST"]],
  ["DELETE", "/v1/orders/1", ["GET", "POST"]],
  ["GET", "/v1/orders/1/expire", ["POST"]],
  ["POST", "/v1/balance", ["GET"]],
  ["POST", "/v1/balance?currency=USD", ["GET"]],
  ["POST", "/api/v1/balance", ["GET"]],
  ["DELETE", "/v1/balance_transactions", ["GET"]],
  ["GET", "/v1/test_helpers/channel", ["POST"]],
  ["PUT", "/operator/v1/merchants/mer_1", ["GET", "POST"]],
  ["OPTIONS", "/v1/orders/1", ["GET", "POST"]],
  ["POST", "/healthz", ["GET"]],
  ["DELETE", "/checkout/1", ["GET", "POST"]]
]

const noEndpoints = [
  "/v1",
  "/v1/",
  "/v1/nothing",
  "/v1/balances",
  "/v1/orders/1/nothing",
  "/v1evil/balance",
  "/v10/balance",
  "/v2/balance",
  "/balance",
  "/api",
  "/api/v1",
  "/api/v1/nothing",
  "/api/v1evil/balance",
  "/api/v10/balance",
  "/api/balance",
  "/api/api/v1/balance",
  "/v1/v1/balance",
  "/api/operator/v1/merchants/mer_1",
  "/operator/v1/nothing"
]

layer(Layer.effect(Service, start()), { excludeTestServices: true })("the edge", (it) => {
  describe("every response", () => {
    it.effect("has the envelope: code equals the HTTP status, and request_id the X-Request-Id header", () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const { liveKey, sandboxKey: key } = yield* api.newMerchant()
        const created = yield* api.post("/v1/orders", key, { amount: 100, out_trade_no: "1" })
        yield* api.post("/v1/test_helpers/channel", key, { reachable: false })
        const replies = [
          created,
          yield* api.get("/v1/orders/1", key),
          yield* api.get("/v1/balance_transactions", key),
          yield* api.post("/v1/orders", key, {}),
          yield* api.get("/v1/balance"),
          yield* api.get("/v1/balance", liveKey),
          yield* api.get("/v1/orders/2", key),
          yield* api.get("/v1/nothing", key),
          yield* api.post("/v1/orders", key, { amount: 200, out_trade_no: "1" }),
          yield* api.post("/v1/orders/1/expire", key)
        ]
        assert.deepStrictEqual(
          replies.map(({ status }) => status),
          [201, 200, 200, 400, 401, 403, 404, 404, 409, 502]
        )
        for (const { body, headers, status } of replies) {
          assert.strictEqual(body.code, status)
          assert.strictEqual(body.request_id, headers.get("x-request-id"))
          assert.match(headers.get("content-type") ?? "", /^application\/json/)
          assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
          const { param: _, ...rest } = body
          assert.deepStrictEqual(
            Object.keys(rest).toSorted(),
            status < 400 ? ["code", "data", "message", "request_id"] : ["code", "error", "message", "request_id"]
          )
        }
        assert.strictEqual(
          new Set(replies.map(({ body }) => body.request_id)).size,
          replies.length,
          "unique per request"
        )
      })
    )

    it.effect("has a request_id of the service's own, whatever the caller sends", () =>
      Effect.gen(function* () {
        const { api, merchant } = yield* Service
        const headers = { "X-Request-Id": "req_mine" }
        const { body } = yield* api.call("GET", "/v1/balance", { key: merchant.sandboxKey, headers })
        assert.match(body.request_id, /^req_[0-9A-Z]{26}$/)
      })
    )

    it.effect("is the same at {base_url} and at {web_url}/api/v1", () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const { sandboxKey: key } = yield* api.newMerchant()
        const created = yield* api.post("/api/v1/orders", key, { amount: 100, out_trade_no: "1" })
        assert.strictEqual(created.status, 201)
        for (const path of [
          "/orders/1",
          "/balance",
          "/balance?currency=HKD",
          "/balance_transactions?limit=5",
          "/orders/2",
          "/balance?currency=x"
        ]) {
          const [short, long] = [yield* api.get(`/v1${path}`, key), yield* api.get(`/api/v1${path}`, key)]
          assert.deepStrictEqual({ ...long.body, request_id: "" }, { ...short.body, request_id: "" })
        }
        assert.strictEqual((yield* api.post("/api/v1/orders/1/expire", key)).status, 200)
      })
    )

    it.effect("for a path that is not an endpoint is 404 route_not_found, with or without a key", () =>
      Effect.gen(function* () {
        const { api, merchant } = yield* Service
        for (const path of noEndpoints) {
          for (const [method, key] of [
            ["GET", merchant.sandboxKey],
            ["POST", undefined]
          ] as const) {
            const reply = yield* api.call(method, path, { key })
            isError(reply, 404, "route_not_found", `${method} ${path}`)
            assert.isNull(reply.headers.get("allow"), path)
          }
        }
      })
    )

    it.effect("for a person's browser is a page in its language, but not below an API", () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const headers = { accept: "text/html,*/*", "accept-language": "zh-CN" }
        const page = yield* api.call("GET", "/nothing", { headers })
        assert.strictEqual(page.status, 404)
        assert.include(page.text, "找不到该页面")
        assert.include(page.headers.get("content-security-policy"), "default-src 'none'")
        for (const [method, path] of [
          ["GET", "/v1/nothing"],
          ["GET", "/operator/v1/nothing"],
          ["POST", "/nothing"]
        ] as const) {
          isError(yield* api.call(method, path, { headers }), 404, "route_not_found", path)
        }
      })
    )

    it.effect("for a path in other letters is 404 as well: paths are case-sensitive", () =>
      Effect.gen(function* () {
        const { api, merchant } = yield* Service
        for (const path of ["/V1/balance", "/v1/Balance", "/v1/BALANCE_TRANSACTIONS", "/API/v1/balance"]) {
          isError(yield* api.get(path, merchant.sandboxKey), 404, "route_not_found", path)
        }
      })
    )

    it.effect("for an unknown method is 404 route_not_found with an Allow header", () =>
      Effect.gen(function* () {
        const { api, merchant } = yield* Service
        for (const [method, path, allowed] of wrongMethods) {
          const reply = yield* api.call(method, path, { key: merchant.sandboxKey })
          isError(reply, 404, "route_not_found", `${method} ${path}`)
          const named = reply.headers.get("allow")?.split(", ") ?? []
          assert.includeMembers(named, [...allowed], `${method} ${path}`)
          assert.notInclude(named, method)
          assert.strictEqual(named.includes("HEAD"), named.includes("GET"))
        }
      })
    )

    it.effect("to HEAD is the one to GET without its body", () =>
      Effect.gen(function* () {
        const { baseUrl, merchant } = yield* Service
        for (const [path, status] of [
          ["/v1/balance", 200],
          ["/v1/orders/1", 404],
          ["/v1/nothing", 404]
        ] as const) {
          const headers = { "X-Api-Key": merchant.sandboxKey }
          const response = yield* Effect.promise(() => fetch(baseUrl + path, { method: "HEAD", headers }))
          assert.strictEqual(response.status, status, path)
          assert.match(response.headers.get("x-request-id") ?? "", /^req_/)
          assert.strictEqual(yield* Effect.promise(() => response.text()), "")
        }
      })
    )
  })

  describe("the key", () => {
    it.effect("is missing: 401 missing_api_key", () =>
      Effect.gen(function* () {
        const { api, merchant } = yield* Service
        for (const headers of [
          {},
          { "X-Api-Key": "" },
          { "X-Api-Key": "   " },
          { Authorization: `Bearer ${merchant.sandboxKey}` }
        ]) {
          isError(yield* api.call("GET", "/v1/balance", { headers }), 401, "missing_api_key", JSON.stringify(headers))
        }
        isError(yield* api.get(`/v1/balance?X-Api-Key=${merchant.sandboxKey}`), 401, "missing_api_key")
      })
    )

    it.effect("that is asked for with a 401 is named in WWW-Authenticate, on both ways in and of both APIs", () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const merchants = 'ApiKey realm="merchant", header="X-Api-Key"'
        for (const [path, key, challenge] of [
          ["/v1/balance", undefined, merchants],
          ["/v1/balance", "svc_test_unknown", merchants],
          ["/api/v1/orders/1/timeline", undefined, merchants],
          ["/v1/orders?format=csv", "svc_live_unknown", merchants],
          ["/operator/v1/merchants", undefined, 'Bearer realm="operator"']
        ] as const) {
          const { headers, status } = yield* api.get(path, key)
          assert.deepStrictEqual([status, headers.get("www-authenticate")], [401, challenge], path)
        }
        assert.isNull((yield* api.get("/v1/nowhere")).headers.get("www-authenticate"))
      })
    )

    it.effect("is invalid: 401 invalid_api_key for an unknown one, one with spaces, several, and other letters", () =>
      Effect.gen(function* () {
        const { api, merchant } = yield* Service
        const key = merchant.sandboxKey
        for (const sent of [
          "svc_test_unknown",
          "svc_test_",
          "unknown",
          "null",
          `Bearer ${key}`,
          `${key} ${key}`,
          `${key},${key}`,
          `${key}, ${merchant.liveKey}`,
          key.toUpperCase(),
          key.slice(0, -1),
          `${key}A`,
          key.replace("svc_test_", ""),
          key.replace("svc_test_", "svc_live_"),
          "svc_test_é",
          "svc_test_' or ''='",
          `svc_test_${"x".repeat(8000)}`
        ]) {
          isError(yield* api.get("/v1/balance", sent), 401, "invalid_api_key", sent.slice(0, 60))
        }
        const twice = new Headers([
          ["X-Api-Key", key],
          ["X-Api-Key", key]
        ])
        isError(yield* api.call("GET", "/v1/balance", { headers: Object.fromEntries(twice) }), 401, "invalid_api_key")
      })
    )

    it.effect("is checked before the body, the query and the object", () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const { liveKey } = yield* api.newMerchant()
        for (const [method, path, raw] of [
          ["POST", "/v1/orders", "{"],
          ["POST", "/v1/orders/nothing", '{"metadata":5}'],
          ["POST", "/v1/orders/nothing/expire", undefined],
          ["GET", "/v1/balance?currency=EUR", undefined],
          ["GET", "/v1/balance_transactions?limit=0", undefined]
        ] as const) {
          const sent = raw === undefined ? {} : { raw }
          isError(yield* api.call(method, path, sent), 401, "missing_api_key", path)
          isError(yield* api.call(method, path, { ...sent, key: "svc_test_1" }), 401, "invalid_api_key", path)
          isError(yield* api.call(method, path, { ...sent, key: liveKey }), 403, "merchant_not_approved", path)
        }
      })
    )

    it.effect("that is live works from approval on, and no longer when it is withdrawn", () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const { liveKey, merchantId, sandboxKey } = yield* api.newMerchant()
        const approve = (approved: boolean) =>
          api.operator("POST", `/merchants/${merchantId}`, { approved, live_currencies: ["USD"] })
        isError(yield* api.get("/v1/balance", liveKey), 403, "merchant_not_approved")
        assert.strictEqual((yield* api.get("/v1/balance", sandboxKey)).status, 200)
        yield* approve(true)
        assert.strictEqual((yield* api.get("/v1/balance", liveKey)).body.data.mode, "live")
        yield* approve(false)
        isError(yield* api.get("/v1/balance", liveKey), 403, "merchant_not_approved")
      })
    )

    it.effect("that is live finds no test helpers: 404 route_not_found, and nothing happens", () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const { liveKey, merchantId } = yield* api.newMerchant()
        yield* api.operator("POST", `/merchants/${merchantId}`, { approved: true, live_currencies: ["USD"] })
        yield* api.post("/v1/orders", liveKey, { amount: 100, out_trade_no: "1", notify_url: "https://shop.example/" })
        isError(yield* api.post("/v1/test_helpers/orders/1/pay", liveKey, {}), 404, "route_not_found")
        isError(yield* api.post("/v1/test_helpers/channel", liveKey, { reachable: false }), 404, "route_not_found")
        isError(yield* api.post("/v1/test_helpers/channel", liveKey, { reachable: 5 }), 404, "route_not_found")
        assert.strictEqual((yield* api.get("/v1/orders/1", liveKey)).body.data.status, "pending")
      })
    )
  })

  describe("health", () => {
    it.effect("/healthz says that the process answers and /readyz that it can work, without a key", () =>
      Effect.gen(function* () {
        const { api } = yield* Service
        const [health, ready] = [yield* api.get("/healthz"), yield* api.get("/readyz")]
        assert.deepStrictEqual([health.status, health.body.status], [200, "ok"])
        assert.deepStrictEqual([ready.status, ready.body.status], [200, "ready"])
        assert.deepStrictEqual(ready.body.checks, {
          postgres: true,
          results: true,
          writes: true,
          cluster: true,
          clock: true,
          accepting: true
        })
        for (const { headers } of [health, ready]) assert.match(headers.get("x-request-id") ?? "", /^req_/)
      })
    )
  })
})
