/** Fields and parameters that an endpoint does not know (silences: G33, P13). */
import { assert, layer } from "@effect/vitest"
import { OperatorApi } from "@coffer/contract/Operator"
import { Context, Effect, Layer } from "effect"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import type { Reply } from "../../kit/Api.ts"
import { assertRefused } from "../../kit/Merchant.ts"
import { invite, signIn } from "../../kit/callers/console.ts"
import { mailServer } from "../../kit/servers/MailServer.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<
  Service,
  Running & { readonly mails: Effect.Success<ReturnType<typeof mailServer>> }
>()("test/unknownFields") {}

const live = Layer.effect(
  Service,
  Effect.gen(function* () {
    const mails = yield* mailServer()
    return { ...(yield* start({ env: { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example" } })), mails }
  })
)

const isRefused = (reply: Reply, param: string, nearest: string | undefined) => {
  assert.deepStrictEqual(
    [reply.status, reply.body.error, reply.body.param],
    [400, "invalid_request", param],
    reply.text
  )
  if (nearest === undefined) assert.notInclude(reply.body.message, "Did you mean")
  else assert.include(reply.body.message, `Did you mean \`${nearest}\`?`)
}

layer(live, { excludeTestServices: true })("an unknown field", (it) => {
  it.effect(
    "is 400 in the operators' API, at every depth, with its path and the nearest one, and changes nothing",
    () =>
      Effect.gen(function* () {
        const { api, merchant } = yield* Service
        const at = `/merchants/${merchant.merchantId}`
        const before = (yield* api.operator("GET", at)).body.data
        for (const [path, body, param, nearest] of [
          [at, { aproved: true }, "aproved", "approved"],
          [at, { note: "x", quota: { writes: 1 } }, "quota", "quotas"],
          [at, { quotas: { write: 1 } }, "quotas.write", "writes"],
          [at, { sandbox: { ip_allow_list: "10.0.0.1" } }, "sandbox.ip_allow_list", "ip_allowlist"],
          [at, { xyzzy: 1 }, "xyzzy", undefined],
          [`${at}/keys/sandbox/reset`, { mode: "sandbox" }, "mode", undefined],
          ["/operators", { name: "Ben", role: "viewer", expires: 1 }, "expires", undefined]
        ] as const) {
          isRefused(yield* api.operator("POST", path, body), param, nearest)
        }
        assert.deepStrictEqual((yield* api.operator("GET", at)).body.data, before)
        assert.strictEqual((yield* api.get("/v1/balance", merchant.sandboxKey)).status, 200)
      })
  )

  it.effect("is 400 when a key is to be narrowed by something that a change cannot do", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const keys = `/merchants/${merchant.merchantId}/api_keys`
      const made = yield* api.operator("POST", keys, { mode: "sandbox", name: "shop", scopes: ["orders:write"] })
      const change = yield* api.operator("POST", `${keys}/${made.body.data.key_id}`, { scopes: ["orders:read"] })
      isRefused(change, "scopes", undefined)
    })
  )

  it.effect("is 400 at each endpoint of the operators' API, also where no body is described", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const endpoints = (Object.values(OperatorApi.groups) as unknown as ReadonlyArray<HttpApiGroup.Top>)
        .flatMap((group) => Object.values(group.endpoints) as unknown as ReadonlyArray<HttpApiEndpoint.Top>)
        .filter(({ method, payload }) => method === "POST" && !payload.has("multipart/form-data"))
      assert.isAbove(endpoints.length, 20)
      for (const { path } of endpoints) {
        const url = path
          .slice("/operator/v1".length)
          .replace(":merchant_id", merchant.merchantId)
          .replace(":mode", "sandbox")
          .replace(/:\w+/g, "none")
        isRefused(yield* api.operator("POST", url, { nothing_of_the_kind: 1 }), "nothing_of_the_kind", undefined)
      }
    })
  )

  it.effect("is 400 in the console's API, and so is a parameter of either, with the nearest one", () =>
    Effect.gen(function* () {
      const { api, mails, merchant } = yield* Service
      const email = "owner@shop.example"
      yield* invite(api, mails, { email, merchant_id: merchant.merchantId, role: "owner" })
      const { call } = yield* signIn(api, mails, email)
      const at = `/merchants/${merchant.merchantId}`
      isRefused(yield* call("POST", `${at}/settings`, { time_zon: "UTC" }), "time_zon", "time_zone")
      isRefused(yield* call("GET", `${at}/payouts?limt=1`), "limt", "limit")
      isRefused(yield* api.operator("GET", "/merchants?limt=1"), "limt", "limit")
      isRefused(yield* api.operator("GET", "/audit_log?aktor_id=x"), "aktor_id", "actor_id")
      isRefused(yield* api.get("/v1/orders?limt=1", merchant.sandboxKey), "limt", "limit")
    })
  )

  it.effect("is ignored under /v1 and named by a header, of a live key as of one of the sandbox", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      yield* api.operator("POST", `/merchants/${merchant.merchantId}`, { approved: true })
      for (const key of [merchant.sandboxKey, merchant.liveKey]) {
        const reply = yield* api.post("/v1/payment_links", key, { amount: 500, subjekt: "Tea" })
        assert.strictEqual(reply.headers.get("coffer-ignored-fields"), "subjekt;nearest=subject", reply.text)
        const strict = yield* api.call("POST", "/v1/payment_links", {
          key,
          body: { amount: 500, subjekt: "Tea" },
          headers: { "Coffer-Strict": "true" }
        })
        assertRefused(strict, 400, "invalid_request", "subjekt")
      }
    })
  )
})
