/**
 * Unknown names. A field that an endpoint of `/v1` does not know is ignored (spec: General rules), and a header names
 * it and the nearest known one. `Coffer-Strict: true` refuses it, and so do the operators' API and the console's, where
 * a misspelt limit of a right would leave the right as wide as it was (silences: G33).
 */
import type { IgnoredField } from "@coffer/resources/calls"
import { memoize } from "@coffer/model/memoize"
import { nameLengthMax, nearestName, nearestWord } from "@coffer/model/nearest"
import { Effect, identity, Option, Schema, SchemaAST } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { CurrentRecord, type RequestRecord } from "../../shared/http/CurrentRequest.ts"
import { addHeader, refuseParam } from "../../shared/http/replies.ts"
import { parseJson } from "../../platform/runtime/codecs.ts"

/** Unknown fields that the header names at most. */
const namedMax = 10
const isObject = Schema.is(Schema.Record(Schema.String, Schema.Unknown))

const isStrictIn = ({ route, sent }: RequestRecord) => sent["coffer-strict"] === "true" || !route.startsWith("/v1/")

/** Called once the caller is authenticated. */
export const checkNames = (record: RequestRecord, endpoint: HttpApiEndpoint.Top, json: unknown) => {
  // A merchant may send a body where none is described.
  if (endpoint.payload.size === 0 && record.route.startsWith("/v1/")) return Effect.void
  const unknown = [...unknownIn(shapeOfBody(endpoint).shape, json, "").take(namedMax)]
  const [first] = unknown
  if (first === undefined) return Effect.void
  if (isStrictIn(record)) {
    const known = first.name.includes(".") ? [] : namesIn(endpoint)
    return refuseParam(first.name, (named) => `Unknown field \`${named}\`.${suggest(first.nearest, known)}`)
  }
  record.ignored = unknown
  return addHeader("coffer-ignored-fields", unknown.map(asHeader).join(", "))
}

/** For a call that the framework decodes, whose body is parsed here once more. A form is read while it arrives. */
export const checkNamesOfText = (endpoint: HttpApiEndpoint.Top) =>
  Effect.flatMap(CurrentRecord, (record) =>
    record.method === "POST" && record.sent["content-type"]?.startsWith("application/json") === true
      ? Effect.flatMap(record.text, (read) => checkNames(record, endpoint, Option.getOrUndefined(parseJson(read))))
      : Effect.void
  )

/** Refuses a parameter that the endpoint's query does not have, and names the nearest one or all of them. */
export const refuseUnknownParameter = ({ query }: HttpApiEndpoint.Top, name: string) => {
  const known = (query === undefined ? [] : objectsIn(query.ast)).flatMap((each) => [
    ...each.propertySignatures.map((field) => String(field.name)),
    ...(each.indexSignatures.length === 0 ? [] : [ofMetadata])
  ])
  const hint = suggest(nearestWord(name, known), known)
  return refuseParam(name, (named) => `Unknown parameter \`${named}\`.${hint}`)
}

/** Refuses a field of a body that is refused whatever a caller has asked for, as in evidence. */
export const refuseUnknownField = ({ payload }: HttpApiEndpoint.Top, path: ReadonlyArray<PropertyKey>) => {
  const fieldsOf = (asts: ReadonlyArray<SchemaAST.AST>) =>
    asts.flatMap(objectsIn).flatMap(({ propertySignatures }) => propertySignatures)
  const body = [...payload.values()].flatMap(({ schemas }) => schemas).map(({ ast }) => ast)
  const within = path.slice(0, -1).reduce<ReadonlyArray<SchemaAST.AST>>(
    (asts, part) =>
      fieldsOf(asts)
        .filter(({ name }) => name === part)
        .map(({ type }) => type),
    body
  )
  const known = fieldsOf(within).map(({ name }) => String(name))
  const hint = suggest(nearestWord(String(path.at(-1)), known), known)
  return refuseParam(path.join("."), (named) => `Unknown field \`${named}\`.${hint}`)
}

/** The only parameters with names of the merchant's own. */
const ofMetadata = "metadata[key]"

