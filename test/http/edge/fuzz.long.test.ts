/**
 * Many requests to every endpoint of merchants and of operators, thousands in all, half of them shaped by the
 * document, half hostile: the answer is never a 5xx, always the envelope, and one that the document
 * knows (test/kit/routes/contract.ts checks each).
 */
import { assert, describe, it } from "@effect/vitest"
import { Api } from "@coffer/contract/Api"
import { OperatorApi } from "@coffer/contract/Operator"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import fc from "fast-check"
import { start } from "../../kit/Service.ts"
import { rounds } from "../../kit/run/soak.ts"

const requestsPerEndpoint = rounds(50, 400)
const seed = 20_261_121

// oxlint-disable-next-line no-explicit-any -- a document without a type of its own
type Json = Record<string, any>
const [merchants, operators] = [OpenApi.fromApi(Api), OpenApi.fromApi(OperatorApi)] as [Json, Json]
/** The operator's endpoints come last: what they change of the merchant would keep it from its own. */
const document: Json = {
  paths: { ...merchants["paths"], ...operators["paths"] },
  components: { schemas: { ...operators["components"].schemas, ...merchants["components"].schemas } }
}

const hostileText = fc.constantFrom(
  "",
  " ",
  "\u0000",
  "\u202e",
  "\ud800",
  "'; drop table orders; --",
  "../../etc/passwd",
  "%00",
  "%ff",
  "{{7*7}}",
  "null",
  "-1",
  "1e309",
  "NaN",
  "__proto__",
  "constructor",
  "💸".repeat(200),
  "x".repeat(5_000),
  "<script>",
  "TRD_SB_",
  "0".repeat(26),
  "\r\nX-Injected: 1",
  "2026-13-45",
  "9".repeat(30)
)
const hostile: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom(null, true, 0, -0, 0.1, -1, 1e21, 2 ** 53, [], {}, [[[[]]]], { toString: 1 }, { __proto__: null }),
  fc.jsonValue()
)

const resolved = (schema: Json): Json =>
  typeof schema["$ref"] === "string"
    ? resolved(document["components"].schemas[schema["$ref"].split("/").at(-1)!])
    : schema

/** Values that the document allows, now and then one that it does not. */
const valueOf = (schema: Json): fc.Arbitrary<unknown> => {
  const known = resolved(schema)
  if (known["anyOf"] !== undefined) return fc.oneof(...known["anyOf"].map(valueOf))
  if (known["enum"] !== undefined) return fc.constantFrom(...known["enum"])
  switch (known["type"]) {
    case "object":
      return known["properties"] === undefined
        ? fc.dictionary(fc.string({ maxLength: 45 }), valueOf(known["additionalProperties"] ?? {}), { maxKeys: 6 })
        : fc.record(
            Object.fromEntries(
              Object.entries<Json>(known["properties"]).map(([name, inner]) => [
                name,
                fc.oneof({ arbitrary: valueOf(inner), weight: 6 }, { arbitrary: hostile, weight: 1 })
              ])
            ),
            { requiredKeys: [] }
          )
    case "array":
      return fc.array(valueOf(known["items"] ?? {}), { maxLength: 5 })
    case "integer":
      return fc.oneof(fc.integer(), fc.constantFrom(0, 1, 100, 101, 100_000_000_000, 100_000_000_001))
    case "boolean":
      return fc.boolean()
    case "null":
      return fc.constant(null)
    case "string":
      return fc.oneof(fc.string(), fc.webUrl(), fc.emailAddress(), fc.constantFrom("USD", "1767225600", "4xx"))
    default:
      return hostile
  }
}

const textOfValue = (value: unknown) => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""))

const requestOf = (operation: Json, refs: ReadonlyArray<string>) => {
  const parameters: ReadonlyArray<Json> = operation["parameters"] ?? []
  const body = operation["requestBody"]?.content["application/json"]?.schema
  const textOf = (schema: Json) => fc.oneof(valueOf(schema), hostile, fc.constantFrom(...refs)).map(textOfValue)
  const named = (place: string) =>
    Object.fromEntries(
      parameters.filter((each) => each["in"] === place).map((each) => [each["name"], textOf(each["schema"])])
    )
  return fc.record({
    path: fc.record(named("path")),
    query: fc.record({ ...named("query"), "metadata[k]": hostileText }, { requiredKeys: [] }),
    body:
      body === undefined
        ? fc.option(hostile)
        : fc.oneof({ arbitrary: valueOf(body), weight: 3 }, { arbitrary: hostile, weight: 1 }),
    idempotencyKey: fc.option(fc.constantFrom("a", "b", "c", "x".repeat(256)), { freq: 3 })
  })
}

/** `encodeURIComponent` refuses half a surrogate pair; a client's library would send something nevertheless. */
const encoded = (text: string) => encodeURIComponent(text.toWellFormed())

describe("fuzz", () => {
  it.live("no request makes a 5xx, and every answer has the envelope", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* start()
      const paid = yield* api.post("/v1/orders", merchant.sandboxKey, { amount: 1000, out_trade_no: "known" })
      const refs = ["known", paid.body.data.trade_no as string, merchant.merchantId]
      yield* api.post("/v1/test_helpers/orders/known/pay", merchant.sandboxKey, {})
      const dispute = yield* api.post("/v1/test_helpers/orders/known/dispute", merchant.sandboxKey, { amount: 1 })
      refs.push(dispute.body.data.dispute_no as string)

      for (const [template, methods] of Object.entries<Json>(document["paths"])) {
        // 502 depends on whether the channel is reachable, which the fuzzer does not judge.
        if (template.endsWith("/channel")) continue
        for (const [method, operation] of Object.entries<Json>(methods)) {
          const requests = fc.sample(requestOf(operation, refs), { numRuns: requestsPerEndpoint, seed })
          yield* Effect.forEach(
            requests,
            ({ body, idempotencyKey, path, query }) => {
              const pathOf = template.replace(/\{(\w+)\}/g, (_, name: string) => encoded((path as Json)[name]) || "%20")
              const search = Object.entries(query).map(([name, value]) => `${encoded(name)}=${encoded(String(value))}`)
              const url = search.length === 0 ? pathOf : `${pathOf}?${search.join("&")}`
              return Effect.map(
                api.call(method.toUpperCase(), url, {
                  key: merchant.sandboxKey,
                  ...(method === "get" ? {} : { raw: JSON.stringify(body) ?? "" }),
                  headers: {
                    ...(idempotencyKey === null ? {} : { "Idempotency-Key": idempotencyKey }),
                    ...(template.startsWith("/operator") ? { Authorization: `Bearer ${api.operatorToken}` } : {})
                  }
                }),
                (reply) => {
                  assert.isBelow(reply.status, 500, `${method} ${url} ${JSON.stringify(body)}: ${reply.text}`)
                  if (reply.body === undefined)
                    assert.match(reply.headers.get("content-type") ?? "", /^(text\/csv|application\/x-(tar|ndjson))/)
                }
              )
            },
            { concurrency: 16 }
          )
        }
      }
    })
  )
})
