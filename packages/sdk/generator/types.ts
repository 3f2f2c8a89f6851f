/** Writes the types of what operations take and answer, from the schemas of the published document. */
import { type Json, nameOf, type Operation, pascal, resolved } from "./operations.ts"

/** A sent value may contain `undefined`, which JSON omits; a received one is read-only. */
type Way = "sent" | "received"

export const typesOf = (document: Json, operations: ReadonlyArray<Operation>): string => {
  const schemas: Json = document["components"].schemas
  const bodies = operations.flatMap(({ body }) => (body === undefined ? [] : [body]))
  const sent = new Set(bodies.flatMap((body) => (body["$ref"] === undefined ? [] : [nameOf(body)])))
  const named = reached([...bodies, ...operations.map(({ data }) => data)], schemas)
  const eventTypes = Object.keys(schemas["Event"].discriminator.mapping)
  return [
    `/** The parameters and answers of operations. ${notByHand} */`,
    constant("EventType", "All event types.", union(eventTypes)),
    constant("ErrorCode", "The `error` of a refusal: what a program branches on.", union(errorCodesIn(schemas))),
    constant("Moment", "A moment: ISO 8601 in UTC, seconds of Unix time, or a Date.", "string | number | Date"),
    ...named.map((name) => declared(name, schemas[name], sent.has(name) ? "sent" : "received")),
    ...operations.flatMap((operation) => inlineBodyOf(operation)),
    ...operations.flatMap((operation) => queryOf(operation))
  ].join("\n\n")
}

export const notByHand = "Written by `npm run sdk` from the contract: do not edit."

export const bodyTypeOf = ({ body, place }: Operation): string =>
  body!["$ref"] === undefined ? pascal(place) : nameOf(body!)

export const queryTypeOf = ({ place }: Operation): string => `${pascal(place)}Query`

/** A type that is used by a method. */
export const typeOf = (schema: Json): string => typed(schema, "received", "")

const constant = (name: string, description: string, type: string) =>
  `${comment(description)}export type ${name} =\n  ${type}`

const union = (words: ReadonlyArray<unknown>) => words.map((word) => JSON.stringify(word)).join(" | ")

export const errorCodesIn = (schemas: Json): ReadonlyArray<string> => [
  ...new Set(Object.values<Json>(schemas).flatMap(({ properties }) => properties?.error?.enum ?? []))
]

/** The names reachable from these schemas. */
export const reached = (from: ReadonlyArray<Json>, schemas: Json): ReadonlyArray<string> => {
  const found = new Set<string>()
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return
    const { $ref, examples: _, ...rest } = node as Json
    Object.values(rest).forEach(visit)
    if ($ref === undefined || found.has(nameOf({ $ref }))) return
    found.add(nameOf({ $ref }))
    visit(schemas[nameOf({ $ref })])
  }
  from.forEach(visit)
  return [...found].toSorted()
}

const declared = (name: string, schema: Json, way: Way): string =>
  schema["properties"] === undefined
    ? constant(name, schema["description"], typed(schema, way, "  "))
    : `${comment(schema["description"])}export interface ${name} ${fields(schema, way, "")}`

const inlineBodyOf = (operation: Operation): ReadonlyArray<string> =>
  operation.body === undefined || operation.body["$ref"] !== undefined
    ? []
    : [declared(bodyTypeOf(operation), { description: operation.summary, ...operation.body }, "sent")]

const typed = (schema: Json, way: Way, indent: string): string => {
  const { additionalProperties, anyOf, items, oneOf, properties, type } = schema
  if (schema["$ref"] !== undefined) return nameOf(schema)
  if (schema["enum"] !== undefined) return union(schema["enum"])
  const choices: ReadonlyArray<Json> | undefined = anyOf ?? oneOf
  if (choices !== undefined) return choices.map((each) => typed(each, way, indent)).join(" | ")
  if (type === "array") return `ReadonlyArray<${typed(items, way, indent)}>`
  if (properties !== undefined) return fields(schema, way, indent)
  if (typeof additionalProperties === "object") {
    return `{ readonly [key: string]: ${typed(additionalProperties, way, indent)} }`
  }
  return type === undefined ? "unknown" : (words[type] ?? "unknown")
}

const words: Readonly<Record<string, string>> = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null"
}

const fields = ({ properties, required = [] }: Json, way: Way, indent: string): string => {
  const inner = `${indent}  `
  const lines = Object.entries<Json>(properties).map(([name, schema]) => {
    const isOptional = !required.includes(name)
    const type = typed(schema, way, inner) + (isOptional && way === "sent" ? " | undefined" : "")
    return `${comment(schema["description"], inner)}${inner}readonly ${name}${isOptional ? "?" : ""}: ${type}`
  })
  return `{\n${lines.join("\n")}\n${indent}}`
}

/** The values of a range, and its description. */
export const ranges: Readonly<Record<string, readonly [type: string, about: string]>> = {
  created: ["Moment", "Created between these moments, both included; one of them is enough."],
  paid_at: ["Moment", "Paid between these moments, both included; one of them is enough."],
  amount: ["number", "Between these amounts in minor units, both included; one of them is enough."]
}

/** `created[gte]` and `created[lte]` are one field. */
const queryOf = (operation: Operation): ReadonlyArray<string> => {
  if (operation.query.length === 0) return []
  const lines = operation.query.flatMap((parameter) => {
    const { description, name, required, schema } = parameter
    const [field = "", end] = String(name).split(/[[\]]/)
    if (end === undefined) return [queryField(name, description, queryType(schema), required)]
    const all = operation.query.filter((each) => each["name"].startsWith(`${field}[`))
    if (parameter !== all[0]) return []
    const [type, of] = ranges[field]!
    const ends = all.map((each) => `readonly ${each["name"].slice(field.length + 1, -1)}?: ${type} | undefined`)
    return [queryField(field, of, `{ ${ends.join("; ")} }`)]
  })
  const about = `The query of \`${operation.place.join(".")}\`.`
  return [`${comment(about)}export interface ${queryTypeOf(operation)} {\n${lines.join("\n")}\n}`]
}

const queryField = (name: string, description: string, type: string, isRequired = false) =>
  `${comment(description, "  ")}  readonly ${name}${isRequired ? "" : "?"}: ${type}${isRequired ? "" : " | undefined"}`

const queryType = (schema: Json): string => {
  const one = schema["type"] === "array" ? typed(schema["items"], "sent", "  ") : undefined
  return one === undefined ? typed(schema, "sent", "  ") : `${one} | ReadonlyArray<${one}>`
}

export const comment = (text: string | undefined, indent = ""): string =>
  text === undefined ? "" : `${indent}/** ${text.replaceAll("*/", "*\\/")} */\n`

/** The field that is a list's cursor: the one after `object` (spec: List conventions). */
export const cursorOf = ({ data }: Operation, document: Json): string => {
  const schema = resolved(data, document)
  return Object.keys(resolved(schema["oneOf"]?.[0] ?? schema, document)["properties"])[1]!
}
