/** ADMIN_PORT: the operator's API, metrics and health at a port of their own (docs/decisions/0130). */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import * as DataDir from "../../../src/platform/runtime/DataDir.ts"
import * as Settings from "../../../src/platform/runtime/Settings.ts"
import { isAnsweredAt } from "../../../src/door/edge/routes.ts"
import { routes } from "../../../src/door/edge/routes.ts"
import * as Wiring from "../../../src/Wiring.ts"
import { Api } from "../../kit/Api.ts"
import { signIn } from "../../kit/callers/console.ts"
import { head, sendRaw, speak } from "../../kit/callers/Raw.ts"
import { mailServer } from "../../kit/servers/MailServer.ts"
import { freePort, operatorToken, secretKey, start } from "../../kit/Service.ts"

/** A service with two ports, and a client of each. */
const twoPorts = Effect.fnUntraced(function* (env: Record<string, string> = {}) {
  const port = yield* freePort
  const running = yield* start({ env: { ADMIN_PORT: String(port), ...env }, adminPort: port })
  return { ...running, admin: new Api(`http://127.0.0.1:${port}`, operatorToken) }
})

const adminPatterns = ["/healthz", "/metrics", "/shop_domains/ask"]
const isOperators = (pattern: string) => pattern.startsWith("/operator/") || adminPatterns.includes(pattern)
/** Operators sign in where their API is. */
const isOfBoth = (pattern: string) =>
  ["/", "/readyz"].includes(pattern) || (/^\/console\b/.test(pattern) && !pattern.startsWith("/console/api/merchants/"))

