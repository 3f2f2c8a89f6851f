/**
 * A plain call takes a short path past the framework (docs/decisions/0086). Every call here is made twice, once so that
 * it is plain and once so that it is not, and the two answers are compared.
 */
import { request } from "node:http"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { FindMyWay } from "effect/http"
import { vi } from "vitest"
import { Logs } from "../../../src/shared/logs/Logs.ts"
import { ShortPath } from "../../../src/door/edge/ShortPath.ts"
import { type Running, start } from "../../kit/Service.ts"

interface Service extends Running {
  /** How many of the calls so far went the short path. */
  readonly short: () => number
}
class Given extends Context.Service<Given, Service>()("test/shortPath") {}

const service = Layer.effect(
  Given,
  Effect.gen(function* () {
    const running = yield* start({})
    const path = Context.get(running.context as Context.Context<ShortPath>, ShortPath)
    const { take } = path
    let taken = 0
    path.take = (asked, response) => {
      const short = take(asked, response)
      if (short) taken++
      return short
    }
    return { ...running, short: () => taken }
  })
)

interface Log {
  readonly user_agent: string
}

interface Sent {
  readonly method?: string
  readonly body?: string
  readonly headers?: Record<string, string>
}

interface Received {
  readonly status: number | undefined
  readonly headers: Record<string, unknown>
  readonly body: unknown
}

/** Plain: the address is a path, and the body has a length. Otherwise it is a whole URL, and comes in chunks. */
const call = (baseUrl: string, path: string, { body, headers, method = "GET" }: Sent, plain: boolean) =>
  Effect.callback<Received>((resume) => {
    const asked = request(baseUrl, {
      method,
      path: plain ? path : baseUrl + path,
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(body === undefined || !plain ? {} : { "content-length": String(Buffer.byteLength(body)) }),
        ...headers
      }
    })
    asked.on("response", (response) => {
      let text = ""
      response.setEncoding("utf8")
      response.on("data", (part: string) => (text += part))
      response.on("end", () =>
        resume(Effect.succeed({ status: response.statusCode, headers: response.headers, body: JSON.parse(text) }))
      )
    })
    asked.end(body)
  })

/** Differs between two calls, whatever they ask. */
const changing = new Set([
  "date",
  "x-request-id",
  "ratelimit",
  "content-length",
  "request_id",
  "trade_no",
  "checkout_url",
  "instance"
])
const isChanging = (name: string) => changing.has(name) || name.endsWith("_at")

const lasting = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(lasting)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !isChanging(name))
      .map(([name, field]) => [name, lasting(field)])
  )
}

layer(service)("a call is answered alike on the short path and on the long one:", (it) => {
  const cases: ReadonlyArray<readonly [string, string, Sent, keyless?: boolean]> = [
    ["an order", "/v1/orders", { method: "POST", body: '{"amount":1999,"out_trade_no":"cart-1"}' }],
    ["an order of other terms", "/v1/orders", { method: "POST", body: '{"amount":2000,"out_trade_no":"cart-1"}' }],
    ["a field that is wrong", "/v1/orders", { method: "POST", body: '{"amount":"1999"}' }],
    ["a field that is missing", "/v1/orders", { method: "POST", body: '{"subject":"Two books"}' }],
    ["a body that is no JSON", "/v1/orders", { method: "POST", body: '{"amount":' }],
    ["an order by its number", "/v1/orders/cart-1", {}],
    ["an order at the other address", "/api/v1/orders/cart-1", {}],
    ["a number that is percent-encoded", "/v1/orders/cart%3A1", {}],
    ["a number with a semicolon", "/v1/orders/cart;1", {}],
    ["no such order", "/v1/orders/none", {}],
    ["a list", "/v1/orders?limit=2", {}],
    ["a filter that is wrong", "/v1/orders?status=lost", {}],
    ["the balance", "/v1/balance", {}],
    [
      "a field that this body may not have",
      "/v1/disputes/none/evidence",
      { method: "POST", body: '{"evidence":{"x":"y"}}' }
    ],
    ["a body that may be missing", "/v1/orders/cart-1/expire", { method: "POST" }],
    ["no key", "/v1/orders/cart-1", {}, true],
    ["a key that is wrong", "/v1/orders/cart-1", { headers: { "x-api-key": "svc_test_none" } }, true],
    ["a problem for who asks for one", "/v1/orders/none", { headers: { accept: "application/problem+json" } }],
    [
      "an Idempotency-Key that is wrong",
      "/v1/orders",
      { method: "POST", body: "{}", headers: { "idempotency-key": "" } }
    ]
  ]

  it.effect.each(cases)("%s", ([, path, sent, keyless]) =>
    Effect.gen(function* () {
      const { baseUrl, merchant, short } = yield* Given
      const key = keyless === true ? {} : { "x-api-key": merchant.sandboxKey }
      const whole = { ...sent, headers: { ...key, ...sent.headers } }
      // The first of two may make what the second finds.
      yield* call(baseUrl, path, whole, true)
      const before = short()
      const onShort = yield* call(baseUrl, path, whole, true)
      assert.strictEqual(short(), before + 1)
      const onLong = yield* call(baseUrl, path, whole, false)
      assert.strictEqual(short(), before + 1)
      assert.deepStrictEqual(lasting(onShort), lasting(onLong))
    })
  )
})

