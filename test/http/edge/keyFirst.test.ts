/** The caller is known before a byte of the body is read (silences: G10, G19), on both ways in. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { head, sendRaw } from "../../kit/callers/Raw.ts"
import { operatorToken, type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/keyFirst") {}

const json = { "Content-Type": "application/json" }
/** The same request plain, and so that the framework takes it. */
const ways = [
  ["the short path", {}],
  ["the framework", { "Content-Type": "application/json; charset=UTF-8" }]
] as const

layer(Layer.effect(Service, start()), { excludeTestServices: true })("a refusal does not wait for the body:", (it) => {
  for (const [way, typed] of ways) {
    for (const length of [100, 60_000, 400_000]) {
      it.effect(`without a key, with a bad one, from elsewhere: ${length} bytes that do not come, by ${way}`, () =>
        Effect.gen(function* () {
          const { api, baseUrl } = yield* Service
          const merchant = yield* api.newMerchant()
          const post = (key: string | undefined) =>
            sendRaw(
              baseUrl,
              head("POST /v1/orders", { ...json, ...typed, "Content-Length": length, "X-Api-Key": key }),
              '{"amount":'
            )
          assert.strictEqual((yield* post(undefined)).body.error, "missing_api_key")
          assert.strictEqual((yield* post("svc_test_none")).body.error, "invalid_api_key")
          assert.strictEqual((yield* post(merchant.liveKey)).body.error, "merchant_not_approved")
          const settings = { sandbox: { ip_allowlist: "203.0.113.9" }, quotas: { writes: 1 } }
          yield* api.operator("POST", `/merchants/${merchant.merchantId}`, settings)
          assert.strictEqual((yield* post(merchant.sandboxKey)).body.error, "ip_not_allowed")
        })
      )
    }

    it.effect(`beyond the quota, by ${way}`, () =>
      Effect.gen(function* () {
        const { api, baseUrl } = yield* Service
        const { merchantId, sandboxKey } = yield* api.newMerchant()
        yield* api.operator("POST", `/merchants/${merchantId}`, { quotas: { writes: 1 } })
        yield* api.post("/v1/orders", sandboxKey, { amount: 1 })
        const headers = { ...json, ...typed, "Content-Length": 100, "X-Api-Key": sandboxKey }
        const reply = yield* sendRaw(baseUrl, head("POST /v1/orders", headers), "{")
        assert.deepStrictEqual([reply.status, reply.body.error], [429, "rate_limited"])
      })
    )
  }

  it.effect("the operator's token is asked for before the body, also before a file", () =>
    Effect.gen(function* () {
      const { baseUrl, merchant } = yield* Service
      for (const [path, type] of [
        ["/operator/v1/merchants", "application/json"],
        [`/operator/v1/merchants/${merchant.merchantId}/files`, "multipart/form-data; boundary=b"]
      ]) {
        const headers = { "Content-Type": type, "Content-Length": 10_000_000, Authorization: "Bearer nobody" }
        const reply = yield* sendRaw(baseUrl, head(`POST ${path}`, headers), "{")
        assert.deepStrictEqual([reply.status, reply.body.error], [401, "invalid_api_key"])
      }
      assert.notStrictEqual(operatorToken, "nobody")
    })
  )

  it.effect("a checkout's token is checked before its form is read", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Service
      const headers = { "Content-Type": "application/x-www-form-urlencoded", "Content-Length": 1_000 }
      const reply = yield* sendRaw(baseUrl, head("POST /checkout/nonsense", headers), "step=pay")
      assert.strictEqual(reply.status, 404)
    })
  )

  it.effect("a body larger than its route takes is refused by its length alone", () =>
    Effect.gen(function* () {
      const { api, baseUrl, merchant } = yield* Service
      const key = { "X-Api-Key": merchant.sandboxKey }
      for (const path of ["/v1/orders", "/v1/disputes/none/evidence"]) {
        const headers = { ...json, ...key, "Content-Length": 1_200_000 }
        const reply = yield* sendRaw(baseUrl, head(`POST ${path}`, headers), "{")
        assert.deepStrictEqual([reply.status, reply.body.error], [400, "invalid_request"])
      }
      const { body } = yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 100 })
      const { pathname } = new URL(body.data.checkout_url)
      const form = { "Content-Type": "application/x-www-form-urlencoded", "Content-Length": 5_000 }
      assert.strictEqual((yield* sendRaw(baseUrl, head(`POST ${pathname}`, form), "step=pay")).status, 422)
    })
  )
})