describe("with ADMIN_PORT", () => {
  it("each route is at one of the two ports, what people sign in by at both, and without it all are at one", () => {
    for (const { route } of routes) {
      const at = (["public", "admin"] as const).filter((portKind) => isAnsweredAt(portKind, route))
      const expected = isOperators(route.pattern) ? ["admin"] : ["public"]
      assert.deepStrictEqual(at, isOfBoth(route.pattern) ? ["public", "admin"] : expected, route.pattern)
      assert.isTrue(isAnsweredAt("both", route))
    }
  })

  it.live("what is the operator's is 404 at the public port, however it is spelled, and answers at the other", () =>
    Effect.gen(function* () {
      const { admin, api, baseUrl, merchant } = yield* twoPorts()
      const bearer = { headers: { Authorization: `Bearer ${operatorToken}` } }
      for (const path of [
        "/metrics",
        "/healthz",
        "/operator/v1/merchants",
        `/operator/v1/merchants/${merchant.merchantId}`
      ]) {
        const outside = yield* api.call("GET", path, bearer)
        assert.deepStrictEqual([outside.status, outside.body.error], [404, "route_not_found"], path)
        assert.strictEqual((yield* admin.call("GET", path, bearer)).status, 200, path)
      }
      const name = { name: "Another" }
      assert.strictEqual((yield* api.operator("POST", "/merchants", name)).status, 404)
      assert.strictEqual((yield* admin.operator("POST", "/merchants", name)).status, 201)
      const token = { Authorization: `Bearer ${operatorToken}` }
      for (const target of [
        "/%6fperator/v1/merchants",
        "/%6Detrics",
        "/metrics?x=1",
        "//metrics",
        "/./metrics",
        "http://localhost/metrics",
        "/metrics;x"
      ]) {
        const { status } = yield* sendRaw(baseUrl, head(`GET ${target}`, { ...token, Connection: "close" }))
        assert.strictEqual(status, 404, target)
      }
    })
  )

  it.live("merchants' calls and pages are 404 at the operator's port", () =>
    Effect.gen(function* () {
      const { admin, api, merchant } = yield* twoPorts()
      for (const path of ["/v1/balance", "/v1/orders", "/api/v1/orders", "/docs", "/openapi.json"]) {
        assert.strictEqual((yield* admin.get(path, merchant.sandboxKey)).status, 404, path)
      }
      const order = { amount: 100, currency: "USD" }
      assert.strictEqual((yield* admin.post("/v1/orders", merchant.sandboxKey, order)).status, 404)
      const created = yield* api.post("/v1/orders", merchant.sandboxKey, order)
      assert.strictEqual(created.status, 201)
      const page = new URL(created.body.data.checkout_url).pathname
      assert.deepStrictEqual([(yield* admin.get(page)).status, (yield* api.get(page)).status], [404, 200])
      for (const each of [admin, api]) assert.strictEqual((yield* each.get("/readyz")).status, 200)
      const { links } = JSON.parse((yield* api.get("/")).text)
      assert.deepStrictEqual(links, {
        docs: "/docs",
        try: "/docs/try",
        downloads: "/downloads",
        openapi: "/openapi.json",
        readiness: "/readyz"
      })
      const operators = JSON.parse((yield* admin.get("/")).text)
      assert.deepStrictEqual(operators, {
        name: "Coffer",
        api: "/operator/v1",
        links: {
          operator_docs: "/operator/docs",
          operator_openapi: "/operator/openapi.json",
          alerts: "/operator/alerts",
          readiness: "/readyz",
          health: "/healthz",
          metrics: "/metrics"
        }
      })
    })
  )

  it.live("an operator signs in at the operator's port by a link that leads there, and does nothing at the other", () =>
    Effect.gen(function* () {
      const mails = yield* mailServer()
      const { admin, api, merchant } = yield* twoPorts({ SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example" })
      const before = mails.mails.length
      assert.strictEqual(
        (yield* admin.operator("POST", "/people", { email: "op@pay.example", role: "admin" })).status,
        200
      )
      assert.include((yield* mails.mail(before + 1)).replaceAll("=\r\n", ""), `${admin.url}/console/sign-in`)
      assert.strictEqual((yield* admin.get("/console/sign-in")).status, 200)
      const inner = yield* signIn(admin, mails, "op@pay.example")
      assert.include(mails.mails.at(-1)!.replaceAll("=\r\n", ""), `${admin.url}/console/sign-in#`)
      const path = `/merchants/${merchant.merchantId}`
      assert.strictEqual((yield* inner.operate("POST", `${path}/suspend`)).status, 200)
      // The page of the public port is another origin, and its session calls nothing of the operator's.
      const foreign = yield* inner.operate("GET", path, undefined, { Origin: api.url })
      assert.strictEqual(foreign.status, 403)
      const outer = yield* signIn(api, mails, "op@pay.example")
      assert.strictEqual((yield* outer.operate("GET", path)).status, 404)
      assert.strictEqual((yield* outer.call("GET", "/session")).status, 200)
      for (const of of [`${path}/people`, `/accounts/${merchant.merchantId}/sandbox/orders`]) {
        assert.strictEqual((yield* inner.call("GET", of)).status, 404, of)
      }
    }).pipe(Effect.scoped)
  )

  it.live(
    "the operator's port has the limits of the other: bodies, heads, what is no request, order on a connection",
    () =>
      Effect.gen(function* () {
        const { admin } = yield* twoPorts()
        const large = yield* admin.call("POST", "/operator/v1/merchants", {
          raw: JSON.stringify({ name: "x".repeat(200_000) }),
          headers: { Authorization: `Bearer ${operatorToken}` }
        })
        assert.strictEqual(large.status, 400)
        assert.match(yield* speak(admin.url, "nonsense\r\n\r\n"), /^HTTP\/1\.1 400 .*"error":"invalid_request"/s)
        assert.match(
          yield* speak(admin.url, head("GET /metrics", { "X-Large": "x".repeat(20_000) })),
          /^HTTP\/1\.1 400 .*too large/s
        )
        const two = head("GET /healthz") + head("GET /readyz", { Connection: "close" })
        assert.match(yield* speak(admin.url, two), /"status":"ok".*"status":"ready"/s)
      })
  )
})

describe("ADMIN_PORT", () => {
  const settingsOf = (env: Record<string, string>) =>
    Effect.provide(
      Settings.Settings,
      Settings.layer({ embedded: false }).pipe(
        Layer.provide(DataDir.layerReading("/nowhere")),
        Layer.provide(Wiring.platform),
        Layer.provide(
          ConfigProvider.layer(
            ConfigProvider.fromEnv({ env: { SECRET_KEY: secretKey, OPERATOR_TOKEN: operatorToken, ...env } })
          )
        )
      )
    )

  it.live("listens on loopback unless ADMIN_HOST says otherwise, also where the public port listens everywhere", () =>
    Effect.gen(function* () {
      assert.isUndefined((yield* settingsOf({})).admin)
      const { admin, host } = yield* settingsOf({ ADMIN_PORT: "9090" })
      assert.deepStrictEqual([host, admin], ["0.0.0.0", { host: "127.0.0.1", port: 9_090 }])
      const wide = yield* settingsOf({ ADMIN_PORT: "9090", ADMIN_HOST: "10.0.0.5" })
      assert.deepStrictEqual(wide.admin, { host: "10.0.0.5", port: 9_090 })
      assert.strictEqual(wide.adminUrl, "http://10.0.0.5:9090")
      const named = yield* settingsOf({ ADMIN_PORT: "9090", ADMIN_URL: "https://ops.pay.example/" })
      assert.strictEqual(named.adminUrl, "https://ops.pay.example")
    })
  )

  it.live("is not PORT, and ADMIN_HOST needs it: each stops the start by its name", () =>
    Effect.gen(function* () {
      assert.match(
        String(yield* Effect.flip(settingsOf({ PORT: "9090", ADMIN_PORT: "9090" }))),
        /must differ from PORT/
      )
      assert.match(String(yield* Effect.flip(settingsOf({ ADMIN_HOST: "10.0.0.5" }))), /ADMIN_HOST needs ADMIN_PORT/)
      assert.match(
        String(yield* Effect.flip(settingsOf({ ADMIN_URL: "http://a.example" }))),
        /ADMIN_URL needs ADMIN_PORT/
      )
    })
  )
})
