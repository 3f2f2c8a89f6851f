/** The specification's section Errors: each code that an endpoint of today can answer, and the shape of them all. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { get, inTurn, invalid, order, post, refused, settings, specified, type World } from "./rows.ts"

const withKey = (body: object) => (at: World) =>
  at.api.call("POST", "/v1/orders", {
    key: at.merchant.sandboxKey,
    body,
    headers: { "Idempotency-Key": "row" }
  })

const live = (path: string) => (at: World) => at.api.get(path, at.other.liveKey)
const liveOrder = (fields: object) => (at: World) =>
  at.api.post("/v1/orders", at.other.liveKey, { amount: 100, notify_url: "https://shop.example.com/hook", ...fields })

/** A merchant that may read once a minute. */
const readTwice = (at: World) =>
  Effect.gen(function* () {
    const { merchantId, sandboxKey } = yield* at.api.newMerchant("Limited", "default")
    yield* at.api.operator("POST", `/merchants/${merchantId}`, { quotas: { reads: 1 } })
    yield* at.api.get("/v1/balance", sandboxKey)
    return yield* at.api.get("/v1/balance", sandboxKey)
  })

const unreachable = (at: World) =>
  Effect.gen(function* () {
    const reachable = (up: boolean) => post("/v1/test_helpers/channel", { reachable: up })(at)
    yield* order({ out_trade_no: "unreached" })(at)
    yield* reachable(false)
    const reply = yield* post("/v1/orders/unreached/expire")(at)
    yield* reachable(true)
    assert.strictEqual((yield* get("/v1/orders/unreached")(at)).body.data.status, "pending")
    return reply
  })

specified("the specification: Errors", [
  ["an invalid parameter is 400 invalid_request, and param names it", order({ amount: "100" }), invalid("amount")],
  ["a parameter within another is named with it", order({ metadata: { colour: 7 } }), invalid("metadata.colour")],
  ["so is one of the query", get("/v1/orders?created[gte]=x"), invalid("created[gte]")],
  [
    "a body is code, error, param, message and request_id, and nothing else",
    order({ amount: 0 }),
    {
      ...invalid("amount"),
      also: ({ body }) => assert.hasAllKeys(body, ["code", "error", "param", "message", "request_id"])
    }
  ],
  [
    "without a field to blame there is no param",
    get("/v1/orders/nope"),
    {
      ...refused(404, "order_not_found"),
      also: ({ body }) => assert.hasAllKeys(body, ["code", "error", "message", "request_id"])
    }
  ],
  [
    "a live currency that is not enabled is 400 invalid_request",
    inTurn(settings({ approved: true, live_currencies: ["USD"] }), liveOrder({ currency: "HKD" })),
    invalid("currency")
  ],
  [
    "the same Idempotency-Key with different content is 400 idempotency_error",
    inTurn(withKey({ amount: 1 }), withKey({ amount: 2 })),
    refused(400, "idempotency_error")
  ],
  ["no API key is 401 missing_api_key", ({ api }) => api.get("/v1/balance"), refused(401, "missing_api_key")],
  [
    "a key that is not valid is 401 invalid_api_key",
    ({ api }) => api.get("/v1/balance", "svc_test_no"),
    refused(401, "invalid_api_key")
  ],
  [
    "a live key without approval is 403 merchant_not_approved",
    inTurn(settings({ approved: false }), live("/v1/balance")),
    refused(403, "merchant_not_approved")
  ],
  [
    "a source address outside the allowlist is 403 ip_not_allowed",
    inTurn(settings({ live: { ip_allowlist: "203.0.113.7" } }), live("/v1/balance")),
    refused(403, "ip_not_allowed")
  ],
  ["an unknown order is 404 order_not_found", get("/v1/orders/nope"), refused(404, "order_not_found")],
  [
    "so is another merchant's",
    (at) => at.api.get(`/v1/orders/${at.paid}`, at.other.sandboxKey),
    refused(404, "order_not_found")
  ],
  [
    "so is one of the other environment",
    inTurn(settings({ approved: true, live: { ip_allowlist: "" } }), (at) =>
      Effect.flatMap(at.api.post("/v1/orders", at.other.sandboxKey, { amount: 1 }), ({ body }) =>
        live(`/v1/orders/${body.data.trade_no}`)(at)
      )
    ),
    refused(404, "order_not_found")
  ],
  ["an unknown event is 404 event_not_found", get("/v1/events/evt_nope"), refused(404, "event_not_found")],
  [
    "so is another merchant's",
    (at) =>
      Effect.flatMap(get("/v1/events?limit=1")(at), ({ body }) =>
        at.api.get(`/v1/events/${body.data.data[0].id}`, at.other.sandboxKey)
      ),
    refused(404, "event_not_found")
  ],
  ["a path that is not an endpoint is 404 route_not_found", get("/v1/nope"), refused(404, "route_not_found")],
  ["and so is one that ends with a slash", get("/v1/refunds/"), refused(404, "route_not_found")],
  [
    "a moment beyond the calendar is 400 that names the field, not a fault of ours",
    post("/v1/test_helpers/orders/paid/dispute", { evidence_due_by: "+275760-09-13T00:00:00Z" }),
    invalid("evidence_due_by")
  ],
  [
    "the same out_trade_no with different content is 409 conflict",
    order({ out_trade_no: "paid", amount: 7 }),
    { ...refused(409, "conflict"), param: "amount" }
  ],
  [
    "expire on an order that is not pending is 409 conflict",
    (at) => post(`/v1/orders/${at.paid}/expire`)(at),
    refused(409, "conflict")
  ],
  [
    "a quota that is used up is 429 rate_limited, with the seconds to wait in Retry-After",
    readTwice,
    {
      ...refused(429, "rate_limited"),
      also: ({ headers }) => assert.match(headers.get("retry-after") ?? "", /^[1-9]\d*$/)
    }
  ],
  ["a channel that fails is 502 processor_error, and nothing is changed", unreachable, refused(502, "processor_error")]
])
