/** Calls: their log, and the answers that a repeat gets. */
import { Schema } from "effect"
import { code, field, listed } from "./listed.ts"
import { archived, each, forNobody, resource, shown } from "./Resource.ts"
import { mode } from "./shared.ts"

const ignoredFields = Schema.Array(
  Schema.Struct({
    name: Schema.String.annotate({
      description: "As it was sent; `[redacted]` unless it looks like a plain identifier."
    }),
    nearest: Schema.NullOr(Schema.String).annotate({
      description: "The known field with the most similar name; null if there is none."
    })
  })
)
/** Where a call came from: a key, also one of an agent or the command line, or a person's page of the console. */
const callSource = Schema.Literals(["api", "console"])
export type CallSource = typeof callSource.Type
export type IgnoredField = (typeof ignoredFields.Type)[number]

export const apiLogs = listed(
  "api_logs",
  {
    request_id: field(
      Schema.String,
      shown("none"),
      ["Request ID", "请求 ID", "Number of the request, as in its answer."],
      code
    ),
    mode,
    method: field(Schema.String, shown("none"), ["Method", "方法", "HTTP method."]),
    path: field(Schema.String, shown("request"), [
      "Path",
      "路径",
      "Path, without the query; always in the form `/v1/...`."
    ]),
    status: field(Schema.Int, shown("none"), ["Status", "状态", "HTTP status of the answer."], { look: "state" }),
    error_code: field(Schema.NullOr(Schema.String), shown("none"), [
      "Error code",
      "错误代码",
      "The `error` of the answer; null if it was not an error."
    ]),
    duration_ms: field(Schema.Int, shown("none"), [
      "Duration",
      "耗时",
      "Duration from the request's arrival to its answer, in milliseconds."
    ]),
    ip: field(Schema.NullOr(Schema.String), shown("none"), [
      "IP address",
      "IP 地址",
      "Address of the caller; null if it had disconnected."
    ]),
    key_id: field(
      Schema.NullOr(Schema.String),
      shown("none"),
      ["Key", "密钥", "Number of the key with scopes that called; null for your main key, and for the console."],
      code
    ),
    source: field(callSource, shown("none"), [
      "Source",
      "来源",
      "`api`: with a key. `console`: changed by a person in the console, whose reads are not logged."
    ]),
    user_agent: field(Schema.NullOr(Schema.String), shown("request"), [
      "User agent",
      "用户代理",
      "The `User-Agent` header."
    ]),
    idempotency_key: field(
      Schema.NullOr(Schema.String),
      shown("request"),
      ["Idempotency-Key", "Idempotency-Key", "The `Idempotency-Key` header."],
      code
    ),
    /** Names of fields. One that is no plain word is not kept. */
    ignored_fields: field(Schema.NullOr(ignoredFields), shown("none"), [
      "Unknown fields (ignored)",
      "未知字段（已忽略）",
      "Unknown fields of the body, at most ten, as in `Coffer-Ignored-Fields`; " +
        "null if there are none, and in the live environment."
    ]),
    created_at: field(Schema.DateTimeUtc, shown("none"), ["Time", "时间", "When the request came."]),

    merchant_id: archived("none"),
    /** Bodies stand in `api_log_bodies`. Rows that older versions wrote have them here, and go with their day. */
    ...each(forNobody("none"), ["request_body", "response_body", "status_class", "block", "place", "ahead_ms"])
  },
  {
    object: "api_log",
    label: { en: "API logs", zh: "API 日志" },
    list: {
      status: "shown",
      error_code: "wide",
      duration_ms: "wide",
      ip: "wide",
      source: "wide",
      key_id: "hidden",
      user_agent: "hidden",
      created_at: "shown",
      request_id: "hidden",
      idempotency_key: "hidden"
    },
    brief: ["request_id", "status", "method", "path", "duration_ms", "error_code", "created_at"],
    facts: [
      "error_code",
      "created_at",
      "duration_ms",
      "ip",
      "source",
      "key_id",
      "ignored_fields",
      "user_agent",
      "idempotency_key"
    ],
    filters: {
      request_id: "The call with exactly this number.",
      status: "An exact status, or a class such as `4xx`.",
      path: "Calls of exactly this path: `/v1/orders`.",
      error_code: "Calls that were refused with this `error`.",
      source: "Calls of your own servers (`api`), or changes that people made in the console (`console`)."
    }
  }
)
export const apiLogBodies = resource("api_log_bodies", {
  ...each(forNobody("none"), ["day", "block"]),
  /** Compressed, of many calls. */
  bodies: forNobody("request")
})

export const idempotencyKeys = resource("idempotency_keys", {
  ...each(forNobody("none"), ["id", "version", "merchant_id", "mode", "fingerprint", "state", "lease_until"]),
  ...each(forNobody("none"), ["status", "created_at", "run"]),
  /** The answer. One that shows a secret is sealed. */
  data: forNobody("request")
})
