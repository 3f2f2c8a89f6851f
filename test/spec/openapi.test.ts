/**
 * Each published document, the merchants' and the operators', leaves nothing unsaid: every operation, parameter and field is described, and every body and
 * answer has an example that fits its own schema. A new group is held to it from its first line; the words for it are
 * in `packages/contract/src/fields.ts`.
 */
import { assert, describe, it } from "@effect/vitest"
import { documents, type Json, type Published } from "../kit/routes/contract.ts"

const holdTo = ({ document, problemOf, title }: Published) => {
  const operations = Object.entries<Json>(document["paths"]).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]) => ({ path, method, operation }))
  )

  const resolved = (schema: Json): Json =>
    schema["$ref"] === undefined ? schema : document["components"].schemas[schema["$ref"].split("/").at(-1)]

  /** The names of all fields in a schema that nobody has described, however deep they are. */
  const undescribed = (node: unknown, at: string): ReadonlyArray<string> => {
    if (typeof node !== "object" || node === null) return []
    const { properties = {} } = node as Json
    return [
      ...Object.entries<Json>(properties)
        .filter(([, field]) => !resolved(field)["description"])
        .map(([name]) => `${at}.${name}`),
      // An example is no schema, whatever its fields are called.
      ...Object.entries(node).flatMap(([key, inner]) =>
        /^examples?$/.test(key) ? [] : undescribed(inner, `${at}.${key}`)
      )
    ]
  }

  it(`the document ${title} says whom to ask`, () => assert.isNotEmpty(document["info"].contact.name))

  describe(`the document ${title} names every field`, () => {
    it("of every resource and error", () => assert.deepStrictEqual(undescribed(document["components"], "#"), []))
    it("of every body and answer", () => assert.deepStrictEqual(undescribed(document["paths"], "#"), []))
  })

  for (const { method, operation, path } of operations) {
    describe(`${method.toUpperCase()} ${path}`, () => {
      it("is summarized and described, and so is each of its parameters", () => {
        assert.isNotEmpty(operation["summary"])
        assert.isNotEmpty(operation["description"])
        const silent = operation["parameters"].filter(({ description }: Json) => !description)
        assert.deepStrictEqual(silent, [])
      })

      const body = operation["requestBody"]?.content["application/json"]
      if (body !== undefined) {
        it("takes a body, shown by an example", () => {
          assert.isUndefined(
            problemOf(["paths", path, method, "requestBody", "content", "application/json"], body.example)
          )
        })
      }

      if ("201" in operation["responses"] && "200" in operation["responses"]) {
        it("says of 200 that it answers a repeat, and shows 201 with its own code and message", () => {
          assert.match(operation["responses"]["200"].description, /^Repeated/)
          const { code, message } = operation["responses"]["201"].content["application/json"].example
          assert.deepStrictEqual([code, message], [201, "created"])
        })
      }

      for (const [status, { content }] of Object.entries<Json>(operation["responses"])) {
        for (const [type, { example, examples, schema }] of Object.entries<Json>(content)) {
          const pointer = ["paths", path, method, "responses", status, "content", type]
          if (Number(status) < 400) {
            it(`answers ${status} as ${type}, shown by an example`, () => {
              assert.isUndefined(problemOf(pointer, example))
              if (type === "application/json") assert.strictEqual(example.code, Number(status))
            })
          } else {
            it(`answers ${status}, shown by an example of each error`, () => {
              const codes = (schema.anyOf ?? [schema]).map((each: Json) => resolved(each)["properties"].error.enum[0])
              assert.sameMembers(Object.keys(examples), codes)
              for (const [code, { value }] of Object.entries<Json>(examples)) {
                assert.isUndefined(problemOf(pointer, value))
                assert.deepStrictEqual([value.error, value.code], [code, Number(status)])
              }
            })
          }
        }
      }
    })
  }
}

for (const published of documents) holdTo(published)
