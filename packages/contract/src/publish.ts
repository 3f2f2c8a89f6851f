/**
 * The OpenAPI documents as they are published, the merchants' at `/openapi.json` and the operators' at
 * `/operator/openapi.json`: the contract's own document, with the parts that all endpoints share and that are in no
 * schema: headers, the idempotency key, the meaning of a status, and an example of every answer, made from those of the
 * fields. An endpoint's own text is in its group.
 */
import { waitSecondsMax, pageSizeDefault, pageSizeMax, pageSizeMin } from "@coffer/model/Limits"
import { Scope } from "@coffer/model/Scopes"
import { merchantAct, type Operation } from "./acts.ts"
import { markDeprecated } from "./deprecations.ts"
import { namedAnswer } from "./namedAnswers.ts"
import { publishedName } from "./operationNames.ts"
import { repeatOf } from "./repeats.ts"
import { csvSampleOf, resolved, sampleOf } from "./samples.ts"
import { answersThen, withTypedEvents } from "./typedEvents.ts"

// oxlint-disable-next-line no-explicit-any -- a document without a type of its own
type Json = Record<string, any>

const header = (description: string, schema: Json) => ({ description, schema })
const seconds = { type: "integer", minimum: 0 }

const headers = {
  "X-Request-Id": header("Number of this request; the same as `request_id` in the body.", { type: "string" }),
  "RateLimit-Policy": header("The quota for this kind of call: its name, `q` calls in `w` seconds.", {
    type: "string"
  }),
  RateLimit: header("What remains of it: `r` calls; more in `t` seconds.", { type: "string" }),
  "Retry-After": header("Seconds to wait before retrying.", seconds),
  "X-Truncated": header("`true` if the file does not contain the whole list.", { type: "string" }),
  "WWW-Authenticate": header("How to send a key: in the `X-Api-Key` header.", { type: "string" }),
  "Coffer-Reason": header("Why it is refused, more specific than `error`, such as `just_paid` for a 409.", {
    type: "string"
  }),
  Link: header('The page of the code in the documents: `<https://…/docs/errors/conflict>; rel="help"`.', {
    type: "string"
  }),
  "Coffer-Not-Taken": header("Fields of a repeated create request that differ from the order.", { type: "string" }),
  "Coffer-Ignored-Fields": header("Sandbox: unknown fields of this call, each with the most similar known one.", {
    type: "string"
  }),
  "Idempotent-Replayed": header("`true` when the answer is the stored one of an earlier request.", { type: "string" })
}

const strict = {
  name: "Coffer-Strict",
  in: "header",
  required: false,
  description: "`true` refuses a body with an unknown field; otherwise such fields are ignored.",
  schema: { type: "string", enum: ["true"] }
}

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Any text you choose, kept for 24 hours. Repeating a request with the same key returns the first answer, and " +
    "nothing is done twice. Only an answer 2xx is kept: a refused request does not use the key up.",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x20-\\x7e]+$" },
  example: "cart-4711-try-1"
}

/** The meaning of a status, whichever errors share it. */
const meanings: Record<string, string> = {
  200: "Done",
  201: "Created",
  202: "Accepted: it has started and will finish later",
  400: "The request is not valid; `param` names the field",
  401: "No API key, or one that is not valid",
  403: "The key is valid but not allowed to do this",
  404: "This merchant has no such object in this environment",
  409: "The object's state does not allow it, or the first request with this key is still running",
  429: "The quota is used up; wait as long as `Retry-After` says",
  500: "Our fault",
  502: "The upstream channel failed; no money has moved here, and `Coffer-Reason` says how it failed",
  503: "Busy, or a dependency does not answer; retry the same request after `Retry-After`"
}

/** A stored request would keep the buyer's address. */
const unkeyed: ReadonlySet<string> = new Set(["erasures.create", "exports.buyer"])
/** Bodies that need at least one field, although no particular one is required. */
const neverEmpty: ReadonlySet<string> = new Set([
  "disputes.submitEvidence",
  "erasures.create",
  "exports.buyer",
  "test_helpers.advanceClock"
])
/** The document lists 200 before 201, so readers see the exception first. */
const repeated =
  "Repeated: it was created before, and its current state is returned. The first time the status is 201 or 202"

