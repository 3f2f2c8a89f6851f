/**
 * The shape that every JSON response shares (spec: Response envelope; Errors; List conventions). Resources never
 * repeat it; endpoints wrap their schema in {@link enveloped} or {@link listed}.
 */
import { Schema } from "effect"
import { int, kind, text } from "./fields.ts"
import { sampleIds } from "./sampleIds.ts"

const requestId = text("Number of this request; the same as in the `X-Request-Id` header.").annotate({
  examples: [sampleIds.request]
})

export const enveloped = <Data extends Schema.Top>(data: Data) =>
  Schema.Struct({
    code: int("The HTTP status."),
    message: text("For people to read; its wording may change, so do not branch on it."),
    request_id: requestId,
    data
  })

const page = {
  object: kind("list"),
  resource: text("The `object` of what is listed."),
  has_more: Schema.Boolean.annotate({
    description:
      "Whether another page follows in this direction. Rely only on this: a page may be shorter than `limit`.",
    examples: [false]
  }),
  url: text("Path of this list.")
}

/** A page, newest first unless it was sorted. `beside`: further fields of a list. */
export const listed = <Item extends Schema.Top, const Extra extends Schema.Struct.Fields = {}>(
  item: Item,
  extra?: Extra
) =>
  enveloped(
    Schema.Struct({
      ...page,
      ...(extra as Extra),
      data: Schema.Array(item).annotate({ description: "The objects of this page, newest first." })
    }).annotate({ description: "One page of the list." })
  )

/** An error body. `meaning` says when it is returned, for the document; `param` is the field in its example, if any. */
export const refusedBody = <const Status extends number, const Code extends string>(
  status: Status,
  error: Code,
  meaning: string,
  param?: string
) => ({
  code: Schema.tag(status).annotate({ description: "The HTTP status." }),
  error: Schema.tag(error).annotate({ description: meaning }),
  param: Schema.optionalKey(
    text("The field that caused the error, if there is one: `amount`, `metadata.key`, `created[gte]`.").annotate(
      param === undefined ? {} : { examples: [param] }
    )
  ),
  message: text("For people to read; its wording may change, so do not branch on it.").annotate({
    examples: [meaning]
  }),
  request_id: requestId
})
