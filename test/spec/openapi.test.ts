/**
 * Each published document, the merchants' and the operators', leaves nothing unsaid: every operation, parameter and field is described, and every body and
 * answer has an example that fits its own schema. A new group is held to it from its first line; the words for it are
 * in `packages/contract/src/fields.ts`.
 */
import { assert, describe, it } from "@effect/vitest"
import { documents, type Json, type Published } from "../kit/routes/contract.ts"

const holdTo = ({ document, problemOf, title }: Published) => {
  const operations = Object.entries<Json>(document["paths"]).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]): Json => ({
      name: `${method.toUpperCase()} ${path}`,
      place: ["paths", path, method],
      ...operation
    }))
  )
  const answers = operations.flatMap(({ name, place, responses }) =>
    Object.entries<Json>(responses).flatMap(([status, { content }]) =>
      Object.entries<Json>(content).map(([type, answer]) => ({
        name: `${name} ${status} ${type}`,
        place: [...place, "responses", status, "content", type],
        status: Number(status),
        isError: Number(status) >= 400,
        ...answer
      }))
    )
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

  /** Holds each of them to the rule, and names those that break it. */
  const all = (things: ReadonlyArray<Json>, isSo: (thing: Json) => boolean) =>
    assert.deepStrictEqual(
      things.filter((thing) => !isSo(thing)).map(({ name }) => name),
      []
    )
  const fits = (place: ReadonlyArray<string>, example: unknown) => problemOf(place, example) === undefined

  describe(`the document ${title}`, () => {
    it("says whom to ask", () => assert.isNotEmpty(document["info"].contact.name))
    it("names every field of every resource and error", () =>
      assert.deepStrictEqual(undescribed(document["components"], "#"), []))
    it("names every field of every body and answer", () =>
      assert.deepStrictEqual(undescribed(document["paths"], "#"), []))

    it("summarizes and describes each operation, and each of its parameters", () =>
      all(
        operations,
        ({ description, parameters, summary }) =>
          Boolean(summary && description) && parameters.every((parameter: Json) => parameter.description)
      ))

    it("shows no body as empty that has fields", () =>
      all(operations, ({ requestBody }) => {
        const { example, schema } = requestBody?.content["application/json"] ?? {}
        const fields = Object.keys(resolved(schema ?? {})["properties"] ?? {})
        return fields.length === 0 || Object.keys(example).length > 0
      }))

    it("shows each body by an example that fits", () =>
      all(operations, ({ place, requestBody }) => {
        const body = requestBody?.content["application/json"]
        return body === undefined || fits([...place, "requestBody", "content", "application/json"], body.example)
      }))

    it("says of 200 beside 201 that it answers a repeat, and shows 201 with its own code and message", () =>
      all(
        operations.filter(({ responses }) => "201" in responses && "200" in responses),
        ({ responses }) => {
          const { code, message } = responses["201"].content["application/json"].example
          return responses["200"].description.startsWith("Repeated") && code === 201 && message === "created"
        }
      ))

    it("shows each answer by an example that fits, with its own code", () =>
      all(
        answers.filter(({ isError }) => !isError),
        ({ example, place, status }) =>
          fits(place, example) && (place.at(-1) !== "application/json" || example.code === status)
      ))

    it("shows each refusal by an example of each of its errors, and of no other", () =>
      all(
        answers.filter(({ isError }) => isError),
        ({ examples, place, schema, status }) => {
          const codes = (schema.anyOf ?? [schema]).map((each: Json) => resolved(each)["properties"].error.enum[0])
          return (
            Object.keys(examples).toSorted().join() === codes.toSorted().join() &&
            Object.entries<Json>(examples).every(
              ([code, { value }]) => fits(place, value) && value.error === code && value.code === status
            )
          )
        }
      ))
  })
}

for (const published of documents) holdTo(published)
