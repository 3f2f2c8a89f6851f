/**
 * The merchant API's operations for the client, from the published document: the place of each on the client, its
 * parameters and its answer.
 */

// oxlint-disable-next-line no-explicit-any -- a document without a type of its own
export type Json = Record<string, any>

export interface Operation {
  /** Its place: `["testHelpers", "orders", "pay"]`, which is its `operationId` in the document. */
  readonly place: ReadonlyArray<string>
  readonly method: string
  /** Without the version: `/orders/{ref}`. */
  readonly path: string
  readonly pathParameters: ReadonlyArray<Json>
  readonly query: ReadonlyArray<Json>
  /** The schema of a JSON body. */
  readonly body: Json | undefined
  readonly isBodyOptional: boolean
  readonly isUpload: boolean
  readonly takesIdempotencyKey: boolean
  /** The schema of the answer's `data`; for a list, that of one object. */
  readonly data: Json
  readonly isList: boolean
  /** The answer is a file without an envelope. */
  readonly isFile: boolean
  /** The file is binary. */
  readonly isBinary: boolean
  /** Other forms of the answer, as media types. */
  readonly texts: ReadonlyArray<string>
  readonly summary: string
  readonly description: string
}

export const nameOf = ({ $ref }: Json): string => String($ref).split("/").at(-1)!

export const resolved = (schema: Json, document: Json): Json =>
  schema["$ref"] === undefined ? schema : resolved(document["components"].schemas[nameOf(schema)], document)

export const operationsIn = (document: Json): ReadonlyArray<Operation> =>
  Object.entries<Json>(document["paths"]).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]) => operationOf(document, path, method, operation))
  )

const operationOf = (document: Json, path: string, method: string, operation: Json): Operation => {
  const { requestBody } = operation
  const parameters: ReadonlyArray<Json> = operation["parameters"]
  const succeeds = Object.entries<Json>(operation["responses"]).find(([status]) => status.startsWith("2"))
  const { "application/json": json, ...texts } = succeeds![1]["content"]
  const isFile = json === undefined
  const data: Json = isFile ? { type: "string" } : resolved(json.schema, document)["properties"].data
  const listed = resolved(data, document)["properties"]?.data?.items
  return {
    place: String(operation["operationId"]).split("."),
    method: method.toUpperCase(),
    path: path.replace(/^\/v1/, ""),
    pathParameters: parameters.filter((each) => each["in"] === "path"),
    query: parameters.filter((each) => each["in"] === "query" && each["name"] !== "format"),
    body: requestBody?.content["application/json"]?.schema,
    isBodyOptional: requestBody?.required === false,
    isUpload: requestBody?.content["multipart/form-data"] !== undefined,
    takesIdempotencyKey: parameters.some(({ name }) => name === "Idempotency-Key"),
    data: listed ?? data,
    isList: listed !== undefined,
    isFile,
    isBinary: "application/x-tar" in texts,
    texts: isFile ? [] : Object.keys(texts),
    summary: operation["summary"],
    description: operation["description"]
  }
}

export const camel = (text: string): string => text.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

export const pascal = (words: ReadonlyArray<string>): string =>
  words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join("")
