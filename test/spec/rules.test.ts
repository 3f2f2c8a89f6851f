/**
 * One row for each rule of the specification's sections Errors, Limits, Authentication, List conventions, Metadata and
 * API log that an endpoint of today can show: what is sent, and what comes back. What needs time, races or a second
 * process has a test of its own beside this one (test/http, test/cluster).
 */
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Logs } from "../../src/logs/Logs.ts"
import type { Reply } from "../kit/Api.ts"
import { type Running, start } from "../kit/Service.ts"

class World extends Context.Service<World, Running & { readonly paid: string; readonly other: Running["merchant"] }>()(
  "test/spec/World"
) {}

const world = Layer.effect(
  World,
  Effect.gen(function* () {
    const running = yield* start()
    const { api, merchant } = running
    const created = yield* api.post("/v1/orders", merchant.sandboxKey, {
      amount: 1000,
      out_trade_no: "paid",
      metadata: { a: "1" }
    })
    yield* api.post("/v1/test_helpers/orders/paid/pay", merchant.sandboxKey, {})
    return { ...running, paid: created.body.data.trade_no as string, other: yield* api.newMerchant() }
  })
)

type World_ = Context.Service.Shape<typeof World>
interface Expected {
  readonly status: number
  readonly error?: string
  readonly param?: string
  readonly also?: (reply: Reply) => void
}
type Row = readonly [rule: string, send: (world: World_) => Effect.Effect<Reply>, expected: Expected]

const order = (body: object) => (at: World_) =>
  at.api.post("/v1/orders", at.merchant.sandboxKey, { amount: 100, ...body })
const get = (path: string) => (at: World_) => at.api.get(path, at.merchant.sandboxKey)
const post = (path: string, body: object) => (at: World_) => at.api.post(path, at.merchant.sandboxKey, body)
const invalid = (param: string): Expected => ({ status: 400, error: "invalid_request", param })
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, ""]))
const operator = (mode: "sandbox" | "live", settings: object) => (at: World_) =>
  at.api.operator("POST", `/merchants/${at.other.merchantId}`, { [mode]: settings })

