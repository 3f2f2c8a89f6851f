/**
 * The published document as it is sent. Parts that operations share are written once: refusals, headers and parameters
 * are references, as schemas always were. And the part of it that one group of calls, or one path, needs. The SDKs are
 * generated from the whole.
 */

import { Schema } from "effect"

// oxlint-disable-next-line no-explicit-any -- a document without a type of its own
type Json = Record<string, any>

const jsonText = Schema.encodeSync(Schema.fromJsonString(Schema.Unknown))

/** Each operation of the document, with its path and method. */
const operationsIn = (document: Json): ReadonlyArray<readonly [path: string, method: string, operation: Json]> =>
  Object.entries<Json>(document["paths"]).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]) => [path, method, operation] as const)
  )

/** Named parts by their content: the same content has the same name. */
class Parts {
  readonly named: Record<string, Json>
  readonly #known = new Map<string, string>()
  readonly #kind: string

  constructor(kind: string, components: Json) {
    this.#kind = kind
    this.named = { ...components[kind] }
  }

  /** A reference to the part. Another part of that name gets a number. */
  readonly refer = (name: string, part: Json): Json => {
    const text = jsonText(part)
    const known = this.#known.get(text) ?? this.#free(name)
    this.#known.set(text, known)
    this.named[known] = part
    return { $ref: `#/components/${this.#kind}/${known}` }
  }

  #free(name: string): string {
    for (let number = 1; ; number++) {
      const each = number === 1 ? name : `${name}-${number}`
      if (this.named[each] === undefined) return each
    }
  }
}

export const compacted = (document: Json): Json => {
  const { components } = document
  const responses = new Parts("responses", components)
  const headers = new Parts("headers", components)
  const parameters = new Parts("parameters", components)
  const withHeaders = (response: Json): Json => {
    const own = Object.entries<Json>(response["headers"] ?? {})
    return own.length === 0
      ? response
      : { ...response, headers: Object.fromEntries(own.map(([name, each]) => [name, headers.refer(name, each)])) }
  }
  const shared = sharedParameters(document)
  const paths: Json = {}
  for (const [path, method, operation] of operationsIn(document)) {
    const answers = Object.entries<Json>(operation["responses"]).map(([status, response]) => {
      const answer = withHeaders(response)
      return [status, status >= "400" ? responses.refer(`Refused${status}`, answer) : answer]
    })
    ;(paths[path] ??= {})[method] = {
      ...operation,
      parameters: operation["parameters"].map((each: Json) =>
        shared.has(jsonText(each)) ? parameters.refer(each["name"].replaceAll(/[^\w.-]/g, "."), each) : each
      ),
      responses: Object.fromEntries(answers)
    }
  }
  return {
    ...document,
    paths,
    components: {
      ...components,
      responses: responses.named,
      headers: headers.named,
      parameters: parameters.named
    }
  }
}

/** Parameters that several operations have, as their text. */
const sharedParameters = (document: Json): ReadonlySet<string> => {
  const counts = new Map<string, number>()
  for (const [, , { parameters }] of operationsIn(document)) {
    for (const each of parameters) {
      const text = jsonText(each)
      counts.set(text, (counts.get(text) ?? 0) + 1)
    }
  }
  return new Set([...counts].filter(([, count]) => count > 1).map(([text]) => text))
}

/** The names of its groups. */
export const groupsOf = (document: Json): ReadonlyArray<string> => [
  ...new Set(operationsIn(document).flatMap(([, , { tags }]) => tags as ReadonlyArray<string>))
]

/** The calls of a group with everything that they refer to. */
export const groupOf = (document: Json, group: string): Json => partOf(document, (_, { tags }) => tags.includes(group))

/** The calls of a path with everything that they refer to. */
export const pathOf = (document: Json, path: string): Json => partOf(document, (each) => each === path)

const partOf = (document: Json, isKept: (path: string, operation: Json) => boolean): Json => {
  const paths: Json = {}
  const tags = new Set<string>()
  for (const [path, method, operation] of operationsIn(document)) {
    if (!isKept(path, operation)) continue
    ;(paths[path] ??= {})[method] = operation
    for (const tag of operation["tags"]) tags.add(tag)
  }
  const { webhooks: _webhooks, ...rest } = document
  return {
    ...rest,
    tags: document["tags"].filter(({ name }: Json) => tags.has(name)),
    paths,
    components: reachable(document["components"], paths)
  }
}

/** The components that these paths refer to, directly or through others. */
const reachable = (components: Json, paths: Json): Json => {
  const kept: Json = { securitySchemes: components["securitySchemes"] }
  const take = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(take)
    if (typeof node !== "object" || node === null) return
    for (const [key, value] of Object.entries(node)) {
      if (key !== "$ref" || typeof value !== "string") {
        take(value)
        continue
      }
      const [, , kind = "", name = ""] = value.split("/")
      if (kept[kind]?.[name] !== undefined) continue
      const part = components[kind]?.[name]
      if (part === undefined) continue
      ;(kept[kind] ??= {})[name] = part
      take(part)
    }
  }
  take(paths)
  return kept
}
