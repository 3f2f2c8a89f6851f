/**
 * The shape that every JSON response shares (spec: Response envelope; Errors; List conventions). Resources never
 * repeat it; endpoints wrap their schema in {@link enveloped} or {@link listed}.
 */
import { Schema } from "effect"

const shared = {
  /** For people. Wording may change; clients must not branch on it. */
  message: Schema.String,
  /** Equals the `X-Request-Id` header. */
  request_id: Schema.String
}

/** `code` equals the HTTP status. */
export const enveloped = <Data extends Schema.Top>(data: Data) => Schema.Struct({ code: Schema.Int, ...shared, data })

/** A page, newest first. Only `has_more` tells whether there is another. */
export const listed = <Item extends Schema.Top>(item: Item) =>
  enveloped(
    Schema.Struct({
      object: Schema.tag("list"),
      resource: Schema.String,
      has_more: Schema.Boolean,
      url: Schema.String,
      data: Schema.Array(item)
    })
  )

/** An error body. `error` is the machine code, `param` the offending field when there is one. */
export const refusedBody = <const Status extends number, const Code extends string>(status: Status, error: Code) => ({
  code: Schema.tag(status),
  error: Schema.tag(error),
  param: Schema.optionalKey(Schema.String),
  ...shared
})
