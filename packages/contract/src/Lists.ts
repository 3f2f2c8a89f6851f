/**
 * The query that every list takes (spec: List conventions). A resource adds its own filters: the fields are spread into
 * its struct, and filters by metadata come beside the struct through `Schema.StructWithRest`.
 *
 * `limit` and the timestamps are read by a rule (`@coffer/rules/lists/pageRequest`), because an export ignores `limit`
 * and the cursors altogether, also when they are wrong.
 */
import { pageSizeMax, pageSizeMin } from "@coffer/model/Limits"
import { Schema } from "effect"

const Timestamp = Schema.String.annotate({ description: "ISO 8601 date and time, or seconds of Unix time" })

const common = {
  limit: Schema.optionalKey(
    Schema.Union([
      Schema.Int.check(Schema.isBetween({ minimum: pageSizeMin, maximum: pageSizeMax })),
      Schema.String
    ]).annotate({ description: `Size of a page, ${pageSizeMin} to ${pageSizeMax}` })
  ),
  starting_after: Schema.optionalKey(Schema.String.annotate({ description: "The id that ended the page before" })),
  ending_before: Schema.optionalKey(Schema.String.annotate({ description: "The id that begins the page at hand" })),
  "created[gte]": Schema.optionalKey(Timestamp),
  "created[lte]": Schema.optionalKey(Timestamp)
}

/** Of a list that has a CSV form. */
export const ExportableQuery = { ...common, format: Schema.optionalKey(Schema.Literals(["csv"])) }

/** Of a list without one: any `format` is refused (silences: P5). */
export const ListQuery = {
  ...common,
  format: Schema.optionalKey(
    Schema.String.check(Schema.makeFilter(() => false, { expected: "no format: this list has no CSV form" }))
  )
}

/** `metadata[<key>]`, each as often as it likes; all have to match (spec: Orders). */
export const MetadataFilters = Schema.Record(
  Schema.TemplateLiteral(["metadata[", Schema.String, "]"]),
  Schema.Array(Schema.String)
)

/** A filter that may be given several times, each time with one of these words. An error names the filter itself. */
export const anyOf = (words: ReadonlyArray<string>) =>
  Schema.Array(Schema.String).check(
    Schema.makeFilter((given) => given.every((word) => words.includes(word)), { expected: words.join(" | ") })
  )