const sections: Record<string, ReadonlyArray<Row>> = {
  Errors: [
    ["invalid_request names the parameter", order({ amount: "100" }), invalid("amount")],
    [
      "no API key is 401 missing_api_key",
      ({ api }) => api.get("/v1/balance"),
      { status: 401, error: "missing_api_key" }
    ],
    [
      "a wrong key is 401 invalid_api_key",
      ({ api }) => api.get("/v1/balance", "svc_test_no"),
      { status: 401, error: "invalid_api_key" }
    ],
    ["an unknown order is 404 order_not_found", get("/v1/orders/nope"), { status: 404, error: "order_not_found" }],
    [
      "another merchant's order is 404 order_not_found",
      (at) => at.api.get(`/v1/orders/${at.paid}`, at.other.sandboxKey),
      { status: 404, error: "order_not_found" }
    ],
    ["an unknown event is 404 event_not_found", get("/v1/events/evt_nope"), { status: 404, error: "event_not_found" }],
    [
      "a path that is not an endpoint is 404 route_not_found",
      get("/v1/nope"),
      { status: 404, error: "route_not_found" }
    ],
    [
      "the same out_trade_no with different content is 409 conflict",
      order({ out_trade_no: "paid", amount: 7 }),
      { status: 409, error: "conflict" }
    ],
    [
      "expire on an order that is not pending is 409 conflict",
      (at) => post(`/v1/orders/${at.paid}/expire`, {})(at),
      { status: 409, error: "conflict" }
    ],
    [
      "the same Idempotency-Key with different content is 400 idempotency_error",
      (at) => {
        const send = (amount: number) =>
          at.api.call("POST", "/v1/orders", {
            key: at.merchant.sandboxKey,
            body: { amount },
            headers: { "Idempotency-Key": "row" }
          })
        return Effect.andThen(send(1), send(2))
      },
      { status: 400, error: "idempotency_error" }
    ],
    [
      "a channel that fails is 502 processor_error, and nothing is changed",
      (at) =>
        Effect.gen(function* () {
          const reachable = (up: boolean) => post("/v1/test_helpers/channel", { reachable: up })(at)
          yield* order({ out_trade_no: "unreached" })(at)
          yield* reachable(false)
          const reply = yield* post("/v1/orders/unreached/expire", {})(at)
          yield* reachable(true)
          assert.strictEqual((yield* get("/v1/orders/unreached")(at)).body.data.status, "pending")
          return reply
        }),
      { status: 502, error: "processor_error" }
    ],
    [
      "a quota that is used up is 429 rate_limited with Retry-After",
      (at) =>
        Effect.gen(function* () {
          const fresh = yield* at.api.newMerchant("Limited", "default")
          yield* at.api.operator("POST", `/merchants/${fresh.merchantId}`, { quotas: { reads: 1 } })
          yield* at.api.get("/v1/balance", fresh.sandboxKey)
          return yield* at.api.get("/v1/balance", fresh.sandboxKey)
        }),
      {
        status: 429,
        error: "rate_limited",
        also: ({ headers }) => assert.match(headers.get("retry-after") ?? "", /^[1-9]\d*$/)
      }
    ]
  ],
  Limits: [
    ["amount is at least 1", order({ amount: 0 }), invalid("amount")],
    ["amount is at most 100000000000", order({ amount: 100_000_000_001 }), invalid("amount")],
    ["amount may be 100000000000", order({ amount: 100_000_000_000 }), { status: 201 }],
    ["out_trade_no has at least 1 character", order({ out_trade_no: "" }), invalid("out_trade_no")],
    [
      "out_trade_no has at most 128 characters, longer is not truncated",
      order({ out_trade_no: "x".repeat(129) }),
      invalid("out_trade_no")
    ],
    [
      "out_trade_no may have 128 characters, counted as people do",
      order({ out_trade_no: "💸".repeat(128) }),
      { status: 201 }
    ],
    ["subject has at most 255 characters", order({ subject: "x".repeat(256) }), invalid("subject")],
    ["subject may have 255 characters", order({ subject: "x".repeat(255) }), { status: 201 }],
    ["a page has at least 1 object", get("/v1/orders?limit=0"), invalid("limit")],
    ["a page has at most 100 objects", get("/v1/orders?limit=101"), invalid("limit")],
    [
      "checkout is valid for 24 hours after creation",
      order({}),
      {
        status: 201,
        also: ({ body }) =>
          assert.strictEqual(Date.parse(body.data.expires_at) - Date.parse(body.data.created_at), 86_400_000)
      }
    ],
    [
      "writes are 120 a minute",
      (at) =>
        Effect.flatMap(at.api.newMerchant("W", "default"), ({ sandboxKey }) =>
          at.api.post("/v1/orders", sandboxKey, { amount: 1 })
        ),
      { status: 201, also: ({ headers }) => assert.strictEqual(headers.get("ratelimit-policy"), '"writes";q=120;w=60') }
    ],
    [
      "reads are 600 a minute",
      (at) =>
        Effect.flatMap(at.api.newMerchant("R", "default"), ({ sandboxKey }) => at.api.get("/v1/balance", sandboxKey)),
      { status: 200, also: ({ headers }) => assert.strictEqual(headers.get("ratelimit-policy"), '"reads";q=600;w=60') }
    ],
    [
      "CSV exports are 10 a minute, with a quota of their own",
      (at) =>
        Effect.flatMap(at.api.newMerchant("C", "default"), ({ sandboxKey }) =>
          at.api.get("/v1/orders?format=csv", sandboxKey)
        ),
      { status: 200, also: ({ headers }) => assert.strictEqual(headers.get("ratelimit-policy"), '"csv";q=10;w=60') }
    ]
  ],
  Authentication: [
    [
      "svc_test_ is the sandbox",
      order({}),
      { status: 201, also: ({ body }) => assert.match(body.data.trade_no, /^TRD_SB_/) }
    ],
    [
      "a live key before approval is 403 merchant_not_approved",
      ({ api, merchant }) => api.get("/v1/balance", merchant.liveKey),
      { status: 403, error: "merchant_not_approved" }
    ],
    [
      "a source outside the allowlist is 403 ip_not_allowed",
      (at) =>
        Effect.andThen(
          operator("sandbox", { ip_allowlist: "203.0.113.7" })(at),
          at.api.get("/v1/balance", at.other.sandboxKey)
        ),
      { status: 403, error: "ip_not_allowed" }
    ],
    [
      "an allowlist of IPv4, CIDR and IPv6, by comma or space, is effective at once",
      (at) =>
        Effect.andThen(
          operator("sandbox", { ip_allowlist: "203.0.113.7, 127.0.0.0/8 ::1" })(at),
          at.api.get("/v1/balance", at.other.sandboxKey)
        ),
      { status: 200 }
    ],
    [
      "IPv6 is exact: a prefix is refused",
      operator("sandbox", { ip_allowlist: "2001:db8::/32" }),
      invalid("sandbox.ip_allowlist")
    ],
    [
      "a key that was reset is invalid at once",
      (at) =>
        Effect.gen(function* () {
          const fresh = yield* at.api.newMerchant()
          yield* at.api.operator("POST", `/merchants/${fresh.merchantId}/keys/sandbox/reset`)
          return yield* at.api.get("/v1/balance", fresh.sandboxKey)
        }),
      { status: 401, error: "invalid_api_key" }
    ]
  ],
  "List conventions": [
    [
      "the page is 20 objects by default, at most",
      get("/v1/orders"),
      { status: 200, also: ({ body }) => assert.isAtMost(body.data.data.length, 20) }
    ],
    [
      "the body is object, resource, has_more, url and data",
      get("/v1/orders"),
      {
        status: 200,
        also: ({ body }) =>
          assert.sameMembers(Object.keys(body.data), ["object", "resource", "has_more", "url", "data"])
      }
    ],
    [
      "newest first",
      get("/v1/orders?limit=100"),
      {
        status: 200,
        also: ({ body }) => {
          const ids = body.data.data.map(({ trade_no }: { trade_no: string }) => trade_no)
          assert.deepStrictEqual(ids, ids.toSorted().toReversed())
        }
      }
    ],
    [
      "both cursors together are refused",
      (at) => get(`/v1/orders?starting_after=${at.paid}&ending_before=${at.paid}`)(at),
      invalid("ending_before")
    ],
    [
      "a cursor that is not an id of the list is refused",
      get("/v1/orders?starting_after=TRD_SB_nope"),
      invalid("starting_after")
    ],
    ["a timestamp is ISO 8601", get("/v1/orders?created[gte]=2020-01-01T00:00:00Z"), { status: 200 }],
    ["or Unix seconds", get("/v1/orders?created[lte]=4102444800"), { status: 200 }],
    ["and nothing else", get("/v1/orders?created[gte]=yesterday"), invalid("created[gte]")],
    [
      "format=csv is a CSV file with a byte order mark",
      get("/v1/orders?format=csv"),
      {
        status: 200,
        also: ({ headers }) => assert.match(headers.get("content-type") ?? "", /^text\/csv; *charset=utf-8/i)
      }
    ],
    ["another format is refused", get("/v1/orders?format=xml"), invalid("format")],
    ["events have no CSV", get("/v1/events?format=csv"), invalid("format")],
    ["logs have no CSV", get("/v1/logs?format=csv"), invalid("format")],
    [
      "orders are filtered by status, out_trade_no and metadata",
      get("/v1/orders?status=paid&out_trade_no=paid&metadata[a]=1"),
      { status: 200, also: ({ body }) => assert.strictEqual(body.data.data.length, 1) }
    ],
    [
      "all metadata filters have to match",
      get("/v1/orders?metadata[a]=1&metadata[b]=2"),
      { status: 200, also: ({ body }) => assert.deepStrictEqual(body.data.data, []) }
    ],
    ["an unknown status is refused", get("/v1/orders?status=open"), invalid("status")],
    [
      "balance transactions are filtered by type",
      get("/v1/balance_transactions?type=fee_debit"),
      {
        status: 200,
        also: ({ body }) =>
          assert.deepStrictEqual(
            body.data.data.map(({ type }: { type: string }) => type),
            ["fee_debit"]
          )
      }
    ]
  ],
  Metadata: [
    ["at most 50 keys", order({ metadata: keys(51) }), invalid("metadata")],
    ["50 keys are allowed", order({ metadata: keys(50) }), { status: 201 }],
    ["a key has at least 1 character", order({ metadata: { "": "x" } }), invalid("metadata.")],
    [
      "a key has at most 40 characters",
      order({ metadata: { ["k".repeat(41)]: "x" } }),
      invalid(`metadata.${"k".repeat(41)}`)
    ],
    ["a value has at most 500 characters", order({ metadata: { k: "x".repeat(501) } }), invalid("metadata.k")],
    ["a value is a string", order({ metadata: { k: 1 } }), invalid("metadata.k")],
    ["nothing is nested", order({ metadata: { k: { a: "b" } } }), invalid("metadata.k")],
    [
      "updates merge, null deletes a key",
      (at) => post(`/v1/orders/${at.paid}`, { metadata: { b: "2", c: null } })(at),
      { status: 200, also: ({ body }) => assert.deepStrictEqual(body.data.metadata, { a: "1", b: "2" }) }
    ],
    [
      "null for the whole clears it",
      (at) =>
        Effect.flatMap(order({ out_trade_no: "cleared", metadata: { a: "1" } })(at), () =>
          post("/v1/orders/cleared", { metadata: null })(at)
        ),
      { status: 200, also: ({ body }) => assert.deepStrictEqual(body.data.metadata, {}) }
    ]
  ],
  "API log": [
    [
      "the list shows retention_days",
      get("/v1/logs"),
      { status: 200, also: ({ body }) => assert.strictEqual(body.data.retention_days, 30) }
    ],
    [
      "a call is found by its request_id, and its secrets are redacted",
      (at) =>
        Effect.gen(function* () {
          const reply = yield* order({ password: "hunter2", metadata: { card_number: "4242" } })(at)
          yield* Effect.provideContext(
            Effect.flatMap(Logs, ({ flushed }) => flushed),
            at.context as Context.Context<Logs>
          )
          return yield* get(`/v1/logs?request_id=${reply.body.request_id}`)(at)
        }),
      {
        status: 200,
        also: ({ body }) => {
          const [log] = body.data.data
          assert.strictEqual(log.request_body.password, "[redacted]")
          assert.strictEqual(log.request_body.metadata.card_number, "[redacted]")
          assert.strictEqual(log.path, "/v1/orders")
          assert.strictEqual(log.status, 201)
        }
      }
    ],
    [
      "status is an exact code or a class",
      get("/v1/logs?status=4xx"),
      {
        status: 200,
        also: ({ body }) =>
          assert.isTrue(body.data.data.every(({ status }: { status: number }) => status >= 400 && status < 500))
      }
    ],
    ["and nothing else", get("/v1/logs?status=bad"), invalid("status")]
  ]
}

layer(world, { excludeTestServices: true, timeout: 60_000 })("the specification, rule by rule", (it) => {
  for (const [section, rows] of Object.entries(sections)) {
    describe(section, () => {
      for (const [rule, send, { also, error, param, status }] of rows) {
        it.effect(rule, () =>
          Effect.gen(function* () {
            const reply = yield* send(yield* World)
            assert.strictEqual(reply.status, status, reply.text)
            assert.strictEqual(reply.body?.error, error)
            if (param !== undefined) assert.strictEqual(reply.body.param, param)
            also?.(reply)
          })
        )
      }
    })
  }
})
