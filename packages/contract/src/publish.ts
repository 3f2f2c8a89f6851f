/**
 * The OpenAPI document as it is published at `/openapi.json`: what the contract generates, with what all endpoints
 * share and no schema says: headers, the idempotency key, the answers of the edge, and examples.
 */

// oxlint-disable-next-line no-explicit-any -- a document without a type of its own
type Json = Record<string, any>

const header = (description: string, schema: Json) => ({ description, schema })
const seconds = { type: "integer", minimum: 0 }

const headers = {
  "X-Request-Id": header("Names this request, as `request_id` in the body does.", { type: "string" }),
  "RateLimit-Policy": header("The quota of this kind of call: its name, `q` calls in `w` seconds.", { type: "string" }),
  RateLimit: header("What is left of it: `r` calls, and in `t` seconds more.", { type: "string" }),
  "Retry-After": header("Seconds to wait before the next try.", seconds),
  "Idempotent-Replayed": header("`true` when the answer is the stored one of an earlier request.", { type: "string" })
}

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Any text of yours, kept for 24 hours. The same request with the same key gets the first one's answer, " +
    "and nothing happens twice; after an error the key may be used again.",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x20-\\x7e]+$" },
  example: "cart-4711-try-1"
}

const examples: Record<string, Json> = {
  CreateOrder: {
    amount: 1999,
    currency: "USD",
    out_trade_no: "cart-4711",
    subject: "Two books",
    metadata: { shelf: "A7" }
  },
  UpdateOrder: { metadata: { shelf: null, packed: "yes" } }
}

/** What a status means, whichever errors share it. */
const meanings: Record<string, string> = {
  200: "Done",
  201: "Created",
  202: "Accepted: the channel will settle it later",
  400: "The request is not valid; `param` names the field",
  401: "No API key, or one that is not valid",
  403: "The key is known and may not do this",
  404: "No such object among this merchant's, in this environment",
  409: "The object's state does not allow it, or the first request with this key is still running",
  429: "The quota is used up; wait as `Retry-After` says",
  500: "Our fault",
  502: "The upstream channel failed; nothing was changed",
  503: "Busy; the same request may be sent again"
}

export const publish = (generated: Json): Json => {
  const document = tidied(generated) as Json
  for (const operations of Object.values<Json>(document["paths"])) {
    for (const [method, operation] of Object.entries<Json>(operations)) complete(method, operation)
  }
  for (const [name, example] of Object.entries(examples)) {
    const schema = document["components"].schemas[name]
    if (schema !== undefined) schema.examples = [example]
  }
  return {
    ...document,
    info: { ...document["info"], license: { name: "MIT", identifier: "MIT" } },
    servers: [{ url: "/", description: "This service" }]
  }
}

const complete = (method: string, operation: Json) => {
  const changes = method === "post" || method === "delete"
  if (changes) operation["parameters"] = [...(operation["parameters"] ?? []), idempotencyKey]
  for (const [status, response] of Object.entries<Json>(operation["responses"])) {
    response["description"] = meanings[status] ?? response["description"]
    response["headers"] = headersOf(status, changes)
  }
}

const headersOf = (status: string, changes: boolean): Json => ({
  "X-Request-Id": headers["X-Request-Id"],
  "RateLimit-Policy": headers["RateLimit-Policy"],
  RateLimit: headers.RateLimit,
  ...(status === "429" || status === "503" ? { "Retry-After": headers["Retry-After"] } : {}),
  ...(changes && status.startsWith("2") ? { "Idempotent-Replayed": headers["Idempotent-Replayed"] } : {})
})

/**
 * Fields may be added within `/v1` (silences: V1), so nothing is closed; that a number is exact in JSON needs no
 * bounds; and a schema is called by the object's name.
 */
const tidied = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(tidied)
  if (typeof node !== "object" || node === null) return node
  const { anyOf, ...beside } = node as { readonly anyOf?: ReadonlyArray<object> }
  if (anyOf?.length === 1) return tidied({ ...anyOf[0], ...beside })
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
