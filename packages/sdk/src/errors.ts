/**
 * The errors of a call. `code` is for programs, `message` for people. No error contains the key or a request body.
 */
import type { ErrorCode } from "./generated/types.ts"

export interface Failed {
  readonly method: string
  readonly path: string
  /** For a write: with this key the same request is done only once, so it may be retried. */
  readonly idempotencyKey?: string | undefined
  /** The number of attempts. */
  readonly attempts: number
}

/**
 * The base class of a call's errors. An aborted call fails with its signal's reason instead, and invalid arguments with
 * a `TypeError`.
 */
export class CofferError extends Error {
  override readonly name: string = "CofferError"
  readonly code: string
  readonly idempotencyKey: string | undefined
  readonly attempts: number

  constructor(code: string, message: string, failed: Failed, cause?: unknown) {
    super(`${failed.method} ${failed.path}: ${message}`, cause === undefined ? undefined : { cause })
    this.code = code
    this.idempotencyKey = failed.idempotencyKey
    this.attempts = failed.attempts
  }

  toJSON(): Record<string, unknown> {
    const { attempts, code, idempotencyKey, message, name } = this
    return { name, message, code, idempotencyKey, attempts }
  }
}

/** No response, or an incomplete one: the outcome of a write is unknown. */
export class ConnectionError extends CofferError {
  override readonly name: string = "ConnectionError"

  /** `baseUrl`: the address of the service. */
  constructor(failed: Failed, cause: unknown, baseUrl?: string) {
    const to = baseUrl === undefined ? "" : ` to ${baseUrl}`
    const lost = `the connection${to} was lost, or none could be made${reasonOf(cause)}`
    super("connection_lost", `${lost}${unknown(failed)}`, failed, cause)
  }
}

/** The platform's code of the cause, such as `ECONNREFUSED`: a message may have more in it. */
const reasonOf = (cause: unknown): string => {
  const { cause: inner, code } = Object(cause) as { readonly cause?: unknown; readonly code?: unknown }
  const found = (Object(inner) as { readonly code?: unknown }).code ?? code
  if (typeof found !== "string" || !/^[A-Z_]{3,40}$/.test(found)) return ""
  return ` (${found}${found === "ECONNREFUSED" ? ": nothing listens there; is the service running?" : ""})`
}

/** No response in time: the outcome of a write is unknown. */
export class TimeoutError extends CofferError {
  override readonly name: string = "TimeoutError"

  constructor(failed: Failed, millis: number) {
    super("timeout", `no answer within ${Math.round(millis)} ms${unknown(failed)}`, failed)
  }
}

const unknown = ({ idempotencyKey }: Failed) =>
  idempotencyKey === undefined ? "" : `; the outcome is unknown: retry with the idempotencyKey ${idempotencyKey}`

/** The raw response. */
export interface Raw {
  /** Its body has been read into `text`. */
  readonly response: Response
  readonly text: string
  /** The content of a binary file. */
  readonly bytes?: Uint8Array
}

interface Refusal {
  readonly code: ErrorCode | "unexpected_answer"
  readonly message: string
  readonly param?: string | undefined
  readonly reason?: string | undefined
  readonly requestId?: string | undefined
  readonly docUrl?: string | undefined
  readonly retryAfterMs?: number | undefined
}

/** The service refused the request, or a proxy answered instead (then `code` is `unexpected_answer`). */
export class ApiError extends CofferError {
  override readonly name: string = "ApiError"
  declare readonly code: ErrorCode | "unexpected_answer"
  readonly status: number
  /** What the service said, without the call and its number: for developers, in English. */
  readonly detail: string
  /** The invalid field, if there is one. */
  readonly param: string | undefined
  /** More specific than `code`: the header `Coffer-Reason`, if any. */
  readonly reason: string | undefined
  /** Identifies the request, for `coffer.apiLogs.list({ request_id })` and for support. */
  readonly requestId: string | undefined
  /** The documentation page of this code, with cause and fix. */
  readonly docUrl: string | undefined
  /** How long to wait before a retry. */
  readonly retryAfterMs: number | undefined
  readonly #raw: Raw

