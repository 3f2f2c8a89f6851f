/** The specification's section Authentication, and who sees what (General rules, 1 and 4). */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { created, invalid, ok, order, page, refused, settings, specified, type World } from "./rows.ts"

const live = (at: World) => at.api.get("/v1/balance", at.other.liveKey)

/** The tests call from 127.0.0.1. */
const allowing = (entries: string) => (at: World) =>
  Effect.andThen(settings({ sandbox: { ip_allowlist: entries } })(at), at.api.get("/v1/balance", at.other.sandboxKey))

const afterReset = (which: "old" | "new") => (at: World) =>
  Effect.gen(function* () {
    const { merchantId, sandboxKey } = yield* at.api.newMerchant()
    yield* at.api.get("/v1/balance", sandboxKey)
    const { body } = yield* at.api.operator("POST", `/merchants/${merchantId}/keys/sandbox/reset`)
    return yield* at.api.get("/v1/balance", which === "old" ? sandboxKey : body.data.key)
  })

specified("the specification: Authentication", [
  ["every request sends X-Api-Key", ({ api }) => api.get("/v1/orders"), refused(401, "missing_api_key")],
  [
    "and no other header will do",
    ({ api, merchant }) =>
      api.call("GET", "/v1/orders", { headers: { Authorization: `Bearer ${merchant.sandboxKey}` } }),
    refused(401, "missing_api_key")
  ],
  [
    "an empty one is none",
    ({ api }) => api.call("GET", "/v1/orders", { headers: { "X-Api-Key": "" } }),
    refused(401, "missing_api_key")
  ],
  [
    "one with another prefix is not valid",
    ({ api, merchant }) => api.get("/v1/orders", merchant.sandboxKey.replace("svc_test_", "svc_")),
    refused(401, "invalid_api_key")
  ],
  [
    "the prefix belongs to the key: with the other one it is not valid",
    ({ api, merchant }) => api.get("/v1/orders", merchant.sandboxKey.replace("svc_test_", "svc_live_")),
    refused(401, "invalid_api_key")
  ],
  [
    "svc_test_ is the sandbox, at once",
    (at) =>
      Effect.flatMap(at.api.newMerchant(), ({ sandboxKey }) => at.api.post("/v1/orders", sandboxKey, { amount: 1 })),
    created(({ body }) => {
      assert.strictEqual(body.data.mode, "sandbox")
      assert.match(body.data.trade_no, /^TRD_SB_/)
    })
  ],
  ["svc_live_ before approval is 403 merchant_not_approved", live, refused(403, "merchant_not_approved")],
  [
    "svc_live_ is live once approved",
    (at) =>
      Effect.andThen(
        settings({ approved: true, live_currencies: ["USD"] })(at),
        at.api.post("/v1/orders", at.other.liveKey, { amount: 1, notify_url: "https://shop.example.com/hook" })
      ),
    created(({ body }) => {
      assert.strictEqual(body.data.mode, "live")
      assert.match(body.data.trade_no, /^TRD_(?!SB_)/)
    })
  ],
  [
    "no field switches the environment",
    order({ mode: "live" }),
    created(({ body }) => assert.strictEqual(body.data.mode, "sandbox"))
  ],
  [
    "what one environment has, the other does not see",
    (at) => at.api.get("/v1/orders", at.other.liveKey),
    ok((reply) => assert.isTrue(page(reply).every(({ mode }) => mode === "live")))
  ],
  ["an allowlist may be empty: everybody may call", allowing(""), ok()],
  ["an allowlist has IPv4 addresses", allowing("127.0.0.1"), ok()],
  ["it has IPv4 ranges", allowing("127.0.0.0/8"), ok()],
  ["its entries are separated by commas", allowing("203.0.113.7,127.0.0.1"), ok()],
  ["or by spaces", allowing("2001:db8::1 127.0.0.1"), ok()],
  ["who is outside is 403 ip_not_allowed, from this moment", allowing("203.0.113.7"), refused(403, "ip_not_allowed")],
  ["also outside a range", allowing("128.0.0.0/8"), refused(403, "ip_not_allowed")],
  ["IPv6 is exact", allowing("2001:db8::1"), refused(403, "ip_not_allowed")],
  [
    "so an IPv6 range is no entry",
    settings({ sandbox: { ip_allowlist: "2001:db8::/32" } }),
    invalid("sandbox.ip_allowlist")
  ],
  [
    "each environment has its own list",
    (at) =>
      Effect.andThen(
        settings({ approved: true, live: { ip_allowlist: "" }, sandbox: { ip_allowlist: "203.0.113.7" } })(at),
        live(at)
      ),
    ok()
  ],
  ["a reset makes the old key invalid at once", afterReset("old"), refused(401, "invalid_api_key")],
  ["and the new one valid", afterReset("new"), ok()],
  [
    "another merchant's object is not found",
    (at) => at.api.get(`/v1/orders/${at.paid}`, at.rich.sandboxKey),
    refused(404, "order_not_found")
  ],
  [
    "nor changed",
    (at) => at.api.post(`/v1/orders/${at.paid}`, at.rich.sandboxKey, { metadata: { mine: "now" } }),
    refused(404, "order_not_found")
  ]
])
