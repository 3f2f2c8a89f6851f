/**
 * Bodies that no client should send: not JSON, too large, too deep, with broken texts. Refused in the envelope, never
 * with a 5xx (silences: G3, G6).
 */
import { request } from "node:http"
import { assert, layer } from "@effect/vitest"
import { Api } from "@coffer/contract/Api"
import { bodyLimitsOf } from "@coffer/contract/bodyLimits"
import { Context, Effect, Layer } from "effect"
import { OpenApi } from "effect/http-api"
import type { Call, Reply } from "../../kit/Api.ts"
import { jsonProblem } from "../../../src/shared/http/jsonProblem.ts"
import { type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/hostileBodies") {}

const megabyte = 1024 * 1024
/** The sum of an order's fields, and room for unknown ones. */
const { bytes: orderBytesMax } = bodyLimitsOf(Api.groups.orders.endpoints.create)

// oxlint-disable-next-line no-explicit-any -- a document without a type of its own
type Json = Record<string, any>
const document = OpenApi.fromApi(Api) as Json

/** A valid order in exactly so many bytes. */
const orderOf = (bytes: number) => {
  const text = '{"amount":100,"padding":""}'
  return text.replace('""', `"${"x".repeat(bytes - text.length)}"`)
}

const json = { "Content-Type": "application/json" }
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth)

/** Refused without a `param`: no field is to blame. */
const bodies: ReadonlyArray<readonly [string, Omit<Call, "key">]> = [
  ["malformed JSON", { raw: "{" }],
  ["JSON with something behind it", { raw: '{"amount":100}}' }],
  ["JSON in UTF-16", { raw: Buffer.from('{"amount":100}', "utf16le") }],
  ["an empty body", { raw: "" }],
  ["no body", { headers: json }],
  ["no body and no content type", {}],
  ["an array", { raw: '[{"amount":100}]' }],
  ["a string", { raw: '"amount"' }],
  ["a number", { raw: "100" }],
  ["null", { raw: "null" }],
  ["true", { raw: "true" }],
  ["text/plain", { raw: '{"amount":100}', headers: { "Content-Type": "text/plain" } }],
  ["a form", { raw: "amount=100", headers: { "Content-Type": "application/x-www-form-urlencoded" } }],
  ["multipart", { raw: "--a--", headers: { "Content-Type": "multipart/form-data; boundary=a" } }],
  ["no media type at all", { raw: '{"amount":100}', headers: { "Content-Type": "json" } }],
  ["one byte more than an order can have", { raw: orderOf(orderBytesMax + 1) }],
  ["5 MB", { raw: orderOf(5 * megabyte) }],
  ["5 MB of an unreadable type", { raw: orderOf(5 * megabyte), headers: { "Content-Type": "text/plain" } }]
]

/** Refused, and the field that is named. */
const deepOrHuge: ReadonlyArray<readonly [string, string]> = [
  [`{"amount":${nested(1_000)}}`, "amount"],
  [`{"amount":100,"subject":${nested(1_000)}}`, "subject"],
  [`{"amount":100,"metadata":${nested(1_000)}}`, "metadata"],
  [`{"amount":100,"metadata":{"a":${nested(1_000)}}}`, "metadata.a"],
  [`{"amount":100,"metadata":${'{"a":'.repeat(1_000)}1${"}".repeat(1_000)}}`, "metadata.a"],
  [`{"amount":${"9".repeat(200_000)}}`, "amount"],
  [`{"amount":0.${"0".repeat(200_000)}1}`, "amount"],
  ['{"amount":1e999999999}', "amount"],
  ['{"amount":-1e999999999}', "amount"],
  ['{"amount":9007199254740993}', "amount"],
  [`{"amount":"${"1".repeat(400_000)}"}`, "amount"]
]

/** Sends an order in chunks, as Node's own client does without a length. */
const sendChunks = (url: string, headers: Record<string, string>, chunks: ReadonlyArray<string>) =>
  Effect.callback<{ readonly status: number; readonly text: string; readonly id: unknown }>((resume) => {
    const { hostname, port } = new URL(url)
    const options = { hostname, port, method: "POST", path: "/v1/orders", headers, agent: false }
    const sent = request(options, (response) => {
      const parts: Array<Buffer> = []
      response.on("data", (part: Buffer) => parts.push(part))
      response.on("end", () => {
        const text = Buffer.concat(parts).toString()
        resume(Effect.succeed({ status: response.statusCode ?? 0, text, id: response.headers["x-request-id"] }))
      })
    })
    // The service may answer and hang up before it was sent all.
    sent.on("error", () => undefined)
    for (const chunk of chunks) sent.write(chunk)
    sent.end()
  })

const isRefused = (reply: Reply, param: string | undefined, message: string) =>
  assert.deepStrictEqual([reply.status, reply.body?.error, reply.body?.param], [400, "invalid_request", param], message)

