/**
 * One address has one spelling (silences: G15). A router undoes escapes before it looks, so whatever else looks at a
 * path would see another one: quotas, the audit log, the API log.
 */
import { assert, layer } from "@effect/vitest"
import { Api } from "@coffer/contract/Api"
import { ConsoleApi } from "@coffer/contract/Console"
import { OperatorApi } from "@coffer/contract/Operator"
import { Context, Effect, Layer } from "effect"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Logs } from "../../../src/shared/logs/Logs.ts"
import { head, sendRaw } from "../../kit/callers/Raw.ts"
import { entriesOf } from "../../kit/callers/operators.ts"
import { operatorToken, type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/oneSpelling") {}

const endpoints = [Api, OperatorApi, ConsoleApi]
  .flatMap(({ groups }) => Object.values(groups) as unknown as ReadonlyArray<HttpApiGroup.Top>)
  .flatMap((group) => Object.values(group.endpoints) as unknown as ReadonlyArray<HttpApiEndpoint.Top>)

/** Each part of a path escaped at its first letter, and extra or missing slashes. */
const spellings = (path: string): ReadonlyArray<string> => {
  const parts = path.split("/").slice(1)
  const escape = (text: string, code: (hex: string) => string) =>
    text.replace(/[\w.-]/, (letter) => `%${code(letter.charCodeAt(0).toString(16))}`)
  const replaced = parts.flatMap((part, index) =>
    [escape(part, (hex) => hex), escape(part, (hex) => hex.toUpperCase())].map((other) => parts.with(index, other))
  )
  return [
    ...replaced.map((all) => `/${all.join("/")}`),
    `${path}/`,
    `/${path}`,
    path.replace(/\/(?=[^/]*$)/, "//"),
    path.replace(/(?<=.)\/(?=[^/]*$)/, "%2F"),
    path.replace(/\/(?=[^/]*$)/, "/./"),
    path.replace(/\/(?=[^/]*$)/, "/x/../"),
    path.replace(/\/(?=[^/]*$)/, "/%2e/"),
    path.replace(/^\/\w/, (letter) => letter.toUpperCase())
  ]
}

layer(Layer.effect(Service, start()), { excludeTestServices: true })("another spelling of an address", (it) => {
  const refused = Effect.fnUntraced(function* (method: string, path: string, body?: object) {
    const { baseUrl, merchant } = yield* Service
    const text = body === undefined ? "" : JSON.stringify(body)
    const headers = {
      "X-Api-Key": merchant.sandboxKey,
      Authorization: `Bearer ${operatorToken}`,
      "Coffer-Console": "1",
      Origin: baseUrl,
      "Content-Length": text.length,
      ...(body === undefined ? {} : { "Content-Type": "application/json" })
    }
    const reply = yield* sendRaw(baseUrl, head(`${method} ${path}`, headers), text)
    assert.deepStrictEqual([reply.status, reply.body?.error], [404, "route_not_found"], `${method} ${path}`)
    assert.isUndefined(reply.headers["allow"], path)
  })

  it.effect("is 404 route_not_found at every door, for each endpoint", () =>
    Effect.gen(function* () {
      const { merchant } = yield* Service
      const doors = [
        ...endpoints.map(({ method, path }) => ({ method, path: path as string })),
        { method: "POST", path: "/mcp" },
        { method: "POST", path: "/api/v1/orders" },
        { method: "GET", path: `/console/api/accounts/${merchant.merchantId}/sandbox/orders` },
        { method: "GET", path: `/console/api/operator/merchants` }
      ]
      for (const { method, path } of doors) {
        const filled = path
          .replace(":merchant_id", merchant.merchantId)
          .replace(/:\w*ref\b/, "TRD_SB_01J8XK7M9QV3T5B2N4C6D8F0GH")
          .replace(/:\w+/g, "rfd_01J8XK7M9QV3T5B2N4C6D8F0GH")
        for (const spelling of spellings(filled)) {
          if (spelling === filled) continue
          // In a number of the merchant's own an escaped slash is a character.
          if (spelling.includes("%2F") && /\/:ref\/\w+$/.test(path)) continue
          yield* refused(method, spelling)
        }
      }
    })
  )

  it.effect("does nothing at an operator's door, and leaves nothing in the audit log", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const { merchantId, sandboxKey } = merchant
      yield* refused("POST", `/operator/v1/merchants/%6d${merchantId.slice(1)}/keys/sandbox/reset`)
      assert.strictEqual((yield* api.get("/v1/balance", sandboxKey)).status, 200)
      const entries = yield* entriesOf(api, `&target=${merchantId}`)
      assert.notInclude(JSON.stringify(entries.slice(0, 3)), "reset")
    })
  )

  it.effect("takes nothing from a quota, and puts no buyer's address into the API log", () =>
    Effect.gen(function* () {
      const { api, context } = yield* Service
      const { sandboxKey } = yield* api.newMerchant()
      const email = "ann@buyers.example"
      const call = (path: string) => api.call("POST", path, { key: sandboxKey, body: { email } })
      for (const path of ["/v1/%65xports", "/v1/erasure%73", "/v1/exports/"]) {
        const reply = yield* call(path)
        assert.deepStrictEqual([reply.status, reply.headers.has("ratelimit")], [404, false], path)
      }
      yield* Context.get(context, Logs).flushed
      const { text } = yield* api.get("/v1/logs", sandboxKey)
      assert.include(text, "/v1/%65xports")
      assert.notInclude(text, email)
    })
  )
})

layer(Layer.effect(Service, start()), { excludeTestServices: true })("an order's own number in a path", (it) => {
  it.effect("is one, however its signs are escaped: for the order, the log and an Idempotency-Key", () =>
    Effect.gen(function* () {
      const { api, context, merchant } = yield* Service
      const { sandboxKey } = merchant
      const number = "a/b (c)~;@é"
      assert.strictEqual((yield* api.post("/v1/orders", sandboxKey, { amount: 100, out_trade_no: number })).status, 201)
      const spelled = ["a%2Fb%20(c)~;@%C3%A9", "a%2fb%20%28c%29%7E%3B%40%c3%a9", encodeURIComponent(number)]
      const answers = yield* Effect.forEach(spelled, (each) =>
        api.call("POST", `/v1/orders/${each}`, {
          key: sandboxKey,
          body: { metadata: { a: "b" } },
          headers: { "Idempotency-Key": "one" }
        })
      )
      assert.deepStrictEqual(
        answers.map(({ body, headers, status }) => [
          status,
          body.data?.out_trade_no,
          headers.get("idempotent-replayed")
        ]),
        [
          [200, number, null],
          [200, number, "true"],
          [200, number, "true"]
        ]
      )
      yield* Context.get(context, Logs).flushed
      const path = `/v1/orders/${encodeURIComponent(number)}`
      const logs = yield* api.get(`/v1/logs?path=${encodeURIComponent(path)}`, sandboxKey)
      assert.lengthOf(logs.body.data.data, 3)
    })
  )
})
