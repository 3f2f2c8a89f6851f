/** The row of a call: its bodies parsed, without secrets, and in a form that Postgres can store. Pure. */
import type { CallSource, IgnoredField } from "@coffer/resources/calls"
import type { MerchantId, Mode } from "@coffer/model/Ids"
import { redact, redactedText, redactText } from "@coffer/rules/redaction"
import { type DateTime, Option, Schema } from "effect"
import { storableJson } from "../../platform/postgres/storable.ts"
import { parseJson } from "../../platform/runtime/codecs.ts"
import type { NewLogRow } from "./LogStore.ts"
import type { OpenCall } from "./openCalls.ts"
import { overQuota } from "./refusedCalls.ts"

/**
 * A body as it went over the wire, as text or bytes; as a parsed value; or only its size. Undefined if there is none
 * that is JSON.
 */
export type LoggedBody = string | Uint8Array | { readonly bytes: number; readonly json?: unknown } | undefined

export interface LoggedCall {
  readonly requestId: string
  readonly merchantId: MerchantId
  readonly mode: Mode
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly status: number
  readonly at: DateTime.Utc
  /** How far the clock of a sandbox was ahead of that. */
  readonly aheadMillis?: number
  readonly durationMillis: number
  readonly ip: string | undefined
  /** The key with scopes that called; undefined for the main key. */
  readonly keyId?: string | undefined
  /** `api` unless it says another. */
  readonly source?: CallSource
  readonly userAgent: string | undefined
  readonly idempotencyKey: string | undefined
  /** Fields of the body that the endpoint did not know; of a sandbox alone. */
  readonly ignored?: ReadonlyArray<IgnoredField> | undefined
  readonly requestBody: LoggedBody
  readonly responseBody: LoggedBody
  /** No quota let it through. */
  readonly isUncounted?: boolean
  /** How many calls above the quota the row stands for. */
  readonly refused?: number
}

/** A call in the queue. */
export interface QueuedCall extends LoggedCall {
  /** The entry among the calls without a row. */
  readonly call?: OpenCall
}

/** Bytes that the bodies of a call take up in memory. */
export const bytesOf = ({ requestBody, responseBody }: LoggedCall): number => sizeOf(requestBody) + sizeOf(responseBody)

const sizeOf = (body: LoggedBody): number => {
  if (body === undefined) return 0
  if (typeof body === "object" && "bytes" in body) return "json" in body ? body.bytes : 0
  return body.length
}

export const rowOf = (call: LoggedCall): NewLogRow => {
  const response = redactedBody(call.responseBody)
  return {
    request_id: call.requestId,
    merchant_id: call.merchantId,
    mode: call.mode,
    method: call.method,
    path: redactText(call.path),
    status: call.status,
    error_code: call.status >= 400 ? errorCodeOf(response) : null,
    duration_ms: Math.max(0, Math.round(call.durationMillis)),
    ip: call.ip ?? null,
    key_id: call.keyId ?? null,
    source: call.source ?? "api",
    user_agent: redactedHeader(call.userAgent),
    idempotency_key: redactedHeader(call.idempotencyKey),
    ignored_fields: call.ignored === undefined ? null : storableJson(call.ignored.map(plainly)),
    request_body: storable(withoutBuyer(call.path, redactedBody(call.requestBody))),
    response_body: storable(withCount(call, response)),
    created_at: call.at,
    ahead_ms: call.aheadMillis ?? 0
  }
}

/** A name that is not a plain word may be a buyer's address or a secret, which must not be logged. */
const plainly = ({ name, nearest }: IgnoredField): IgnoredField => ({
  name: /^[\w.[\]-]{1,100}$/.test(name) ? redactText(name) : redactedText,
  nearest
})

/** The request to erase or export a buyer is logged without the buyer's address. */
const withoutBuyer = (path: string, body: object | undefined): object | undefined =>
  (path === "/v1/erasures" || path === "/v1/exports") && body !== undefined && "email" in body
    ? { ...body, email: redactedText }
    : body

/** The answer of a row for several calls says how many. A call above the quota keeps only that. */
const withCount = ({ refused, status }: LoggedCall, response: object | undefined): object | undefined => {
  if (status === overQuota) return { _refused: { count: refused ?? 1 } }
  return refused === undefined ? response : { ...response, _refused: { count: refused } }
}

const redactedHeader = (header: string | undefined): string | null => (header === undefined ? null : redactText(header))

/** An object or an array without secrets. Anything else is left out, since a bare text may be a secret itself. */
const redactedBody = (body: LoggedBody): object | undefined => {
  if (body === undefined) return undefined
  if (typeof body === "object" && "bytes" in body) {
    return "json" in body ? redactedJson(body.json) : { _truncated: true, bytes: body.bytes }
  }
  return redactedJson(Option.getOrUndefined(parseJson(typeof body === "string" ? body : utf8.decode(body))))
}

const redactedJson = (value: unknown): object | undefined =>
  typeof value === "object" && value !== null ? (redact(value) as object) : undefined

const utf8 = new TextDecoder()

const isError = Schema.is(Schema.Struct({ error: Schema.String }))
const errorCodeOf = (response: object | undefined) => (isError(response) ? response.error : null)

const storable = (body: object | undefined): string | null => (body === undefined ? null : storableJson(body))
