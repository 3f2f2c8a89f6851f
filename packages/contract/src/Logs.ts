/** API logs on the wire (spec: API log; Endpoints, Events and logs). */
import { apiLogs } from "@coffer/resources/calls"
import { filterFields, wireFields } from "@coffer/resources/listed"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Decoding, MerchantKey, Quotas } from "./Caller.ts"
import { listed } from "./Envelope.ts"
import { InvalidRequest, RateLimited, Unavailable } from "./Errors.ts"
import { int, orNull, withExample } from "./fields.ts"
import { ListQuery, waitParameter } from "./Lists.ts"
import { sampleIds } from "./sampleIds.ts"

/** Days for which a call is kept (spec: Limits). */
export const retentionDays = 30
/** A larger body leaves only a marker: 16 KB of its JSON text (spec: Limits; silences: A2). */
export const loggedBodyBytesMax = 16 * 1024

const body = (whose: string) =>
  orNull(
    Schema.Unknown,
    `The ${whose}, its secrets replaced by \`[redacted]\`; \`{"_truncated": true, "bytes": n}\` for one over 16 KB; ` +
      '`{"_refused": {"count": n}}` in the answer of a call that stands for n refused ones of a minute; ' +
      "null for none, or one that is not JSON."
  )

const { created_at, ...head } = wireFields(apiLogs)

export const LogResource = withExample(
  Schema.Struct({
    ...head,
    request_body: body("body of the request"),
    response_body: body("body of the answer"),
    created_at
  }).annotate({ identifier: "ApiLog", description: "One call." }),
  {
    object: "api_log",
    request_id: sampleIds.request,
    mode: "sandbox",
    method: "POST",
    path: "/v1/orders",
    status: 400,
    error_code: "invalid_request",
    duration_ms: 3,
    ip: "203.0.113.7",
    key_id: null,
    source: "api",
    user_agent: "shop/2.4",
    idempotency_key: "cart-4711-try-1",
    ignored_fields: [{ name: "metadta", nearest: "metadata" }],
    request_body: { amount: "19.99", metadta: { cart: "4711" }, client_secret: "[redacted]" },
    response_body: {
      code: 400,
      error: "invalid_request",
      param: "amount",
      message: "amount: Expected an integer.",
      request_id: sampleIds.request
    },
    created_at: "2026-11-21T09:29:40.117Z"
  }
)
export type LogResource = typeof LogResource.Encoded

/** One code, or a class such as `4xx`. */
const StatusFilter = Schema.String.check(
  Schema.isPattern(/^[1-5](\d\d|xx)$/, { expected: "a status such as 404, or a class such as 4xx" })
)

/** Filters of the list; all have to match (spec: Endpoints, Events and logs). */
export const LogQuery = Schema.Struct({
  ...ListQuery,
  ...waitParameter,
  ...filterFields(apiLogs),
  status: Schema.optionalKey(StatusFilter.annotate({ description: apiLogs.listing.filters.status }))
})
export type LogQuery = typeof LogQuery.Type

export class LogsGroup extends HttpApiGroup.make("logs")
  .add(
    HttpApiEndpoint.get("list", "/v1/logs", {
      query: LogQuery,
      success: listed(LogResource, {
        retention_days: int("Days for which calls are kept.").annotate({ examples: [retentionDays] })
      }),
      error: [InvalidRequest, RateLimited, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List your own API calls, newest first",
        description:
          "For finding out what your server sent and received. Written asynchronously, so a call may occasionally " +
          "be missing."
      })
    )
  )
  .middleware(Decoding)
  .middleware(Quotas)
  .middleware(MerchantKey)
  .annotate(OpenApi.Description, "The merchant's own API calls of the last 30 days, redacted.") {}
