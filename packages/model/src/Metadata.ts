/** Key-value pairs of merchants on orders, refunds and links, and how an update merges (spec: Metadata). */
import { Schema } from "effect"
import { metadataKeyLengthMax, metadataKeysMax, metadataValueLengthMax } from "./Limits.ts"

export const Metadata = Schema.Record(Schema.String, Schema.String)
export type Metadata = typeof Metadata.Type

/** Written by the service alone; a merchant's write to it is refused (silences: O12). */
export const reservedPrefix = "svc_"

/** What a merchant sends: null deletes a key, null for the whole clears it (spec: Metadata). */
export const MetadataPatch = Schema.NullOr(Schema.Record(Schema.String, Schema.NullOr(Schema.String)))
export type MetadataPatch = typeof MetadataPatch.Type

/** The first thing wrong with a patch, as the parameter it names and a sentence; undefined when it may be applied. */
export const patchProblem = (
  before: Metadata,
  patch: MetadataPatch
): { readonly param: string; readonly problem: string } | undefined => {
  for (const [key, value] of Object.entries(patch ?? {})) {
    const length = Array.from(key).length
    if (length < 1 || length > metadataKeyLengthMax) {
      return { param: `metadata.${key}`, problem: `a key has 1 to ${metadataKeyLengthMax} characters` }
    }
    if (key.startsWith(reservedPrefix))
      return { param: `metadata.${key}`, problem: `keys that begin with ${reservedPrefix} are reserved` }
    if (value !== null && Array.from(value).length > metadataValueLengthMax) {
      return { param: `metadata.${key}`, problem: `a value has at most ${metadataValueLengthMax} characters` }
    }
    // Postgres has no text with NUL, and half a surrogate pair is no UTF-8.
    if (!isStorable(key) || (value !== null && !isStorable(value))) {
      return { param: `metadata.${key}`, problem: "text must be well-formed Unicode without NUL" }
    }
  }
  return merchantKeys(merge(before, patch)).length > metadataKeysMax
    ? { param: "metadata", problem: `at most ${metadataKeysMax} keys` }
    : undefined
}

/** Keys sent are written, other keys stay; clearing keeps what the service itself wrote (silences: O12). */
export const merge = (before: Metadata, patch: MetadataPatch): Metadata => {
  if (patch === null)
    return Object.fromEntries(Object.entries(before).filter(([key]) => key.startsWith(reservedPrefix)))
  const after = new Map(Object.entries(before))
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) after.delete(key)
    else after.set(key, value)
  }
  return Object.fromEntries(after)
}

/** In the order of its keys: the database keeps the keys of jsonb in an order of its own, not as they came. */
export const byKey = (metadata: Metadata): Metadata =>
  Object.fromEntries(Object.entries(metadata).toSorted(([a], [b]) => (a < b ? -1 : 1)))

const merchantKeys = (metadata: Metadata) => Object.keys(metadata).filter((key) => !key.startsWith(reservedPrefix))

const isStorable = (text: string) => text.isWellFormed() && !text.includes("\u0000")