  constructor(refusal: Refusal, failed: Failed, raw: Raw) {
    const { code, docUrl, message, param, reason, requestId, retryAfterMs } = refusal
    const { status } = raw.response
    super(code, `${status} ${code}: ${message}${requestId === undefined ? "" : ` (${requestId})`}`, failed)
    this.status = status
    this.detail = message
    this.param = param
    this.reason = reason
    this.requestId = requestId
    this.docUrl = docUrl
    this.retryAfterMs = retryAfterMs
    this.#raw = raw
  }

  /** The response; its body has been read into `text`. */
  get response(): Response {
    return this.#raw.response
  }

  get text(): string {
    return this.#raw.text
  }

  override toJSON(): Record<string, unknown> {
    const { detail, docUrl, param, reason, requestId, retryAfterMs, status } = this
    return { ...super.toJSON(), status, detail, param, reason, requestId, docUrl, retryAfterMs }
  }
}

/** 400: the request is not valid; `param` names the field. */
export class InvalidRequestError extends ApiError {
  override readonly name = "InvalidRequestError"
}

/** 401: the key is missing or invalid. */
export class AuthenticationError extends ApiError {
  override readonly name = "AuthenticationError"
}

/** 403: the key is valid but lacks the permission. */
export class PermissionError extends ApiError {
  override readonly name = "PermissionError"
}

/** 404: the object does not exist for this merchant and environment. */
export class NotFoundError extends ApiError {
  override readonly name = "NotFoundError"
}

/** 409: the object's state does not allow it, or the first request with this idempotency key is still running. */
export class ConflictError extends ApiError {
  override readonly name = "ConflictError"
}

/** 429: a rate limit is exceeded; retry after `retryAfterMs`. */
export class RateLimitError extends ApiError {
  override readonly name = "RateLimitError"
}

/** 5xx: the service, the channel (502 `processor_error`) or a proxy failed. */
export class ServerError extends ApiError {
  override readonly name = "ServerError"
}

const kinds: Readonly<Record<number, typeof ApiError>> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  429: RateLimitError
}

/** `envelope`: the body as JSON, or undefined if it is not JSON. */
export const refusedWith = (envelope: unknown, failed: Failed, raw: Raw): ApiError => {
  const { error, message, param, request_id } = (envelope ?? {}) as { readonly [key: string]: unknown }
  const { headers, status } = raw.response
  const Kind = kinds[status] ?? (status >= 500 ? ServerError : ApiError)
  const isOurs = typeof error === "string" && typeof message === "string"
  return new Kind(
    {
      code: isOurs ? (error as ErrorCode) : "unexpected_answer",
      message: isOurs ? message : unexpected(status),
      param: typeof param === "string" ? param : undefined,
      reason: headers.get("coffer-reason") ?? undefined,
      requestId: typeof request_id === "string" ? request_id : (headers.get("x-request-id") ?? undefined),
      docUrl: isOurs ? /<(https?:[^>]+)>; rel="help"/.exec(headers.get("link") ?? "")?.[1] : undefined,
      retryAfterMs: retryAfterOf(headers)
    },
    failed,
    raw
  )
}

const unexpected = (status: number): string =>
  status === 0 || (status >= 300 && status < 400)
    ? "the service redirected, and redirects are not followed, since they would leak the key; check baseUrl"
    : "the answer is not the service's; check baseUrl"

/** Seconds, or a date from a proxy, which is compared with the response's own date instead of our clock. */
const retryAfterOf = (headers: Headers): number | undefined => {
  const header = headers.get("retry-after")
  if (header === null) return undefined
  const isSeconds = /^\d+$/.test(header.trim())
  const seconds = isSeconds ? Number(header) : (Date.parse(header) - Date.parse(headers.get("date") ?? "")) / 1_000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds * 1_000)
}
