/**
 * Deprecated operations, announced a year ahead (docs/versioning.md, Deprecation; note V1 of the specification). Their
 * answers have headers that say so, their lines in the access log have `deprecated`, and the OpenAPI document marks
 * them.
 */
import { Context, DateTime } from "effect"

export interface Deprecation {
  /** The day of the announcement: `2027-01-31`. */
  readonly since: string
  /** The first day on which it may be removed. */
  readonly sunset: string
  /** The replacement. */
  readonly instead: string
}

/** By method and path, as in the document: `GET /v1/orders/{ref}`. */
export type Deprecations = Readonly<Record<string, Deprecation>>

const none: Deprecations = {}

export const Deprecations = Context.Reference<Deprecations>("@coffer/contract/Deprecations", {
  defaultValue: () => none
})

/** `Deprecation` by RFC 9745, `Sunset` by RFC 8594. `page`: the address of the text about deprecations. */
export const deprecationHeaders = ({ since, sunset }: Deprecation, page: string): Readonly<Record<string, string>> => ({
  deprecation: `@${DateTime.toEpochMillis(DateTime.makeUnsafe(since)) / 1_000}`,
  sunset: DateTime.toDateUtc(DateTime.makeUnsafe(sunset)).toUTCString(),
  link: `<${page}>; rel="deprecation"`
})

// oxlint-disable-next-line no-explicit-any -- a document without a type of its own
type Json = Record<string, any>

/** Marks deprecated operations, in place. */
export const markDeprecated = (document: Json, deprecations: Deprecations = none): Json => {
  for (const [operation, { instead, sunset }] of Object.entries(deprecations)) {
    const [method = "", path = ""] = operation.split(" ")
    const found = document["paths"][path]?.[method.toLowerCase()]
    if (found === undefined) continue
    found["deprecated"] = true
    found["description"] =
      `${found["description"] ?? ""}\n\nIt may be gone from ${sunset} on. Instead: ${instead}`.trim()
  }
  return document
}
