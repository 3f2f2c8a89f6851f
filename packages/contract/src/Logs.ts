/** API logs on the wire (spec: API log; Endpoints, Events and logs). */
import { Mode } from "@coffer/model/Ids"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Decoding, MerchantKey, Quotas } from "./Caller.ts"
import { enveloped } from "./Envelope.ts"
import { InvalidRequest } from "./Errors.ts"
import { ListQuery } from "./Lists.ts"

/** Days for which a call is kept (spec: Limits). */
export const retentionDays = 30
/** Of a larger body only a marker is kept: 16 KB of its JSON text (spec: Limits; silences: A2). */
export const loggedBodyBytesMax = 16 * 1024

/** Redacted JSON; `{"_truncated":true,"bytes":n}` for a body over 16 KB; null for none, or one that is not JSON. */
const Body = Schema.Unknown

export const LogResource = Schema.Struct({
  object: Schema.tag("api_log"),
  request_id: Schema.String,
  mode: Mode,
  method: Schema.String,
  path: Schema.String,
  status: Schema.Int,
  error_code: Schema.NullOr(Schema.String),
  duration_ms: Schema.Int,
  ip: Schema.NullOr(Schema.String),
  user_agent: Schema.NullOr(Schema.String),
  idempotency_key: Schema.NullOr(Schema.String),
  request_body: Body,
  response_body: Body,
  created_at: Schema.String.annotate({ format: "date-time" })
}).annotate({ identifier: "ApiLog" })
export type LogResource = typeof LogResource.Encoded

/** One code, or a class such as `4xx`. */
const StatusFilter = Schema.String.check(
  Schema.isPattern(/^[1-5](\d\d|xx)$/, { expected: "a status such as 404, or a class such as 4xx" })
)

/** Filters of the list; all have to match (spec: Endpoints, Events and logs). */
export const LogQuery = Schema.Struct({
  ...ListQuery,
  request_id: Schema.optionalKey(Schema.String),
  status: Schema.optionalKey(StatusFilter),
  path: Schema.optionalKey(Schema.String),
  error_code: Schema.optionalKey(Schema.String)
})
export type LogQuery = typeof LogQuery.Type

export class LogsGroup extends HttpApiGroup.make("logs")
  .add(
    HttpApiEndpoint.get("list", "/v1/logs", {
      query: LogQuery,
      success: enveloped(
        Schema.Struct({
          object: Schema.tag("list"),
          resource: Schema.String,
          has_more: Schema.Boolean,
          url: Schema.String,
          /** How long a log is kept (silences: A1). */
          retention_days: Schema.Int,
          data: Schema.Array(LogResource)
        })
      ),
      error: InvalidRequest
    }).annotate(OpenApi.Summary, "List your own API calls, newest first")
  )
  .middleware(Decoding)
  .middleware(Quotas)
  .middleware(MerchantKey)
  .annotate(OpenApi.Description, "The merchant's own API calls of the last 30 days, redacted.") {}