layer(service)("the short path", (it) => {
  it.effect("leaves to the framework what is a file, a form, too large, or no endpoint", () =>
    Effect.gen(function* () {
      const { api, baseUrl, merchant, short } = yield* Given
      const key = merchant.sandboxKey
      const before = short()
      yield* api.get("/v1/orders?format=csv", key)
      yield* api.call("POST", "/v1/orders", { key, raw: "amount=1", headers: { "Content-Type": "text/plain" } })
      yield* api.call("POST", "/v1/orders", { key, raw: " ".repeat(1_048_577) })
      yield* api.get("/v1/orders/", key)
      yield* api.get("/v1/nowhere", key)
      yield* Effect.promise(() => fetch(`${baseUrl}/v1/balance`, { method: "HEAD", headers: { "x-api-key": key } }))
      assert.strictEqual(short(), before)
    })
  )

  it.effect("takes a second request with the same Idempotency-Key for the first, whichever way they come", () =>
    Effect.gen(function* () {
      const { baseUrl, merchant } = yield* Given
      const headers = { "x-api-key": merchant.sandboxKey, "idempotency-key": "both-ways" }
      const sent = { method: "POST", body: '{"amount":1999}', headers }
      const first = yield* call(baseUrl, "/v1/orders", sent, true)
      const second = yield* call(baseUrl, "/api/v1/orders", sent, false)
      assert.strictEqual(second.headers["idempotent-replayed"], "true")
      assert.deepStrictEqual((second.body as Received & { data: unknown }).data, (first.body as { data: unknown }).data)
    })
  )

  it.effect("looks its route up once: handler, limits and the name in metrics come from one place", () =>
    Effect.gen(function* () {
      const { baseUrl, merchant, short } = yield* Given
      const found = vi.spyOn(Object.getPrototypeOf(FindMyWay.make()), "find")
      const before = short()
      yield* call(baseUrl, "/v1/balance", { headers: { "x-api-key": merchant.sandboxKey } }, true)
      const looks = found.mock.calls.length
      vi.restoreAllMocks()
      assert.deepStrictEqual([short() - before, looks], [1, 1])
    })
  )

  it.effect("keeps in the log what the long one keeps", () =>
    Effect.gen(function* () {
      const { api, baseUrl, context, merchant } = yield* Given
      const headers = { "x-api-key": merchant.sandboxKey, "user-agent": "a shop" }
      const body = '{"amount":1999,"out_trade_no":"logged","metadata":{"card":"4242"}}'
      const sent = { method: "POST", body, headers }
      // The first makes the order, and so is answered otherwise.
      for (const plain of [true, true, false]) yield* call(baseUrl, "/v1/orders", sent, plain)
      yield* Context.get(context, Logs).flushed
      const reply = yield* api.get("/v1/logs?path=/v1/orders&limit=100", merchant.sandboxKey)
      const logs = (reply.body.data.data as ReadonlyArray<Log>).filter(({ user_agent }) => user_agent === "a shop")
      const [long, short] = logs.map((log) => lasting({ ...log, duration_ms: 0 }))
      assert.strictEqual(logs.length, 3)
      assert.deepStrictEqual(short, long)
    })
  )
})
