/**
 * Holds every answer that a test gets against the published OpenAPI documents, the merchants' and the operators', so that code and document cannot drift.
 * Stricter than the document: a field that it does not name fails, since merchants would not know of it.
 */
import { assert } from "@effect/vitest"
import { Api } from "@coffer/contract/Api"
import { ConsoleApi } from "@coffer/contract/Console"
import { OperatorApi } from "@coffer/contract/Operator"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import { OpenApi } from "effect/http-api"

// oxlint-disable-next-line no-explicit-any -- a document without a type of its own
export type Json = Record<string, any>

/** Objects take the fields they name and no others, unless they say what others may be. */
const closed = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(closed)
  if (typeof node !== "object" || node === null) return node
  const inner = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)])) as Json
  return inner["type"] === "object" && "properties" in inner && !("additionalProperties" in inner)
    ? { ...inner, additionalProperties: false }
    : inner
}

export interface Published {
  readonly title: string
  /** As it is published. */
  readonly document: Json
  /** Why a value does not fit the schema at that place of the document; undefined when it does. */
  readonly problemOf: (owner: ReadonlyArray<string>, value: unknown) => string | undefined
}

const ajv = new Ajv2020({ strict: false, validateFormats: false })

const published = (document: Json): Published => {
  const { title } = document["info"]
  const id = title.replaceAll(" ", "-")
  ajv.addSchema({ ...(closed(document) as Json), $id: id })
  const validators = new Map<string, ValidateFunction>()

  /** `owner`: the path in the document of what has a `schema`. */
  const validatorOf = (owner: ReadonlyArray<string>): ValidateFunction => {
    const pointer = [...owner, "schema"].map((part) => part.replaceAll("~", "~0").replaceAll("/", "~1")).join("/")
    const known = validators.get(pointer) ?? ajv.compile({ $ref: `${id}#/${encodeURI(pointer)}` })
    validators.set(pointer, known)
    return known
  }
  const problemOf = (owner: ReadonlyArray<string>, value: unknown) => {
    const validate = validatorOf(owner)
    return validate(value) ? undefined : ajv.errorsText(validate.errors)
  }
  return { title, document, problemOf }
}

export const merchantDocument = published(OpenApi.fromApi(Api) as Json)

export const documents: ReadonlyArray<Published> = [merchantDocument, published(OpenApi.fromApi(OperatorApi) as Json)]

/** It is not published. */
const consoleDocument = published(OpenApi.fromApi(ConsoleApi) as Json)

const operations = [...documents, consoleDocument].flatMap(({ document, problemOf }) =>
  Object.entries<Json>(document["paths"]).map(([path, methods]) => ({
    path,
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`),
    methods,
    problemOf
  }))
)

/** Fails the test when the document does not know such an answer. */
export const assertDocumented = (method: string, url: string, status: number, body: Json) => {
  const path = url
    .replace(/^\/api/, "")
    .replace(/^\/console\/api\/accounts\/[^/]+\/(sandbox|live)(?=\/)/, "/v1")
    .replace(/^\/console\/api\/operator(?=\/)/, "/operator/v1")
    .replace(/[?#].*$/s, "")
  const verb = method.toLowerCase()
  // Literal paths before those with a parameter, as the router does it.
  const operation = operations
    .filter(({ methods, pattern }) => pattern.test(path) && methods[verb] !== undefined)
    .toSorted((a, b) => a.path.split("{").length - b.path.split("{").length)[0]
  // An address that is no endpoint, such as a path that no number can fill, gets the edge's own answer.
  if (operation === undefined || body["error"] === "route_not_found") return
  const documented = operation.methods[verb].responses[String(status)]
  assert.isDefined(documented, `${method} ${operation.path} answers ${status}, which the document does not know`)
  const owner = ["paths", operation.path, verb, "responses", String(status), "content", "application/json"]
  assert.isUndefined(operation.problemOf(owner, body), `${method} ${operation.path} ${status}`)
}
