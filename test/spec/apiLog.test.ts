/** The specification's section API log. How long and how surely logs are kept is in test/http and test/store. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Call, Reply } from "../kit/Api.ts"
import { get, invalid, logged, ok, page, type Row, specified, type World } from "./rows.ts"

/** Makes a call, and answers the log of it. */
const logOf = (method: string, path: string, call: Call) => (at: World) =>
  Effect.gen(function* () {
    const reply = yield* at.api.call(method, path, { key: at.merchant.sandboxKey, ...call })
    yield* logged(at)
    return yield* get(`/v1/logs?request_id=${reply.headers.get("x-request-id")}`)(at)
  })

const ofOrder = (body: object) => logOf("POST", "/v1/orders", { body: { amount: 100, ...body } })

const log = (look: (row: { readonly [field: string]: any }) => void) =>
  ok((reply: Reply) => {
    assert.strictEqual(page(reply).length, 1)
    look(page(reply)[0]!)
  })

const secrets = [
  "api_key",
  "secret",
  "client_secret",
  "client_token",
  "password",
  "authorization",
  "card",
  "card_number",
  "cvc"
]

const redacted = secrets.map((name): Row => [
  `${name} is redacted at every level`,
  ofOrder({ [name]: "s3cret", metadata: { [name]: "s3cret" }, deep: [{ deeper: { [name]: { in: "s3cret" } } }] }),
  log(({ request_body, response_body }) => {
    assert.strictEqual(request_body[name], "[redacted]")
    assert.strictEqual(request_body.metadata[name], "[redacted]")
    assert.strictEqual(request_body.deep[0].deeper[name], "[redacted]")
    assert.strictEqual(response_body.data.metadata[name], "[redacted]")
  })
])

/** A body of so many bytes. */
const sized = (bytes: number) => {
  const empty = '{"amount":100,"padding":""}'
  return { raw: empty.replace('""', `"${"x".repeat(bytes - empty.length)}"`) }
}

/** All logs that match, after calls that were answered 200, 201, 400 and 404. */
const filtered = (query: string) => (at: World) =>
  Effect.gen(function* () {
    yield* at.api.get("/v1/balance", at.rich.sandboxKey)
    yield* at.api.post("/v1/orders", at.rich.sandboxKey, { amount: 1 })
    yield* at.api.post("/v1/orders", at.rich.sandboxKey, { amount: 0 })
    yield* at.api.get("/v1/orders/nothing", at.rich.sandboxKey)
    yield* logged(at)
    return yield* at.api.get(`/v1/logs?${query}`, at.rich.sandboxKey)
  })

/** There are some, and all of them are so. */
const every = (holds: (row: { readonly [field: string]: any }) => boolean) =>
  ok((reply) => {
    assert.isNotEmpty(page(reply))
    assert.isTrue(page(reply).every(holds))
  })

specified("the specification: API log", [
  [
    "the list shows retention_days",
    get("/v1/logs"),
    ok(({ body }) => assert.strictEqual(body.data.retention_days, 30))
  ],
  [
    "a call is kept with all its fields",
    logOf("POST", "/v1/orders", {
      body: { amount: 0 },
      headers: { "User-Agent": "shop/1.0", "Idempotency-Key": "of-the-log" }
    }),
    log(({ created_at, duration_ms, request_id, response_body, ...row }) => {
      assert.deepStrictEqual(row, {
        object: "api_log",
        mode: "sandbox",
        method: "POST",
        path: "/v1/orders",
        status: 400,
        error_code: "invalid_request",
        ip: "127.0.0.1",
        key_id: null,
        source: "api",
        user_agent: "shop/1.0",
        idempotency_key: "of-the-log",
        ignored_fields: null,
        request_body: { amount: 0 }
      })
      assert.strictEqual(response_body.request_id, request_id)
      assert.isTrue(Number.isInteger(duration_ms))
      assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    })
  ],
  ...redacted,
  [
    "a body of 16 KB is kept",
    logOf("POST", "/v1/orders", sized(16 * 1024)),
    log(({ request_body }) => assert.strictEqual(request_body.amount, 100))
  ],
  [
    "of a larger one only its size",
    logOf("POST", "/v1/orders", sized(16 * 1024 + 1)),
    log(({ request_body }) => assert.deepStrictEqual(request_body, { _truncated: true, bytes: 16 * 1024 + 1 }))
  ],
  ["status may be exact", filtered("status=404"), every(({ status }) => status === 404)],
  ["or a class", filtered("status=4xx"), every(({ status }) => status >= 400 && status < 500)],
  ["a class without calls is empty", filtered("status=5xx"), ok((reply) => assert.isEmpty(page(reply)))],
  ["and nothing else", get("/v1/logs?status=bad"), invalid("status")],
  ["path is exact", filtered("path=/v1/orders"), every(({ path }) => path === "/v1/orders")],
  [
    "error_code is exact",
    filtered("error_code=order_not_found"),
    every(({ error_code }) => error_code === "order_not_found")
  ],
  [
    "only the merchant's own calls are there",
    (at) => Effect.flatMap(at.api.newMerchant(), ({ sandboxKey }) => at.api.get("/v1/logs", sandboxKey)),
    ok((reply) => assert.isEmpty(page(reply)))
  ]
])
