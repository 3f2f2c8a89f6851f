/** Key-value pairs of merchants on orders, refunds and links, and how an update merges (spec: Metadata). */
import { Schema } from "effect"
import { metadataKeyLengthMax, metadataKeysMax, metadataValueLengthMax } from "./Limits.ts"
import { freeTextProblem, isFreeText, isOneLine, lineProblem } from "./Text.ts"

export const Metadata = Schema.Record(Schema.String, Schema.String)
export type Metadata = typeof Metadata.Type

/** Names the link that made an order. Written by the service alone; a merchant's write is refused (silences: O12). */
export const linkKey = "svc_payment_link"

/** Keys to write; null deletes one (spec: Metadata). */
export const MetadataKeys = Schema.Record(Schema.String, Schema.NullOr(Schema.String))

/** An update's metadata: null for the whole clears it (spec: Metadata). */
export const MetadataPatch = Schema.NullOr(MetadataKeys)
export type MetadataPatch = typeof MetadataPatch.Type

/** The first problem of a patch, as a parameter and a sentence; undefined if it may be applied. */
export const patchProblem = (
  before: Metadata,
  patch: MetadataPatch
): { readonly param: string; readonly problem: string } | undefined => {
  for (const [key, value] of Object.entries(patch ?? {})) {
    if (!isOneLine(key, 1, metadataKeyLengthMax)) {
      return {
        param: `metadata.${key}`,
        problem: `the key ${lineProblem(key, 1, metadataKeyLengthMax)}`
      }
    }
    if (key === linkKey) return { param: `metadata.${key}`, problem: "is reserved for the orders of payment links" }
    if (value !== null && !isFreeText(value, metadataValueLengthMax)) {
      return {
        param: `metadata.${key}`,
        problem: `the value ${freeTextProblem(value, metadataValueLengthMax)}`
      }
    }
  }
  const { length } = merchantKeys(merge(before, patch))
  return length > metadataKeysMax
    ? {
        param: "metadata",
        problem: `may have ${metadataKeysMax} keys. It has ${length}: remove ${length - metadataKeysMax}`
      }
    : undefined
}

/** Sent keys are written, others stay; clearing keeps the service's own keys (silences: O12). */
export const merge = (before: Metadata, patch: MetadataPatch): Metadata => {
  if (patch === null) return Object.fromEntries(Object.entries(before).filter(([key]) => key === linkKey))
  const after = new Map(Object.entries(before))
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) after.delete(key)
    else after.set(key, value)
  }
  return Object.fromEntries(after)
}

/** Sorted by key: jsonb does not keep the original order of keys. */
export const byKey = (metadata: Metadata): Metadata =>
  Object.fromEntries(Object.entries(metadata).toSorted(([a], [b]) => (a < b ? -1 : 1)))

const merchantKeys = (metadata: Metadata) => Object.keys(metadata).filter((key) => key !== linkKey)
