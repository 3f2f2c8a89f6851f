/** What people do in the console, in the API log of their merchant (silences: A13). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { invite, signIn } from "../../kit/callers/console.ts"
import { flushed, type Log, loggedMerchant } from "../../kit/rows/logs.ts"
import { said } from "../../kit/Merchant.ts"
import { mailServer } from "../../kit/servers/MailServer.ts"
import { start } from "../../kit/Service.ts"

const signedIn = Effect.fnUntraced(function* (role: string) {
  const mails = yield* mailServer()
  const running = yield* start({ env: { SMTP_URL: mails.url, MAIL_FROM: "coffer@pay.example" } })
  const logged = yield* loggedMerchant(running)
  const { merchantId } = logged.merchant
  yield* invite(running.api, mails, { email: "ada@shop.example", merchant_id: merchantId, role })
  const { call } = yield* signIn(running.api, mails, "ada@shop.example")
  return { ...logged, running, person: call, at: `/accounts/${merchantId}/sandbox` }
})

const shown = (logs: ReadonlyArray<Log>) =>
  logs.map(({ key_id, method, path, source, status }: Log) => `${source} ${method} ${path} ${status} ${key_id}`)

it.live("what people read in the console is not in the merchant's API log, found or not, and what they change is", () =>
  Effect.gen(function* () {
    const { api, at, key, logsOf, person, running } = yield* signedIn("owner")
    yield* api.get("/v1/orders/none", key)
    for (const [path, status] of [
      ["/orders", 200],
      ["/orders?format=csv", 200],
      ["/orders/none", 404],
      ["/events?id=evt_none", 400],
      ["/orders?status=none", 400],
      ["/logs", 200]
    ] as const) {
      assert.strictEqual((yield* person("GET", `${at}${path}`)).status, status, path)
    }
    assert.strictEqual((yield* person("POST", `${at}/orders`, { amount: 1_000 })).status, 201)
    assert.strictEqual((yield* person("POST", `${at}/refunds`, { trade_no: "none" })).status, 404)
    yield* flushed(running)
    assert.deepStrictEqual(shown(yield* logsOf()), [
      "console POST /v1/refunds 404 null",
      "console POST /v1/orders 201 null",
      "api GET /v1/orders/none 404 null"
    ])
  }).pipe(Effect.scoped)
)

it.live("the API log is filtered by where a call came from, alone and with other filters", () =>
  Effect.gen(function* () {
    const { api, at, key, list, logsOf, person } = yield* signedIn("developer")
    yield* api.post("/v1/orders", key, { amount: 1 })
    yield* api.get("/v1/balance", key)
    assert.strictEqual((yield* person("POST", `${at}/orders`, { amount: 1_000 })).status, 201)
    assert.strictEqual((yield* person("POST", `${at}/orders`, { amount: 0 })).status, 400)
    const [made] = yield* logsOf("?source=console&status=201")
    for (const [query, expected] of [
      ["source=console", ["400 /v1/orders", "201 /v1/orders"]],
      ["source=api&path=/v1/orders", ["201 /v1/orders"]],
      ["source=console&path=/v1/orders&status=4xx", ["400 /v1/orders"]],
      ["source=console&path=/v1/balance", []],
      ["source=api&path=/v1/balance", ["200 /v1/balance"]],
      [`source=api&request_id=${made.request_id}`, []],
      [`source=console&request_id=${made.request_id}`, ["201 /v1/orders"]],
      ["source=console&limit=1", ["400 /v1/orders"]]
    ] as const) {
      const found = yield* logsOf(`?${query}`)
      assert.deepStrictEqual(
        found.map(({ path, status }: Log) => `${status} ${path}`),
        [...expected],
        query
      )
    }
    const { body, status } = yield* list("?source=agents")
    assert.deepStrictEqual([status, body.error, body.param], [400, "invalid_request", "source"])
  }).pipe(Effect.scoped)
)

it.live("calls above the quota of people and of the main key are counted apart", () =>
  Effect.gen(function* () {
    const { api, at, key, logsOf, merchant, person } = yield* signedIn("owner")
    yield* said(api.operator("POST", `/merchants/${merchant.merchantId}`, { quotas: { writes: 1 } }))
    for (const status of [201, 429, 429, 429]) {
      assert.strictEqual((yield* api.post("/v1/orders", key, { amount: 1 })).status, status)
      assert.strictEqual((yield* person("POST", `${at}/orders`, { amount: 1 })).status, status)
    }
    const refused = (yield* logsOf("?status=429")).map(({ response_body, source }: Log) => [
      source,
      response_body._refused.count
    ])
    assert.sameDeepMembers(refused, [
      ["api", 1],
      ["api", 2],
      ["console", 1],
      ["console", 2]
    ])
  }).pipe(Effect.scoped)
)
