/**
 * The maximum size of an endpoint's JSON body: the sum of its schema's limits with every character in JSON's longest
 * form (silences: G6). Checked before a body is decoded, so that no valid body is refused, and an invalid one costs no
 * more than the largest valid one.
 */
import { metadataKeyLengthMax, metadataKeysMax, metadataValueLengthMax } from "@coffer/model/Limits"
import { memoize } from "@coffer/model/memoize"
import { identity, Schema } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"

export interface BodyLimits {
  readonly bytes: number
  /** Values, including nested ones. */
  readonly values: number
}

/** For white space and for fields that we do not know, which are ignored (silences: G5). */
const room: BodyLimits = { bytes: 16 * 1024, values: 1_000 }

/** White space that a pretty-printer adds to a value: a line break and its indentation. */
const indentBytes = 16
/** `\ud83d\ude00`: one character outside the basic plane. */
const escapedBytes = 12
/** `\u0041`: one ASCII character. */
const escapedAsciiBytes = 6
/** Texts with only these characters contain no longer one. */
export const base64UrlPattern = /^[\w-]+$/
export const printablePattern = /^[!-~]+$/
const asciiPatterns = [base64UrlPattern.source, printablePattern.source]
/** More digits than any client writes, with sign, point and exponent. */
const numberBytes = 32
/** Characters of a text, and items of an array, whose schema names no limit: a number of an object, a time. */
const textLengthDefault = 255
const itemsDefault = 100

/** More than there are endpoints. */
const endpointsMax = 1_000

/** For an endpoint without a JSON body: only the allowance that every body gets. */
export const bodyLimitsOf = memoize(endpointsMax, identity<HttpApiEndpoint.Top>, ({ payload }): BodyLimits => {
  const json = payload.get("application/json")
  return json === undefined ? room : sum([room, most(json.schemas.map(limitsOf))])
})

const limitsOf = (schema: Schema.Top): BodyLimits => {
  const { definitions, schema: root } = Schema.toJsonSchemaDocument(schema)
  return measure(root as JsonSchema, definitions as Record<string, JsonSchema>)
}

interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly allOf?: ReadonlyArray<JsonSchema>
  readonly enum?: ReadonlyArray<unknown>
  readonly maxLength?: number
  readonly pattern?: string
  readonly maxItems?: number
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: boolean | JsonSchema
}

const measure = (schema: JsonSchema, definitions: Readonly<Record<string, JsonSchema>>): BodyLimits => {
  const { additionalProperties, allOf = [], anyOf, enum: words, items, maxItems = itemsDefault, properties } = schema
  const inner = (each: JsonSchema) => measure(each, definitions)
  if (schema.$ref !== undefined) return inner(definitions[schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1)]!)
  if (anyOf !== undefined) return most(anyOf.map(inner))
  if (words !== undefined) return value(Math.max(...words.map((word) => String(word).length)) * escapedAsciiBytes)
  switch (schema.type) {
    case "object":
      if (properties === undefined && typeof additionalProperties === "object") return metadata
      return sum([
        value(2),
        ...Object.entries(properties ?? {}).map(([name, field]) =>
          member(name.length * escapedAsciiBytes, inner(field))
        )
      ])
    case "array":
      return sum([value(2), times(maxItems, inner(items ?? {}))])
    case "string": {
      const checks = [schema, ...allOf]
      const length = Math.min(...checks.map((each) => each.maxLength ?? Infinity))
      const isAscii = checks.some(({ pattern }) => pattern !== undefined && asciiPatterns.includes(pattern))
      return value(
        (Number.isFinite(length) ? length : textLengthDefault) * (isAscii ? escapedAsciiBytes : escapedBytes)
      )
    }
    default:
      return value(numberBytes)
  }
}

/** The size of a value with this many bytes, including quotes, a comma and white space. */
const value = (bytes: number): BodyLimits => ({ bytes: bytes + 3 + indentBytes, values: 1 })

const member = (nameBytes: number, { bytes, values }: BodyLimits): BodyLimits => ({
  bytes: nameBytes + 3 + bytes,
  values
})

const sum = (all: ReadonlyArray<BodyLimits>): BodyLimits => ({
  bytes: all.reduce((total, { bytes }) => total + bytes, 0),
  values: all.reduce((total, { values }) => total + values, 0)
})

const times = (count: number, { bytes, values }: BodyLimits): BodyLimits => ({
  bytes: count * bytes,
  values: count * values
})

const most = (all: ReadonlyArray<BodyLimits>): BodyLimits => ({
  bytes: Math.max(...all.map(({ bytes }) => bytes)),
  values: Math.max(...all.map(({ values }) => values))
})

/** The only record in a body. An update may delete the maximum number of keys, and write as many others. */
const metadata: BodyLimits = (() => {
  const name = metadataKeyLengthMax * escapedBytes
  return sum([
    value(2),
    times(metadataKeysMax, member(name, value(metadataValueLengthMax * escapedBytes))),
    times(metadataKeysMax, member(name, value("null".length)))
  ])
})()
