/** Bytes that are not UTF-8 are refused in every text: two numbers never become one (silences: G22). */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { head, sendRaw } from "../../kit/callers/Raw.ts"
import { operatorToken, type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/utf8") {}

/** Latin-1 in, the same bytes out. */
const bytes = (text: string) => Buffer.from(text, "latin1")
const json = "application/json"

layer(Layer.effect(Service, start()), { excludeTestServices: true })("bytes that are not UTF-8", (it) => {
  const post = Effect.fnUntraced(function* (
    path: string,
    type: string,
    body: Buffer,
    more: Record<string, string> = {}
  ) {
    const { baseUrl, merchant } = yield* Service
    const headers = { "X-Api-Key": merchant.sandboxKey, "Content-Type": type, "Content-Length": body.length, ...more }
    return yield* sendRaw(baseUrl, head(`POST ${path}`, headers), body)
  })

  it.effect("in a JSON body are 400 on both ways in, and nothing is created", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      for (const type of [json, "application/json; charset=utf-8", "application/JSON"]) {
        for (const keyed of [{}, { "Idempotency-Key": `utf8 ${type}` }]) {
          for (const number of ["n-\xd5\xc5", "n-\xc0\xee", "\xff", "\xed\xa0\x80", "\xe8\x8c"]) {
            const reply = yield* post("/v1/orders", type, bytes(`{"amount":100,"out_trade_no":"${number}"}`), keyed)
            assert.deepStrictEqual([reply.status, reply.body.error], [400, "invalid_request"], `${type} ${number}`)
            assert.notProperty(reply.body, "param")
          }
        }
      }
      const { body } = yield* api.get("/v1/orders", merchant.sandboxKey)
      assert.deepStrictEqual(body.data.data, [])
    })
  )

  it.effect("in a path or a query are 400, never another character", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Service
      const { sandboxKey } = yield* (yield* Service).api.newMerchant()
      const get = (path: string) => sendRaw(baseUrl, head(`GET ${path}`, { "X-Api-Key": sandboxKey }))
      assert.strictEqual((yield* get("/v1/orders/%D5%C5")).status, 400)
      for (const query of [
        "out_trade_no=%D5%C5",
        "metadata[a]=%D5%C5",
        "metadata[%D5%C5]=a",
        "starting_after=%FF",
        "limit=1&status=paid%C0%EE"
      ]) {
        const reply = yield* get(`/v1/orders?${query}`)
        assert.deepStrictEqual([reply.status, reply.body.error], [400, "invalid_request"], query)
        const long = yield* get(`${baseUrl}/v1/orders?${query}`)
        assert.deepStrictEqual([long.status, long.body.param], [400, reply.body.param], query)
      }
      const named = yield* get("/v1/orders?metadata%5Ba%5D=%D5%C5")
      assert.strictEqual(named.body.param, "metadata[a]")
    })
  )

  it.effect("in a form of the checkout are no form of ours, and nothing is paid", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const { body } = yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 100 })
      const { pathname } = new URL(body.data.checkout_url)
      const card = "method=card&number=4242424242424242&expiry=12%2F40&cvc=123"
      const form = "application/x-www-form-urlencoded"
      for (const [type, text] of [
        [form, `step=pay&${card}&more=\xd5\xc5`],
        [form, `step=pay&${card}&more=%D5%C5`],
        [`${form}; charset=gbk`, `step=pay&${card}`]
      ] as const) {
        assert.strictEqual((yield* post(pathname, type, bytes(text))).status, 422, text)
      }
      const order = yield* api.get(`/v1/orders/${body.data.trade_no}`, merchant.sandboxKey)
      assert.strictEqual(order.body.data.status, "pending")
      const paid = yield* post(pathname, `${form}; charset=UTF-8`, bytes(`step=pay&${card}`))
      assert.strictEqual(paid.status, 303)
    })
  )

  it.effect("in a field of a multipart form are 400", () =>
    Effect.gen(function* () {
      const { merchant } = yield* Service
      const part = (name: string, value: string, more = "") =>
        `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`
      const form = (mode: string) =>
        bytes(`${part("mode", mode)}${part("file", "%PDF-1.7 a", '; filename="a.pdf"')}--b--\r\n`)
      const path = `/operator/v1/merchants/${merchant.merchantId}/files`
      const type = "multipart/form-data; boundary=b"
      const operator = { Authorization: `Bearer ${operatorToken}` }
      assert.strictEqual((yield* post(path, type, form("sandbox"), operator)).status, 201)
      assert.strictEqual((yield* post(path, type, form("sandbox\xd5"), operator)).status, 400)
    })
  )

  it.effect("are what a charset other than UTF-8 announces: 400; UTF-8 may be spelled in any way", () =>
    Effect.gen(function* () {
      for (const charset of ["gbk", "iso-8859-1", '"latin1"', "utf-16", "utf-8; charset=gbk", "us-ascii"]) {
        const reply = yield* post("/v1/orders", `application/json; charset=${charset}`, bytes('{"amount":100}'))
        assert.deepStrictEqual([reply.status, reply.body.error], [400, "invalid_request"], charset)
      }
      for (const parameters of [
        "; charset=utf-8",
        ";charset=UTF-8",
        ' ; Charset="utf-8"',
        ";charset=utf8",
        "; a=b; charset=Utf-8",
        ""
      ]) {
        const reply = yield* post("/v1/orders", json + parameters, bytes('{"amount":100}'))
        assert.strictEqual(reply.status, 201, parameters)
      }
    })
  )
})
