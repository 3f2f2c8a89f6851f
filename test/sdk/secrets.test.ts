/** The key goes to the service and nowhere else: not into a text, an error, a log or another host. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { ApiError, Coffer, CofferError, type CofferOptions } from "@coffer/sdk"
import { answered, failureOf, refused, scripted, someKey } from "../kit/callers/sdk.ts"

/** All that a program may write of a thing. */
const textsOf = (thing: unknown): ReadonlyArray<string> => [
  String(thing),
  JSON.stringify(thing) ?? "",
  inspect(thing, { depth: Infinity, showHidden: true, getters: true }),
  ...(thing instanceof Error ? [thing.stack ?? "", inspect(thing.cause, { depth: Infinity, showHidden: true })] : [])
]

const assertSilent = (...things: ReadonlyArray<unknown>) => {
  for (const text of things.flatMap(textsOf)) assert.notInclude(text, someKey.slice(0, 20))
}

describe("the key is in no text of", () => {
  it("a client, its parts, its calls and its lists", async () => {
    const { coffer } = scripted([answered({ object: "list", has_more: false, data: [] })])
    const call = coffer.orders.get("1")
    const list = coffer.orders.list()
    assertSilent(
      coffer,
      coffer.orders,
      coffer.testHelpers,
      call,
      list,
      await call,
      await call.withResponse(),
      await list.page()
    )
  })

  it("an error, whatever kind it is", async () => {
    for (const answer of [
      new TypeError("fetch failed"),
      refused(401, "invalid_api_key"),
      refused(503, "internal_error")
    ]) {
      const { coffer } = scripted([answer], { maxRetries: 0 })
      assertSilent(await failureOf(coffer.orders.create({ amount: 1 }), CofferError))
    }
    const unreachable = new Coffer({ apiKey: someKey, baseUrl: "http://127.0.0.1:1/v1", maxRetries: 0 })
    assertSilent(await failureOf(unreachable.orders.get("1"), CofferError))
  })

  it("the arguments of hooks", async () => {
    const told: Array<unknown> = []
    const hooks = { onRequest: (info: object) => told.push(info), onResponse: (info: object) => told.push(info) }
    const { coffer } = scripted([refused(503, "internal_error"), answered({})], { hooks })
    await coffer.orders.create({ amount: 1 })
    assert.strictEqual(told.length, 4)
    assertSilent(...told)
  })
})

describe("an error as JSON", () => {
  it("has what a log needs: code, status, param, request id, key of idempotency, attempts", async () => {
    const { coffer } = scripted([refused(400, "invalid_request", {}, "amount")])
    const error = await failureOf(coffer.orders.create({ amount: 0 }, { idempotencyKey: "k" }), ApiError)
    assert.deepStrictEqual(JSON.parse(JSON.stringify(error)), {
      name: "InvalidRequestError",
      message: "POST /orders: 400 invalid_request: invalid_request happened (req_1)",
      detail: "invalid_request happened",
      code: "invalid_request",
      idempotencyKey: "k",
      attempts: 1,
      status: 400,
      param: "amount",
      requestId: "req_1"
    })
  })
})

describe("a redirect", () => {
  it("is not followed, so no other host gets the key", async () => {
    const heard: Array<unknown> = []
    const elsewhere = createServer((request, response) => {
      heard.push(request.headers)
      response.end("{}")
    })
    await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve))
    const location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/v1/orders`
    const redirecting = createServer((_, response) => response.writeHead(307, { Location: location }).end())
    await new Promise<void>((resolve) => redirecting.listen(0, "127.0.0.1", resolve))
    try {
      const baseUrl = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}/v1`
      const error = await failureOf(new Coffer({ apiKey: someKey, baseUrl }).orders.create({ amount: 1 }), ApiError)
      assert.deepStrictEqual([error.status, error.code], [307, "unexpected_answer"])
      assert.include(error.message, "check baseUrl")
      assert.deepStrictEqual(heard, [])
    } finally {
      for (const server of [elsewhere, redirecting]) server.close().closeAllConnections()
    }
  })
})

describe("an option that is wrong", () => {
  const good = { apiKey: someKey, baseUrl: "https://pay.example/v1" }
  const wrong: ReadonlyArray<readonly [name: string, { readonly [key in keyof CofferOptions]?: unknown }]> = [
    ["apiKey", { apiKey: undefined }],
    ["apiKey", { apiKey: "" }],
    ["apiKey", { apiKey: "sk_test_someone-elses" }],
    ["apiKey", { apiKey: `${someKey}\n` }],
    ["apiKey", { apiKey: `${someKey} ü` }],
    ["baseUrl", { baseUrl: undefined }],
    ["baseUrl", { baseUrl: "pay.example/v1" }],
    ["baseUrl", { baseUrl: "https://pay.example" }],
    ["baseUrl", { baseUrl: "ftp://pay.example/v1" }],
    ["baseUrl", { baseUrl: "https://pay.example/v1?a=1" }],
    ["baseUrl", { baseUrl: `https://user:${someKey}@pay.example/v1` }],
    ["timeoutMs", { timeoutMs: 0 }],
    ["timeoutMs", { timeoutMs: Number.NaN }],
    ["timeoutMs", { timeoutMs: 2 ** 31 }],
    ["deadlineMs", { deadlineMs: -1 }],
    ["maxRetries", { maxRetries: 1.5 }],
    ["maxRetries", { maxRetries: 21 }]
  ]
  for (const [name, options] of wrong) {
    it(`is refused by its name, without the key: ${name} ${JSON.stringify(options).replace(someKey, "…")}`, () => {
      try {
        void new Coffer({ ...good, ...options } as CofferOptions)
      } catch (error) {
        assert.instanceOf(error, TypeError)
        assert.match((error as Error).message, new RegExp(`^${name}: expected `))
        return assertSilent(error)
      }
      return assert.fail("it was taken")
    })
  }

  it("is not a slash at the end of baseUrl", async () => {
    const { coffer, sent } = scripted([answered({})], { baseUrl: "https://pay.example/api/v1//" })
    await coffer.orders.get("1")
    assert.strictEqual(sent[0]!.url.href, "https://pay.example/api/v1/orders/1")
  })
})
