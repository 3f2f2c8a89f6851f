/** Integers that are written as other numbers, and cursors that no object can have: the same at every endpoint. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { documents, type Json } from "../../kit/routes/contract.ts"
import { operatorToken, type Running, start } from "../../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/exactBodies") {}

interface Operation {
  readonly method: string
  readonly path: string
  readonly parameters: ReadonlyArray<Json>
  readonly body: Json | undefined
}

const operations: ReadonlyArray<Operation> = documents.flatMap(({ document }) =>
  Object.entries<Json>(document["paths"]).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, { parameters = [], requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      parameters,
      body: schemaOf(document, requestBody?.content["application/json"]?.schema)
    }))
  )
)

function schemaOf(document: Json, schema: Json | undefined): Json | undefined {
  const name = schema?.["$ref"]?.replace("#/components/schemas/", "")
  return name === undefined ? schema : document["components"].schemas[name]
}

const filled = (path: string, merchantId: string) =>
  path
    .replace("{merchant_id}", merchantId)
    .replace("{mode}", "sandbox")
    .replace("{currency}", "USD")
    .replace(/\{\w+\}/g, "none")

const isInteger = (schema: Json): boolean =>
  schema["type"] === "integer" || (schema["anyOf"] ?? schema["oneOf"] ?? []).some(isInteger)

layer(Layer.effect(Service, start()), { excludeTestServices: true })("at every endpoint", (it) => {
  const sent = (path: string, key: string) =>
    path.startsWith("/operator") ? { headers: { Authorization: `Bearer ${operatorToken}` } } : { key }

  it.effect("an integer that is written as 5.0, 1e3 or with a rest that is rounded away is 400 with its name", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const tried: Array<string> = []
      for (const { body, method, path } of operations) {
        const example = body?.["examples"]?.[0] ?? {}
        for (const [name, schema] of Object.entries<Json>(body?.["properties"] ?? {})) {
          if (!isInteger(schema)) continue
          for (const number of ["5.0", "1e3", "19.999999999999999999"]) {
            const raw = JSON.stringify({ ...example, [name]: "?" }).replace('"?"', number)
            const headers = { "Content-Type": "application/json" }
            const { headers: own = {}, ...by } = { headers: {}, ...sent(path, merchant.sandboxKey) }
            const reply = yield* api.call(method, filled(path, merchant.merchantId), {
              ...by,
              raw,
              headers: { ...headers, ...own }
            })
            assert.deepStrictEqual(
              [reply.status, reply.body.param],
              [400, name],
              `${method} ${path} ${raw} ${reply.text}`
            )
          }
          tried.push(`${path} ${name}`)
        }
      }
      assert.isAbove(tried.length, 8)
      for (const name of ["/v1/orders amount", "/v1/refunds amount", "/v1/payment_links amount"])
        assert.include(tried, name)
      // An unknown field is ignored, whatever it holds.
      const raw = '{"amount":5,"weight":1.0}'
      const created = yield* api.call("POST", "/v1/orders", {
        key: merchant.sandboxKey,
        raw,
        headers: { "Content-Type": "application/json" }
      })
      assert.strictEqual(created.status, 201)
    })
  )

  it.effect("a cursor that no object can have is 400 with its name, in every list", () =>
    Effect.gen(function* () {
      const { api, merchant } = yield* Service
      const bodies = [
        "ZZZZZZZZZZZZZZZZZZZZZZZZZZ",
        "80000000000000000000000000",
        "7ZZZZZZZZZZZZZZZZZZZZZZZZZ",
        "76F00000000000000000000000"
      ]
      const prefixes = [
        "TRD_SB_",
        "rfd_",
        "dsp_",
        "plink_",
        "evt_",
        "req_",
        "LED_",
        "whe_",
        "rpt_",
        "dlv_",
        "mer_",
        "aud_",
        "pyt_",
        "per_",
        "ers_",
        "key_",
        "ssn_"
      ]
      const cursors = [
        ...prefixes.flatMap((prefix) => bodies.map((body) => prefix + body)),
        "%00",
        "evt_%00",
        "%F0%9F%98%80",
        "x".repeat(4_000),
        "-1",
        "null"
      ]
      let lists = 0
      for (const { method, parameters, path } of operations) {
        for (const param of ["starting_after", "ending_before"]) {
          if (method !== "GET" || !parameters.some(({ name }) => name === param)) continue
          lists++
          const needs = parameters.filter(
            ({ in: place, name, required }) => place === "query" && required === true && name !== param
          )
          const others = needs.map(({ name }) => `&${name}=sandbox`).join("")
          for (const cursor of cursors) {
            const url = `${filled(path, merchant.merchantId)}?${param}=${cursor}${others}`
            const reply = yield* api.call("GET", url, sent(path, merchant.sandboxKey))
            assert.deepStrictEqual([reply.status, reply.body.param], [400, param], `${url} ${reply.text.slice(0, 200)}`)
          }
        }
      }
      assert.isAbove(lists, 30)
      for (const wait of ["&wait=1", "&wait=0"]) {
        const reply = yield* api.get(`/v1/events?ending_before=evt_${bodies[0]}${wait}`, merchant.sandboxKey)
        assert.strictEqual(reply.status, 400, reply.text)
      }
    })
  )
})
