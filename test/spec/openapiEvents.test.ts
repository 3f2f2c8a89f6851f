/**
 * Events and answers have types in the document that a generated client can use (spec: Events): each type of event
 * says what its `data.object` is, `type` alone tells them apart, and every answer has a name.
 */
import { assert, describe, it } from "@effect/vitest"
import { EventType } from "@coffer/model/EventType"
import { eventSchemaOf } from "@coffer/contract/typedEvents"
import { type Json, merchantDocument } from "../kit/routes/contract.ts"

const { document, problemOf } = merchantDocument
const { parameters, schemas } = document["components"]
const refTo = (name: string) => `#/components/schemas/${name}`

/** Where an object of each kind is read, and so what an event of that kind has to hold. */
const endpoints: Readonly<Record<string, string>> = {
  payment: "/v1/orders/{ref}",
  refund: "/v1/refunds/{ref}",
  dispute: "/v1/disputes/{ref}"
}
const answerTo = (path: string): Json => {
  const { $ref } = document["paths"][path].get.responses["200"].content["application/json"].schema
  return schemas[$ref.split("/").at(-1)]
}

describe("the document's events", () => {
  it("are the eleven of the specification and the four of held amounts, as webhooks too", () => {
    assert.strictEqual(EventType.literals.length, 15)
    assert.deepStrictEqual(Object.keys(document["webhooks"]), [...EventType.literals])
  })

  it("are discriminated by `type`, which names the schema of every one of them", () => {
    const { discriminator, oneOf } = schemas["Event"]
    assert.strictEqual(discriminator.propertyName, "type")
    assert.deepStrictEqual(
      discriminator.mapping,
      Object.fromEntries(EventType.literals.map((type) => [type, refTo(eventSchemaOf(type))]))
    )
    assert.deepStrictEqual(
      oneOf,
      Object.values(discriminator.mapping).map(($ref) => ({ $ref }))
    )
  })

  for (const type of EventType.literals) {
    const schema = schemas[eventSchemaOf(type)]

    it(`${type} holds what GET answers for the object, and nothing but its own type`, () => {
      const held = answerTo(endpoints[type.split(".")[0]!]!)["properties"].data
      assert.strictEqual(schema.properties.data.properties.object.$ref, held.$ref)
      assert.deepStrictEqual(schema.properties.type.enum, [type])
      assert.deepStrictEqual(schema.properties.event_type.enum, [type])
      assert.includeMembers(schema.required, ["type", "data", "event_id", "event_type"])
    })

    it(`${type} has the flat fields of the older form, those that its object has and no others`, () => {
      const { object, ...flat } = schema.properties.data.properties
      const known = schemas[object.$ref.split("/").at(-1)].properties
      const older = "trade_no out_trade_no refund_no out_refund_no dispute_no amount currency status".split(" ")
      assert.sameMembers(
        Object.keys(flat),
        older.filter((name) => name in known)
      )
    })

    it(`${type} is shown by an example that is of this type and of no other`, () => {
      const [example] = schema.examples
      assert.isUndefined(problemOf(["webhooks", type, "post", "requestBody", "content", "application/json"], example))
      const fitting = EventType.literals.filter(
        (other) =>
          problemOf(["webhooks", other, "post", "requestBody", "content", "application/json"], example) === undefined
      )
      assert.deepStrictEqual(fitting, [type])
    })

    it(`${type} is posted with the signature headers, each of them described`, () => {
      const { post } = document["webhooks"][type]
      const headers = post.parameters.map(({ $ref }: Json) => parameters[$ref.split("/").at(-1)])
      assert.deepStrictEqual(
        headers.map(({ name }: Json) => name),
        [
          "X-Service-Signature",
          "X-Service-Event-Id",
          "X-Service-Event-Type",
          "X-Service-Endpoint-Id",
          "webhook-id",
          "webhook-timestamp",
          "webhook-signature"
        ]
      )
      for (const each of headers) {
        assert.strictEqual(each.in, "header")
        assert.isNotEmpty(each.description)
        assert.strictEqual(each.required, each.name !== "X-Service-Endpoint-Id")
      }
    })
  }
})

describe("the document's answers", () => {
  const successes = Object.entries<Json>(document["paths"]).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).flatMap(([method, { responses }]) =>
      Object.entries<Json>(responses)
        .filter(([status]) => Number(status) < 400)
        .map(([status, { content }]) => ({ what: `${method.toUpperCase()} ${path} ${status}`, content }))
    )
  )

  it("have names, so that a client has a type for each", () => {
    const nameless = successes.filter(({ content }) => content["application/json"]?.schema.$ref === undefined)
    // The file of a report is no object, nor is an archive.
    assert.deepStrictEqual(
      nameless.map(({ what }) => what),
      ["GET /v1/reports/{report_no}/file 200", "POST /v1/exports 200"]
    )
  })

  it("are JSON or a file, each under its own content type: no type is a union of an object and a text", () => {
    const exported = successes.filter(({ content }) => "text/csv" in content && "application/json" in content)
    // Four lists and four reports.
    assert.strictEqual(exported.length, 8)
    for (const { content, what } of exported) {
      assert.deepStrictEqual(Object.keys(content), ["application/json", "text/csv"], what)
      assert.deepStrictEqual(content["text/csv"].schema, { type: "string" })
      assert.match(content["application/json"].schema.$ref, /(List|Report)Envelope$/)
    }
  })

  it("of lists hold a page of the schema that GET answers for one", () => {
    for (const name of ["Order", "Refund", "Dispute", "Event"]) {
      assert.strictEqual(schemas[`${name}ListEnvelope`].properties.data.$ref, refTo(`${name}List`))
      assert.strictEqual(schemas[`${name}List`].properties.data.items.$ref, refTo(name))
      assert.strictEqual(schemas[`${name}Envelope`].properties.data.$ref, refTo(name))
    }
  })
})
