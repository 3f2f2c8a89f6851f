/** The changes of the published document break a program that was written before. */
import { assert, describe, it } from "@effect/vitest"
import { contractOf, incompatibleChanges, mayBreak } from "../../scripts/openapiChanges.ts"

type Json = Record<string, any>

const document = (): Json => ({
  paths: {
    "/v1/orders": {
      get: {
        operationId: "orders.list",
        parameters: [{ in: "query", name: "status", schema: { type: "string", enum: ["paid", "pending"] } }],
        responses: { 200: { content: { "application/json": { schema: { $ref: "#/components/schemas/Order" } } } } }
      },
      post: {
        operationId: "orders.create",
        parameters: [],
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: {
                type: "object",
                required: ["amount"],
                properties: {
                  amount: { type: "integer", maximum: 1_000 },
                  subject: { type: "string", allOf: [{ maxLength: 128 }] }
                }
              }
            }
          }
        },
        responses: {
          201: { content: { "application/json": { schema: { $ref: "#/components/schemas/Order" } } } },
          409: {}
        }
      }
    }
  },
  components: {
    schemas: {
      Order: {
        type: "object",
        required: ["status", "card", "first"],
        properties: {
          status: { type: "string", enum: ["paid", "pending"] },
          card: { anyOf: [{ type: "object", properties: { last4: { type: "string" } } }, { type: "null" }] },
          first: { type: "string", format: "date-time" },
          again: { $ref: "#/components/schemas/Order" }
        }
      }
    }
  }
})
const order = (doc: Json) => doc["components"].schemas.Order
const create = (doc: Json) => doc["paths"]["/v1/orders"].post
const body = (doc: Json) => create(doc).requestBody.content["application/json"].schema
const list = (doc: Json) => doc["paths"]["/v1/orders"].get

const changed = (change: (doc: Json) => void) => {
  const after = document()
  change(after)
  return incompatibleChanges(document(), after)
}

describe("an incompatible change is named with its place", () => {
  const cases: ReadonlyArray<readonly [string, (doc: Json) => void]> = [
    ["POST /v1/orders is gone", (doc) => delete doc["paths"]["/v1/orders"].post],
    ["GET /v1/orders: its operationId orders.list is orders.all", (doc) => (list(doc).operationId = "orders.all")],
    ["GET /v1/orders query status is gone", (doc) => (list(doc).parameters = [])],
    ["GET /v1/orders query status: the value paid is gone", (doc) => list(doc).parameters[0].schema.enum.shift()],
    [
      "GET /v1/orders query mode is required",
      (doc) => list(doc).parameters.push({ in: "query", name: "mode", required: true, schema: {} })
    ],
    ["POST /v1/orders body subject is required", (doc) => body(doc).required.push("subject")],
    ["POST /v1/orders body subject is gone", (doc) => delete body(doc).properties.subject],
    ["POST /v1/orders body amount: its maximum 1000 is 10", (doc) => (body(doc).properties.amount.maximum = 10)],
    [
      "POST /v1/orders body subject: its maxLength 128 is 64",
      (doc) => (body(doc).properties.subject.allOf[0].maxLength = 64)
    ],
    ["POST /v1/orders body amount: integer is gone", (doc) => (body(doc).properties.amount.type = "string")],
    ["POST /v1/orders 201 is gone", (doc) => delete create(doc).responses[201]],
    ["GET /v1/orders 200 first is gone", (doc) => delete order(doc).properties.first],
    ["GET /v1/orders 200 first may be missing", (doc) => order(doc).required.pop()],
    ["GET /v1/orders 200 first: its format date-time is none", (doc) => delete order(doc).properties.first.format],
    ["GET /v1/orders 200 status may be null", (doc) => (order(doc).properties.status.type = ["string", "null"])],
    ["GET /v1/orders 200 card last4 is gone", (doc) => delete order(doc).properties.card.anyOf[0].properties.last4],
    ["GET /v1/orders 200 card: null is gone", (doc) => order(doc).properties.card.anyOf.pop()]
  ]
  for (const [told, change] of cases) it(told, () => assert.include(changed(change), told))
})

it("what is added breaks nothing: an operation, a field, an event, a filter, a wider bound, texts", () => {
  const found = changed((doc) => {
    doc["paths"]["/v1/more"] = list(doc)
    list(doc).parameters.push({ in: "query", name: "more", schema: { type: "string" } })
    list(doc).parameters[0].schema.enum.push("failed")
    body(doc).properties.more = { type: "string" }
    body(doc).properties.amount.maximum = 2_000
    order(doc).properties.more = { type: "string" }
    order(doc).properties.status.enum.push("failed")
    order(doc).properties.first.description = "Another text"
    delete create(doc).responses[409]
  })
  assert.deepStrictEqual(found, [])
})

it("a document is kept without its texts, and with fields that have their names", () => {
  const kept = contractOf({ description: "a", properties: { description: { type: "string", description: "b" } } })
  assert.deepStrictEqual(kept, { properties: { description: { type: "string" } } })
})

it("the next major version may break it, and before 1.0 the next minor one", () => {
  const versions = [
    ["0.1.0", "0.1.1", false],
    ["0.1.0", "0.2.0", true],
    ["1.4.0", "1.5.0", false],
    ["1.4.0", "2.0.0", true]
  ] as const
  for (const [before, after, may] of versions) assert.strictEqual(mayBreak(before, after), may, after)
})
