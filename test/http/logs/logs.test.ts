/** API logs (spec: API log; Events and logs; List conventions; silences: A1 to A7): what is kept, and how it is read. */
import { Api } from "@coffer/contract/Api"
import { assert, it as test, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { OpenApi } from "effect/http-api"
import { successes } from "../../../src/logs/LogStore.ts"
import { Logs } from "../../../src/logs/Logs.ts"
import type { Call, Merchant } from "../../kit/Api.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/logs") {}

// oxlint-disable-next-line no-explicit-any
type Log = any

const flushed = Effect.flatMap(Service, ({ context }) => Context.get(context, Logs).flushed)

/** A merchant whose logs are its own. */
const fresh = Effect.gen(function* () {
  const { api } = yield* Service
  const merchant: Merchant = yield* api.newMerchant()
  const key = merchant.sandboxKey
  const list = Effect.fnUntraced(function* (query = "", by = key) {
    yield* flushed
    return yield* api.get(`/v1/logs${query}`, by)
  })
  const logsOf = (query = "", by = key) => Effect.map(list(query, by), ({ body }) => body.data.data as Array<Log>)
  /** One call, and the log that was made of it. */
  const logged = Effect.fnUntraced(function* (method: string, path: string, call: Call = {}) {
    const reply = yield* api.call(method, path, { key, ...call })
    const [log] = yield* logsOf(`?request_id=${reply.headers.get("x-request-id")}`)
    return { reply, log: log as Log }
  })
  return { api, key, merchant, list, logsOf, logged }
})

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
        user_agent: "shop/1.0",
        idempotency_key: "key-1",
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
        flushed,
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
      yield* flushed
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

  it.effect("secrets are redacted before anything is stored, in the database as in the answer", () =>
    Effect.gen(function* () {
      const { logged } = yield* fresh
      const { sql } = yield* Service
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
      assert.deepStrictEqual(yield* sql`select 1 from api_logs l where l::text like '%s3cr3t%'`, [])
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

layer(Layer.effect(Service, start()), { excludeTestServices: true })("GET /v1/logs", (it) => {
  it.effect("answers a list with retention_days inside data", () =>
    Effect.gen(function* () {
      const { key, api, list } = yield* fresh
      yield* api.get("/v1/balance", key)
      const { body, status } = yield* list("?path=/v1/balance")
      assert.strictEqual(status, 200)
      const { data, ...rest } = body.data
      assert.deepStrictEqual(rest, {
        object: "list",
        resource: "api_log",
        has_more: false,
        url: "/v1/logs",
        retention_days: 30
      })
      assert.strictEqual(data.length, 1)
    })
  )

  it.effect("filters: status and its class, path, error_code, request_id, and all of them together", () =>
    Effect.gen(function* () {
      const { api, key, logsOf } = yield* fresh
      const { body } = yield* api.post("/v1/orders", key, { amount: 1 })
      yield* api.get(`/v1/orders/${body.data.trade_no}`, key)
      yield* api.get("/v1/orders/none", key)
      yield* api.get("/v1/balance?currency=EUR", key)
      yield* api.post("/v1/test_helpers/channel", key, { reachable: false })
      yield* api.post(`/v1/orders/${body.data.trade_no}/expire`, key)

      const order = `/v1/orders/${body.data.trade_no}`
      for (const [query, expected] of [
        ["status=201", ["201 /v1/orders"]],
        ["status=404", ["404 /v1/orders/none"]],
        ["status=4xx", ["400 /v1/balance", "404 /v1/orders/none"]],
        ["status=5xx", [`502 ${order}/expire`]],
        ["status=2xx&path=/v1/orders", ["201 /v1/orders"]],
        ["status=418", []],
        ["status=1xx", []],
        ["path=/v1/orders", ["201 /v1/orders"]],
        [`path=${order}`, [`200 ${order}`]],
        ["path=/v1/order", []],
        ["path=/v1/orders%25", []],
        ["path=%00", []],
        ["error_code=processor_error", [`502 ${order}/expire`]],
        ["error_code=invalid_request", ["400 /v1/balance"]],
        ["error_code=nothing", []],
        ["error_code=%00", []],
        [`request_id=${body.request_id}`, ["201 /v1/orders"]],
        [`request_id=${body.request_id}&status=404`, []],
        ["request_id=req_0", []],
        ["status=404&path=/v1/orders/none&error_code=order_not_found", ["404 /v1/orders/none"]]
      ] as const) {
        const found = yield* logsOf(`?${query}`)
        assert.deepStrictEqual(
          found.map(({ path, status }: Log) => `${status} ${path}`),
          [...expected],
          query
        )
      }
    })
  )

  it.effect("a range of created includes its ends, in ISO 8601 or in seconds", () =>
    Effect.gen(function* () {
      const { api, key, logsOf } = yield* fresh
      yield* api.get("/v1/balance", key)
      const [log] = yield* logsOf("?path=/v1/balance")
      const millis = Date.parse(log.created_at)
      const iso = (offset: number) => encodeURIComponent(new Date(millis + offset).toISOString())
      for (const [query, length] of [
        [`created[gte]=${iso(0)}&created[lte]=${iso(0)}`, 1],
        [`created[gte]=${iso(1)}`, 0],
        [`created[lte]=${iso(-1)}`, 0],
        [`created[gte]=${Math.floor(millis / 1000)}`, 1],
        [`created[gte]=${Math.floor(millis / 1000) + 1}`, 0],
        [`created[lte]=${Math.floor(millis / 1000) + 1}`, 1],
        ["created[gte]=0", 1]
      ] as const) {
        assert.strictEqual((yield* logsOf(`?path=/v1/balance&${query}`)).length, length, query)
      }
    })
  )

  it.effect("newest first; starting_after goes on, ending_before goes back, has_more says whether more follows", () =>
    Effect.gen(function* () {
      const { api, key, list } = yield* fresh
      const ids: Array<string> = []
      for (let count = 0; count < 7; count++) {
        ids.unshift((yield* api.get("/v1/balance", key)).body.request_id)
      }
      for (const [query, expected, more] of [
        ["", ids, false],
        ["&limit=3", ids.slice(0, 3), true],
        ["&limit=7", ids, false],
        [`&limit=3&starting_after=${ids[2]}`, ids.slice(3, 6), true],
        [`&limit=3&starting_after=${ids[5]}`, ids.slice(6), false],
        [`&starting_after=${ids[6]}`, [], false],
        [`&limit=2&ending_before=${ids[6]}`, ids.slice(4, 6), true],
        [`&limit=2&ending_before=${ids[2]}`, ids.slice(0, 2), false],
        [`&ending_before=${ids[0]}`, [], false]
      ] as const) {
        const { body } = yield* list(`?path=/v1/balance${query}`)
        assert.deepStrictEqual(
          [body.data.data.map(({ request_id }: Log) => request_id), body.data.has_more],
          [[...expected], more],
          query
        )
      }
    })
  )

  it.effect("20 by default, and a filter that is rare still fills its page", () =>
    Effect.gen(function* () {
      const { api, key, list } = yield* fresh
      yield* Effect.forEach(Array.from({ length: 25 }), () => api.get("/v1/balance", key), { concurrency: 8 })
      const { body } = yield* list()
      assert.strictEqual(body.data.data.length, 20)
      assert.isTrue(body.data.has_more)
      assert.strictEqual((yield* list("?path=/v1/balance&limit=100")).body.data.data.length, 25)
    })
  )

  it.effect("what cannot be asked is 400 with its param", () =>
    Effect.gen(function* () {
      const { api, key, merchant, list } = yield* fresh
      const stranger = yield* fresh
      const foreign = (yield* stranger.api.get("/v1/balance", stranger.key)).body.request_id
      const own = (yield* api.get("/v1/balance", key)).body.request_id
      const order = (yield* api.post("/v1/orders", key, { amount: 1 })).body.data.trade_no
      yield* flushed
      for (const [query, param] of [
        ["limit=0", "limit"],
        ["limit=101", "limit"],
        ["limit=abc", "limit"],
        ["limit=1.5", "limit"],
        ["status=40", "status"],
        ["status=4XX", "status"],
        ["status=4x", "status"],
        ["status=600", "status"],
        ["status=0xx", "status"],
        ["status=abc", "status"],
        ["status=", "status"],
        ["status=404,409", "status"],
        ["created[gte]=yesterday", "created[gte]"],
        ["created[lte]=", "created[lte]"],
        [`starting_after=${foreign}`, "starting_after"],
        [`ending_before=${foreign}`, "ending_before"],
        [`starting_after=${order}`, "starting_after"],
        [`starting_after=${own.toLowerCase()}`, "starting_after"],
        ["starting_after=req_00000000000000000000000000", "starting_after"],
        ["starting_after=", "starting_after"],
        ["ending_before=%00", "ending_before"]
      ] as const) {
        const { body, status } = yield* list(`?${query}`)
        assert.deepStrictEqual([status, body.error, body.param], [400, "invalid_request", param], query)
      }
      const both = yield* list(`?starting_after=${own}&ending_before=${own}`)
      assert.deepStrictEqual([both.status, both.body.error], [400, "invalid_request"])
      const csv = yield* list("?format=csv")
      assert.deepStrictEqual([csv.status, csv.body.param], [400, "format"])
      yield* api.operator("POST", `/merchants/${merchant.merchantId}`, { approved: true })
      const otherMode = yield* list(`?starting_after=${own}`, merchant.liveKey)
      assert.deepStrictEqual([otherMode.status, otherMode.body.param], [400, "starting_after"])
    })
  )
})

test("no endpoint has another success than those that status=2xx asks for", () => {
  const statuses = Object.values(OpenApi.fromApi(Api).paths).flatMap(({ delete: del, get, post }) =>
    [del, get, post].flatMap((endpoint) => Object.keys(endpoint?.responses ?? {}).map(Number))
  )
  assert.isNotEmpty(statuses)
  assert.deepStrictEqual(
    statuses.filter((status) => status < 400 && !successes.includes(status)),
    []
  )
})
