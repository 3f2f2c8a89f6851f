/**
 * The tools of the MCP server, from the published document: one for each operation that answers JSON, named as the
 * SDK's method is. Models read this text in each session, so schemas have no examples and no alternatives without
 * information.
 */
import { published } from "../../sdk/generator/generate.ts"
import { type Json, type Operation, operationsIn, resolved } from "../../sdk/generator/operations.ts"
import type { Tool } from "../src/Tool.ts"

/** By their names in `src/generated`. */
export const generateTools = (): Readonly<Record<string, string>> => {
  const document = published()
  const tools = operationsIn(document)
    .filter((operation) => !operation.isFile && !operation.isUpload)
    .map((operation) => toolOf(document, operation))
  return { "tools.ts": `${head}${JSON.stringify(tools, undefined, 2)}\n` }
}

const head = `/** The tools, one for each operation of the contract. Written by \`npm run sdk\`. */
import type { Tool } from "../Tool.ts"

export const tools: ReadonlyArray<Tool> = `

const toolOf = (document: Json, operation: Operation): Tool => {
  const { description, method, pathParameters, place, query, summary, takesIdempotencyKey } = operation
  const published: Json = document["paths"][`/v1${operation.path}`][method.toLowerCase()]
  const { responses, "x-repeat": repeat, "x-scope": scope } = published
  const keepsNull = place.at(-1) === "update"
  const schemaOf = (schema: Json) => compact(document, schema, keepsNull)
  const body = operation.body === undefined ? undefined : schemaOf(operation.body)
  const arguments_: Record<string, Json> = {}
  for (const { description, name, schema } of pathParameters)
    arguments_[name] = { ...schemaOf(schema), ...described(description) }
  const queryArguments: Record<string, string> = {}
  for (const { description, name, schema } of query) {
    const argument = String(name).replace(/\[(\w+)\]$/, "_$1")
    queryArguments[argument] = name
    arguments_[argument] = name === "limit" ? limit : { ...schemaOf(schema), ...described(description) }
  }
  Object.assign(arguments_, body?.["properties"])
  if (takesIdempotencyKey && repeat === "makes") arguments_["idempotency_key"] = idempotencyKey
  const required = [...pathParameters.map(({ name }) => String(name)), ...(body?.["required"] ?? [])]
  return {
    name: place.join("_"),
    title: summary,
    description,
    scope,
    method: method as Tool["method"],
    path: operation.path,
    pathArguments: pathParameters.map(({ name }) => String(name)),
    queryArguments,
    bodyArguments: Object.keys(body?.["properties"] ?? {}),
    ...(repeat === undefined ? {} : { repeat }),
    ...("200" in responses && "201" in responses ? { mayFind: true } : {}),
    takesIdempotencyKey,
    inputSchema: {
      type: "object",
      properties: arguments_,
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: false
    }
  }
}

/** Each object of a page costs a model tokens. */
const limit = { type: "integer", minimum: 1, maximum: 25, default: 10, description: "Size of a page, 1 to 25." }

const idempotencyKey = {
  type: "string",
  minLength: 1,
  maxLength: 200,
  description: "Set a new unique value only to repeat the same action on purpose."
}

const described = (description: unknown): Json => (typeof description === "string" ? { description } : {})

/** Without references, examples, and nulls that mean the same as an absent field. */
const compact = (document: Json, schema: Json, keepsNull: boolean): Json => {
  const inner = (each: Json) => compact(document, each, keepsNull)
  const { anyOf, examples: _examples, format: _format, title: _title, ...rest } = resolved(schema, document)
  const own = schema["$ref"] === undefined ? {} : described(schema["description"])
  if (Array.isArray(anyOf)) {
    const isWord = keepsNull || /\bnull\b/i.test(String(schema["description"]))
    const alternatives = anyOf.filter((each: Json) => isWord || each["type"] !== "null").map(inner)
    return alternatives.length === 1
      ? { ...alternatives[0], ...rest, ...own }
      : { ...rest, ...own, anyOf: alternatives }
  }
  const { additionalProperties, items, properties } = rest
  return {
    ...rest,
    ...own,
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries<Json>(properties).map(([name, property]) => [name, inner(property)])
          )
        }),
    ...(items === undefined ? {} : { items: inner(items) }),
    ...(typeof additionalProperties === "object" ? { additionalProperties: inner(additionalProperties) } : {})
  }
}
