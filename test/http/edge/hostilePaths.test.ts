/**
 * Paths and queries full of what routers and databases trip over. Refused in the envelope, never with a 5xx (silences:
 * G3, O4).
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Reply } from "../../kit/Api.ts"
import { type Running, start } from "../../kit/Service.ts"
import { head, sendRaw } from "../../kit/callers/Raw.ts"

class Service extends Context.Service<Service, Running>()("test/hostilePaths") {}

/** Segments of a path that decode to something bad. */
const segments = [
  "%00",
  "a%00b",
  "%0a",
  "..%2f..%2fetc%2fpasswd",
  "%2e%2e",
  ".",
  "..",
  "'%20or%20''='",
  "$1",
  "a".repeat(2_048),
  "a".repeat(2_049),
  "a".repeat(8_000),
  "%F0%9F%98%80".repeat(129),
  "{}",
  "%7B%7D"
]

const isRefused = (reply: Reply, param: string | undefined, message: string) =>
  assert.deepStrictEqual([reply.status, reply.body?.error, reply.body?.param], [400, "invalid_request", param], message)

layer(Layer.effect(Service, start()), { excludeTestServices: true })("a path", (it) => {
  it.effect("answers 404 for a path that names nothing, whatever is asked of it", () =>
    Effect.gen(function* () {
      const { api, baseUrl } = yield* Service
      const merchant = yield* api.newMerchant()
      for (const segment of segments) {
        for (const [method, path, body] of [
          ["GET", `/v1/orders/${segment}`, undefined],
          ["POST", `/v1/orders/${segment}`, "{}"],
          ["POST", `/v1/orders/${segment}/expire`, undefined],
          ["POST", `/v1/test_helpers/orders/${segment}/pay`, "{}"],
          ["GET", `/v1/${segment}`, undefined],
          ["GET", `/api/v1/orders/${segment}`, undefined],
          ["GET", `/${segment}`, undefined]
        ] as const) {
          const headers = {
            "X-Api-Key": merchant.sandboxKey,
            "Content-Type": "application/json",
            "Content-Length": body?.length
          }
          const reply = yield* sendRaw(baseUrl, head(`${method} ${path}`, headers), body ?? "")
          assert.strictEqual(reply.status, 404, `${method} ${path.slice(0, 80)}: ${reply.text}`)
          const { code, error, request_id } = reply.body
          assert.deepStrictEqual([code, request_id], [404, reply.headers["x-request-id"]])
          assert.include(["order_not_found", "route_not_found"], error)
          assert.notInclude(reply.headers["allow"]?.split(", ") ?? [], method, path.slice(0, 80))
        }
      }
    })
  )

  it.effect("a query that does not decode is 400, and an unknown parameter is refused by its name", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const key = merchant.sandboxKey
      const unknown = ["__proto__=1", "constructor=1", "x=1&x=2", "a[b]=1"]
      for (const path of ["/v1/balance", "/v1/balance_transactions", "/api/v1/balance"]) {
        for (const query of ["", "&", "&&&"]) assert.strictEqual((yield* api.get(`${path}?${query}`, key)).status, 200)
        for (const query of unknown) isRefused(yield* api.get(`${path}?${query}`, key), query.split("=")[0], query)
        isRefused(yield* api.get(`${path}?%00=1`, key), "\u0000", "%00")
        // A parameter without a name cannot be named.
        isRefused(yield* api.get(`${path}?&=`, key), undefined, "&=")
      }
      for (const query of ["x=%", "x=%zz", "x=%ff"]) {
        for (const path of ["/v1/balance", "/v1/balance_transactions"]) {
          isRefused(yield* api.get(`${path}?${query}`, key), "x", query)
        }
      }
      for (const value of ["%", "%zz", "%ff", "%00", "a%00"]) {
        isRefused(yield* api.get(`/v1/balance?currency=${value}`, key), "currency", value)
        isRefused(yield* api.get(`/v1/balance_transactions?limit=${value}`, key), "limit", value)
        isRefused(yield* api.get(`/v1/balance_transactions?starting_after=${value}`, key), "starting_after", value)
      }
    })
  )
})