/** Names the nearest one, or all. */
const suggest = (nearest: string | null | undefined, known: ReadonlyArray<string>): string => {
  if (nearest) return ` Did you mean \`${nearest}\`?`
  return known.length === 0 ? " Leave it out: nothing is taken here." : ` Known: ${known.join(", ")}.`
}

/** The fields of a body. */
export const namesIn = (endpoint: HttpApiEndpoint.Top): ReadonlyArray<string> => [
  ...(shapeOfBody(endpoint).shape?.fields?.keys() ?? [])
]

/** What the published document says of a field of the body. */
export const descriptionOf = ({ payload }: HttpApiEndpoint.Top, name: string): string | undefined => {
  const schemas = [...payload.values()].flatMap(({ schemas }) => schemas)
  const field = schemas
    .flatMap(({ ast }) => objectsIn(ast))
    .flatMap(({ propertySignatures }) => propertySignatures)
    .find((each) => each.name === name)
  const text = field === undefined ? undefined : SchemaAST.resolve(field.type)?.["description"]
  return typeof text === "string" ? text : undefined
}

/** `metadta;nearest=metadata`, with what is no plain letter percent-encoded. */
const asHeader = ({ name, nearest }: IgnoredField) => {
  const shown = encodeURIComponent(name.slice(0, nameLengthMax).toWellFormed())
  return nearest === null ? shown : `${shown};nearest=${nearest}`
}

// Shapes -------------------------------------------------------------------------

/** The fields or items that a value may have. Undefined: any value. */
type Shape = { readonly fields?: ReadonlyMap<string, Shape>; readonly items?: Shape } | undefined

/** More than there are endpoints. */
const bodiesMax = 1_000
/** Of a body; one without any is an empty object. */
const shapeOfBody = memoize(bodiesMax, identity<HttpApiEndpoint.Top>, ({ payload }): { readonly shape: Shape } => {
  const schemas = [...payload.values()].flatMap(({ schemas }) => schemas)
  return { shape: schemas.length === 0 ? { fields: new Map() } : shapeOf(schemas.map(({ ast }) => ast)) }
})

/** Browsers write it, with more fields from year to year. */
const openFields: ReadonlySet<string> = new Set(["credential"])

const shapeOf = (asts: ReadonlyArray<SchemaAST.AST>): Shape => {
  const objects = asts.flatMap(objectsIn)
  const arrays = asts.flatMap(arraysIn)
  const items =
    arrays.length === 0 ? undefined : shapeOf(arrays.flatMap(({ elements, rest }) => [...elements, ...rest]))
  if (objects.length === 0) return items === undefined ? undefined : { items }
  // Keys of a record are the caller's own.
  if (objects.some(({ indexSignatures }) => indexSignatures.length > 0)) return undefined
  const fields = Map.groupBy(
    objects.flatMap(({ propertySignatures }) => propertySignatures),
    ({ name }) => String(name)
  )
  const shapes = [...fields].map(
    ([name, signatures]) =>
      [name, openFields.has(name) ? undefined : shapeOf(signatures.map(({ type }) => type))] as const
  )
  return { fields: new Map(shapes), ...(items === undefined ? {} : { items }) }
}

const objectsIn = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.Objects> => variantsOf(ast).filter(SchemaAST.isObjects)
const arraysIn = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.Arrays> => variantsOf(ast).filter(SchemaAST.isArrays)
const variantsOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
  const encoded = SchemaAST.toEncoded(ast)
  return SchemaAST.isUnion(encoded) ? encoded.types.flatMap(variantsOf) : [encoded]
}

/** Names as merchants write them, such as `sandbox.ip_allowlist`. */
function* unknownIn(shape: Shape, value: unknown, path: string): Generator<IgnoredField> {
  if (shape === undefined) return
  if (Array.isArray(value)) {
    if (shape.items === undefined) return
    for (const [index, item] of value.entries()) yield* unknownIn(shape.items, item, `${path}[${index}]`)
    return
  }
  if (shape.fields === undefined || !isObject(value)) return
  for (const name of Object.keys(value)) {
    const at = path === "" ? name : `${path}.${name}`
    if (shape.fields.has(name)) yield* unknownIn(shape.fields.get(name), value[name], at)
    else yield { name: at, nearest: nearestName(name, [...shape.fields.keys()]) ?? null }
  }
}
