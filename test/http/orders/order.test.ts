/** Which check comes first (silences: G10), shown by a request that fails all of them and is mended one by one. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { start } from "../../kit/Service.ts"

it.live("checks come in order: key, address, approval, quota, idempotency, validation, existence, state", () =>
  Effect.gen(function* () {
    const { api, merchant } = yield* start()
    const settings = (patch: object) =>
      Effect.map(api.operator("POST", `/merchants/${merchant.merchantId}`, patch), ({ status }) =>
        assert.strictEqual(status, 200)
      )
    yield* settings({ quotas: { writes: 1 }, live: { ip_allowlist: "203.0.113.7" } })

    let request = {
      path: "/v1/orders/nothing",
      key: merchant.liveKey.slice(0, -1),
      body: { metadata: "wrong" } as object | undefined,
      idempotencyKey: "k".repeat(256)
    }
    const isRefused = (status: number, error: string, param?: string) =>
      Effect.gen(function* () {
        const { body, key, idempotencyKey, path } = request
        const reply = yield* api.call("POST", path, { key, body, headers: { "Idempotency-Key": idempotencyKey } })
        assert.deepStrictEqual([reply.status, reply.body.error, reply.body.param], [status, error, param])
      })

    yield* isRefused(401, "invalid_api_key")
    request = { ...request, key: merchant.liveKey }
    yield* isRefused(403, "ip_not_allowed")
    yield* settings({ live: { ip_allowlist: "" } })
    yield* isRefused(403, "merchant_not_approved")
    yield* settings({ approved: true })
    // The one write of this minute: what is refused later counts as well.
    yield* isRefused(400, "invalid_request", "Idempotency-Key")
    yield* isRefused(429, "rate_limited")
    yield* settings({ quotas: { writes: 100 } })
    yield* isRefused(400, "invalid_request", "Idempotency-Key")
    request = { ...request, idempotencyKey: "k" }
    yield* isRefused(400, "invalid_request", "metadata")
    request = { ...request, body: {} }
    yield* isRefused(404, "order_not_found")

    yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 100, out_trade_no: "paid" })
    yield* api.post("/v1/test_helpers/orders/paid/pay", merchant.sandboxKey)
    request = { ...request, key: merchant.sandboxKey, path: "/v1/orders/paid/expire", body: undefined }
    yield* isRefused(409, "conflict")
  })
)