/** As the endpoint parses it; the schema takes any text, which a rule parses. */
/** Query parameters that are numbers. They are parsed from text. */
const numbers: Readonly<Record<string, Json>> = {
  limit: { type: "integer", minimum: pageSizeMin, maximum: pageSizeMax, default: pageSizeDefault },
  wait: { type: "integer", minimum: 1, maximum: waitSecondsMax }
}

export const publish = (generated: Json): Json => {
  const document = markDeprecated(withScopes(completed(withTypedEvents(tidied(generated) as Json), { hasKeys: true })))
  return {
    ...document,
    tags: [...document["tags"], { name: "webhooks", description: "Our requests to your endpoints." }]
  }
}

/** Documents the scope of each operation, the effect of a repeat, and its name. */
const withScopes = (document: Json): Json => {
  const { apiKey } = document["components"].securitySchemes
  for (const [path, operations] of Object.entries<Json>(document["paths"])) {
    for (const [method, operation] of Object.entries<Json>(operations)) {
      operation["x-scope"] = merchantAct(operation["operationId"] as Operation).scope
      const repeat = repeatOf(operation["operationId"])
      if (repeat !== undefined) operation["x-repeat"] = repeat
      operation["operationId"] = publishedName(operation["operationId"], method, path)
    }
  }
  apiKey.description +=
    " A main key may do everything. A key with scopes may call the operations whose `x-scope` it has; a scope to " +
    `write a resource includes reading it. The scopes: ${Scope.literals.map((scope) => `\`${scope}\``).join(", ")}.`
  return document
}

/**
 * Operators have no idempotency keys: their acts may be repeated, or document that each repeat creates another object.
 */
export const publishOperators = (generated: Json): Json =>
  markDeprecated(completed(tidied(generated) as Json, { hasKeys: false }))

interface Kind {
  /** Whether a write takes an `Idempotency-Key`. */
  readonly hasKeys: boolean
}

const completed = (document: Json, kind: Kind): Json => {
  const { schemas } = document["components"]
  for (const [path, operations] of Object.entries<Json>(document["paths"])) {
    for (const [method, operation] of Object.entries<Json>(operations)) complete(path, method, operation, schemas, kind)
  }
  return {
    ...document,
    info: {
      ...document["info"],
      contact: { name: "The operator of this service" },
      license: { name: "MIT", identifier: "MIT" }
    },
    servers: [{ url: "/", description: "This service" }]
  }
}

const complete = (path: string, method: string, operation: Json, schemas: Json, { hasKeys }: Kind) => {
  // A form is not compared with that of an earlier request.
  const isForm = operation["requestBody"]?.content["multipart/form-data"] !== undefined
  const changes =
    hasKeys && (method === "post" || method === "delete") && !isForm && !unkeyed.has(operation["operationId"])
  operation["parameters"] = [...operation["parameters"].map(parameterOf), ...(changes ? [idempotencyKey, strict] : [])]
  const body = operation["requestBody"]?.content["application/json"]
  if (body !== undefined) {
    body.example = sampleOf(body.schema, schemas)
    // No body is an empty object (`src/door/edge/Unanswered.ts`).
    operation["requestBody"].required =
      resolved(body.schema, schemas)["required"] !== undefined || neverEmpty.has(operation["operationId"])
  }
  const counted = "429" in operation["responses"]
  for (const [status, response] of Object.entries<Json>(operation["responses"])) {
    const isRepeat = status === "200" && "201" in operation["responses"]
    response["description"] = isRepeat ? repeated : (meanings[status] ?? response["description"])
    response["headers"] = headersOf(status, changes, counted, response["content"])
    if (operation["operationId"] === "orders.create" && status === "200") {
      response["headers"]["Coffer-Not-Taken"] = headers["Coffer-Not-Taken"]
    }
    const { "application/json": json, "image/svg+xml": svg, "text/csv": csv } = response["content"]
    if (svg !== undefined) response["content"]["image/svg+xml"] = picture
    if (json === undefined) response["content"] = path.endsWith("/exports") ? archive : files
    else if (Number(status) >= 400) json.examples = refusalsOf(json.schema, schemas)
    else {
      json.schema = namedAnswer(json.schema, schemas)
      const then = answersThen[`${operation["operationId"]} ${status}`]
      json.example = answerOf(path, status, sampleOf(json.schema, schemas) as Json, then)
    }
    if (csv !== undefined && json !== undefined) {
      const { data, lines } = json.example.data
      response["content"]["text/csv"] = {
        schema: { type: "string" },
        example: csvSampleOf((data ?? lines)[0])
      }
    }
  }
}

/** An export. */
const archive = {
  "application/x-tar": {
    schema: { type: "string", format: "binary" },
    example: "a tar archive: manifest.json, and a file of JSON lines for each kind of row"
  }
}

/** The file of a report. */
const files = {
  "text/csv": { schema: { type: "string" }, example: "currency,source,payment_method,count,volume,fee\r\n" },
  "application/x-ndjson": { schema: { type: "string" }, example: '{"object":"fee_line","currency":"USD"}\n' },
  "text/plain": {
    schema: { type: "string" },
    example: "2026-11-30 * Closing balance\n    Assets:Coffer:Available  0.00 USD = 19.99 USD\n"
  }
}

/** The description is next to the schema, where readers look for it. */
const parameterOf = ({ schema, ...parameter }: Json): Json => {
  const { description = parameter["description"], ...rest } = schema
  return { ...parameter, description, schema: numbers[parameter["name"]] ?? rest }
}

const picture = {
  schema: { type: "string" },
  example: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 29 29"><path d="M2,2h1v1h-1z"/></svg>'
}

const messages: Record<string, string> = { 201: "created", 202: "accepted" }

/** Details that only the operation knows: its status, and which list it is. */
const answerOf = (path: string, status: string, { data, request_id }: Json, then: Json = {}): Json => ({
  code: Number(status),
  message: messages[status] ?? "ok",
  request_id,
  data:
    data.object === "list"
      ? { object: "list", resource: data.data[0].object, url: path, ...data }
      : { ...data, ...then }
})

/** One example for each error that shares the status. */
const refusalsOf = (schema: Json, schemas: Json): Json =>
  Object.fromEntries(
    (schema["anyOf"] ?? [schema]).map((each: Json) => {
      const value = sampleOf(each, schemas) as Json
      return [value["error"], { summary: value["error"], value }]
    })
  )

const headersOf = (status: string, changes: boolean, counted: boolean, content: Json): Json => ({
  "X-Request-Id": headers["X-Request-Id"],
  // Quotas are counted after authentication.
  ...(counted && status !== "401" && status !== "403"
    ? { "RateLimit-Policy": headers["RateLimit-Policy"], RateLimit: headers.RateLimit }
    : {}),
  ...(status >= "400" ? { "Coffer-Reason": headers["Coffer-Reason"], Link: headers.Link } : {}),
  ...(status.startsWith("2") && changes ? { "Coffer-Ignored-Fields": headers["Coffer-Ignored-Fields"] } : {}),
  ...(status === "401" ? { "WWW-Authenticate": headers["WWW-Authenticate"] } : {}),
  ...(status === "429" || status === "503" || (changes && status === "409")
    ? { "Retry-After": headers["Retry-After"] }
    : {}),
  ...("text/csv" in content ? { "X-Truncated": headers["X-Truncated"] } : {}),
  ...(changes && status.startsWith("2") ? { "Idempotent-Replayed": headers["Idempotent-Replayed"] } : {})
})

/**
 * Fields may be added within `/v1` (silences: V1), so no schema is closed; bounds that only mean "exact in JSON" are
 * dropped; and a schema is named after its object.
 */
const tidied = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(tidied)
  if (typeof node !== "object" || node === null) return node
  const { allOf, anyOf, ...rest } = node as { readonly [key in "allOf" | "anyOf"]?: ReadonlyArray<object> }
  // A value that may be anything has no alternatives.
  if (anyOf?.some((each) => Object.keys(each).length === 0)) return tidied(rest)
  if (anyOf?.length === 1) return tidied({ ...anyOf[0], ...rest })
  if (allOf?.length === 1) return tidied({ ...rest, ...allOf[0] })
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key, value]) => !(key === "additionalProperties" && value === false))
      .filter(([key, value]) => !((key === "minimum" || key === "maximum") && Math.abs(Number(value)) >= 2 ** 53 - 1))
      .map(([key, value]) => [
        key.replace(/Encoded$/, ""),
        key === "$ref" && typeof value === "string" ? value.replace(/Encoded$/, "") : tidied(value)
      ])
  )
}
