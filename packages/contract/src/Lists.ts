/**
 * The query that every list takes (spec: List conventions). A resource adds its own filters: the fields are spread into
 * its struct, and filters by metadata come beside the struct through `Schema.StructWithRest`.
 *
 * `limit` and the timestamps are read by a rule (`@coffer/rules/lists/pageRequest`), whose message says in one sentence
 * what they have to be. An export never gets `limit` and the cursors: they are dropped before the query is decoded.
 */
import { pageSizeDefault, pageSizeMax, pageSizeMin, waitSecondsMax } from "@coffer/model/Limits"
import { sorts } from "@coffer/model/Sort"
import { Schema, SchemaAST, SchemaGetter } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { instant, text } from "./fields.ts"

export const timestamp = (description: string) =>
  Schema.optionalKey(text(`${description}: ISO 8601 with time and offset (UTC without one), or Unix time in seconds.`))

/** Digits alone are a number: `1e1` and `20.0` are refused like any other text (silences: P2). */
const sizeOf = (text: string): number | string => {
  const size = /^\d+$/.test(text) ? Number(text) : 0
  return size >= pageSizeMin && size <= pageSizeMax ? size : text
}

const common = {
  limit: Schema.optionalKey(
    Schema.String.annotate({
      description: `Page size, ${pageSizeMin} to ${pageSizeMax}. Default: ${pageSizeDefault}.`
    }).pipe(
      Schema.decodeTo(Schema.Union([Schema.Int, Schema.String]), {
        decode: SchemaGetter.transform(sizeOf),
        encode: SchemaGetter.transform(String)
      })
    )
  ),
  starting_after: Schema.optionalKey(text("Cursor for the next page: the id of the last object of this one.")),
  ending_before: Schema.optionalKey(
    text(
      "Cursor for the page just newer, also with the newest first: the id of the first object of this one. " +
        "`has_more` says whether still newer ones follow. Not together with `starting_after`."
    )
  ),
  "created[gte]": timestamp("Created then or later"),
  "created[lte]": timestamp("Created then or earlier; Unix seconds include the whole second")
}

/** For a list that has a CSV form. */
export const ExportableQuery = {
  ...common,
  format: Schema.optionalKey(Schema.Literals(["csv"]).annotate({ description: "`csv` answers a file." }))
}

/** For a list without a CSV form: any `format` is refused (silences: P5). */
export const ListQuery = {
  ...common,
  format: Schema.optionalKey(
    text("Refused: this list has no CSV form.").check(
      Schema.makeFilter(() => "this list has no CSV form. Leave format out", { toJsonSchema: () => ({}) })
    )
  )
}

/** For a list that can be sorted (silences: P28). */
export const sortParameter = {
  sort: Schema.optionalKey(
    Schema.Literals(sorts).annotate({
      description:
        "`created` for oldest first, `amount` and `-amount` for the least and the greatest first. By amount, the " +
        "newest 10,000 objects of the range are sorted; `sorted` in the answer says which. Send its times as " +
        "`created[gte]` and `created[lte]` with the next page. Default: `-created`, newest first. " +
        "A CSV file ignores it."
    })
  )
}

/** For a list that can be followed (silences: E9). */
export const waitParameter = {
  wait: Schema.optionalKey(
    Schema.String.check(
      Schema.makeFilter((seconds: string) => /^([1-9]|1\d|2[0-5])$/.test(seconds), {
        expected: `a whole number from 1 to ${waitSecondsMax}`,
        toJsonSchema: () => ({})
      })
    )
      .annotate({
        description:
          "Long polling, 1 to 25 seconds: while nothing is newer than `ending_before`, the answer waits up to this " +
          "long, and is then an empty page. These calls have their own quota. Not with `starting_after`."
      })
      .pipe(
        Schema.decodeTo(Schema.Int, {
          decode: SchemaGetter.transform(Number),
          encode: SchemaGetter.transform(String)
        })
      )
  )
}

/** Whether an endpoint is such a list. */
export const takesWait = ({ query }: Pick<HttpApiEndpoint.Top, "query">): boolean =>
  query !== undefined &&
  SchemaAST.isObjects(query.ast) &&
  query.ast.propertySignatures.some(({ name }) => name === "wait")

/** What a wait reads of such a list's query. */
export interface WaitQuery {
  readonly limit?: number | string
  readonly wait?: number
  readonly starting_after?: string
  readonly ending_before?: string
  readonly sort?: string
}

/** In the answer of such a list, of a page by amount. */
export const sortedField = {
  sorted: Schema.optionalKey(
    Schema.Struct({
      from: instant("When the oldest object that was sorted was created."),
      to: instant("When the newest object that was sorted was created."),
      is_whole: Schema.Boolean.annotate({ description: "Whether all objects of the range were sorted." })
    }).annotate({
      description: "Of a page by amount: which objects were sorted.",
      examples: [{ from: "2026-11-21T09:00:00.000Z", to: "2026-11-22T09:00:00.000Z", is_whole: true }]
    })
  )
}

/**
 * An unknown parameter is refused by its name: ignoring a misspelt filter would list everything (silences: P13). Both
 * APIs are annotated with it.
 */
export const knownParametersOnly = { onExcessProperty: "error" } as const

/** `metadata[<key>]`, each may be repeated; all have to match (spec: Orders). */
export const MetadataFilters = Schema.Record(
  Schema.TemplateLiteral(["metadata[", Schema.String, "]"]),
  Schema.Array(Schema.String)
)

/** Names {@link MetadataFilters} in the document, which knows parameters by name only. */
export const withMetadataFilters = (operation: { readonly [key: string]: unknown }) => ({
  ...operation,
  parameters: [
    ...(operation["parameters"] as ReadonlyArray<object>),
    {
      name: "metadata",
      in: "query",
      required: false,
      description:
        "`metadata[shelf]=A7`: objects with exactly this value under this key. Several filters have to match together.",
      style: "deepObject",
      explode: true,
      schema: { type: "object", additionalProperties: { type: "string" } }
    }
  ]
})

/** A filter that may be given several times, each time with one of these values. An error names the filter itself. */
export const anyOf = (words: ReadonlyArray<string>, description: string) =>
  Schema.Array(Schema.String)
    .check(
      Schema.makeFilter((list) => list.every((word) => words.includes(word)), {
        expected: words.join(" | "),
        toJsonSchema: () => ({ items: { type: "string", enum: [...words] } })
      })
    )
    .annotate({ description })

/** Of what is listed and made in the background: who requested it. */
export const requester = "Who requested it: a team member's address, the number of a key with scopes, or `main_key`."