layer(Layer.effect(Service, start()), { excludeTestServices: true })("a body", (it) => {
  it.effect(
    "refuses a body that is no JSON object, or larger than an order can be, with 400 invalid_request and no param",
    () =>
      Effect.gen(function* () {
        const { api, merchant } = yield* Service
        for (const [what, call] of bodies) {
          isRefused(yield* api.call("POST", "/v1/orders", { key: merchant.sandboxKey, ...call }), undefined, what)
        }
      })
  )

  it.effect("says so in words that are not the program's own", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const no = "The body must be a JSON object"
      const begin = 'Put the fields in braces: {"name": "value"}'
      assert.strictEqual(jsonProblem(`{"subject": "${"a".repeat(65_536)}",}`), no)
      for (const [raw, message] of [
        ["[]", `${no}, not a list. Send one object in each call.`],
        ["null", `${no}, not null. ${begin}.`],
        ["7", `${no}, not a number. ${begin}.`],
        ['"seven"', `${no}, not a text. ${begin}.`],
        [
          JSON.stringify('{"amount": 100}'),
          `${no}. It is a text that holds JSON: it was encoded twice. Encode the object once.`
        ],
        ["{", `${no}. It ends too early, at character 1: close what is open.`],
        ['{"amount": 10', `${no}. It ends too early, at character 13: close what is open.`],
        ['{"subject": "Tw', `${no}. It ends too early, at character 15: close what is open.`],
        ['{"amount": 100,}', `${no}. It is not JSON at character 16: there is a comma too many before it.`],
        ["{'amount': 100}", `${no}. It is not JSON at character 2: names and texts are in double quotes.`],
        ['{"amount": 100 "a": 1}', `${no}. It is not JSON at character 16: a comma or a colon is missing before it.`],
        ['{"a": "x\ny"}', `${no}. It is not JSON at character 9: a line break in a text is written \\n.`],
        ['{"amount": undefined}', `${no}. It is not JSON at character 12: JSON has no such word: write null.`],
        ["amount=100", `${no}. It is not JSON at character 1: it looks like a form: encode the fields as JSON.`]
      ] as const) {
        for (const path of ["/v1/orders", "/v1/payment_links"]) {
          const { body } = yield* api.call("POST", path, { key: merchant.sandboxKey, raw })
          assert.strictEqual(body.message, message, raw)
        }
      }
    })
  )

  it.effect("takes no body for an empty object, wherever the document requires none, whatever its type is", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const operations = Object.entries<Json>(document["paths"]).flatMap(([path, { post }]) =>
        post?.requestBody === undefined ? [] : [{ path, required: post.requestBody.required as boolean }]
      )
      assert.isTrue(operations.some(({ required }) => required) && operations.some(({ required }) => !required))
      for (const { path, required } of operations) {
        for (const call of [{}, { raw: "", headers: json }, { raw: "", headers: { "Content-Type": "text/plain" } }]) {
          const { sandboxKey: key } = yield* api.newMerchant()
          yield* api.post("/v1/orders", key, { amount: 100, out_trade_no: "known" })
          const { status, text } = yield* api.call("POST", path.replace(/\{\w+\}/, "known"), { key, ...call })
          assert.strictEqual(status === 400, required, `${path} ${text}`)
        }
      }
    })
  )

  it.effect("accepts the whole of the limit, a charset and a byte order mark", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      for (const call of [
        { raw: orderOf(orderBytesMax) },
        { raw: '{"amount":100}', headers: { "Content-Type": "application/json; charset=utf-8" } },
        { raw: '{"amount":100}', headers: { "Content-Type": "Application/JSON" } },
        { raw: '\ufeff{"amount":100}' }
      ]) {
        assert.strictEqual((yield* api.call("POST", "/v1/orders", { key: merchant.sandboxKey, ...call })).status, 201)
      }
    })
  )

  it.effect("counts a body that comes in chunks, without Content-Length", () =>
    Effect.gen(function* () {
      const { baseUrl, merchant } = yield* Service
      const headers = { ...json, "X-Api-Key": merchant.sandboxKey, "Transfer-Encoding": "chunked" }
      for (const [bytes, status] of [
        [orderBytesMax, 201],
        [orderBytesMax + 1, 400],
        [8 * megabyte, 400]
      ] as const) {
        const chunks = orderOf(bytes).match(/.{1,65536}/gs) ?? []
        const reply = yield* sendChunks(baseUrl, headers, chunks)
        assert.strictEqual(reply.status, status, String(bytes))
        const { code, error, request_id } = JSON.parse(reply.text)
        assert.deepStrictEqual([code, request_id], [status, reply.id])
        if (status === 400) assert.strictEqual(error, "invalid_request")
      }
    })
  )

  it.effect("refuses depth and huge numbers where a field is, and ignores them where none is", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const key = merchant.sandboxKey
      for (const headers of [{}, { "Idempotency-Key": "deep" }]) {
        for (const [raw, param] of deepOrHuge) {
          const reply = yield* api.call("POST", "/v1/orders", { key, raw, headers })
          isRefused(reply, param, `${raw.slice(0, 60)} ${JSON.stringify(headers)}`)
          assert.isBelow(reply.text.length, 10_000)
        }
        const raw = `{"amount":100,"unknown":${nested(1_000)},"other":${"9".repeat(1_000)}}`
        assert.strictEqual((yield* api.call("POST", "/v1/orders", { key, raw, headers })).status, 201)
      }
    })
  )

  it.effect("answers shortly even where what it refuses is long", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const long = "k".repeat(400_000)
      for (const metadata of [{ [long]: "1" }, { [long]: 1 }, { [`svc_${long}`]: "1" }]) {
        const reply = yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 100, metadata })
        assert.deepStrictEqual([reply.status, reply.body.error], [400, "invalid_request"])
        assert.isTrue(reply.body.param.startsWith("metadata."))
        assert.isBelow(reply.text.length, 10_000)
      }
    })
  )

  it.effect("NUL and broken Unicode are refused in every text", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const merchant = yield* api.newMerchant()
      for (const field of [
        "out_trade_no",
        "subject",
        "notify_url",
        "return_url",
        "receipt_email",
        "currency",
        "locale"
      ]) {
        for (const text of ["a\\u0000b", "\\ud800", "\\udc00\\ud800"]) {
          const raw = `{"amount":100,"${field}":"${text}"}`
          isRefused(yield* api.call("POST", "/v1/orders", { key: merchant.sandboxKey, raw }), field, raw)
        }
      }
    })
  )
})
