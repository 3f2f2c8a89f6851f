/**
 * The two logs of calls.
 *
 * The API log, for the merchant (spec: API log; silences: A4, A5): each call whose account is known, after its answer
 * is made and before it is sent. Nothing is parsed or redacted here: the bodies go to a queue as they are.
 *
 * The access log, for the operator, where ACCESS_LOG asks for it: a line for each answer with method, route, path,
 * status, duration and sender. ACCESS_LOG_SAMPLE is the share of answers below 500 that is written; all others are
 * written. A path is redacted as in the API log, and a token in it is never shown. A line never holds a query, a header
 * or a body.
 */
import { loggedBodyBytesMax } from "@coffer/contract/Logs"
import { millisOfId } from "@coffer/model/Ids"
import { redactedText, redactText } from "@coffer/rules/redaction"
import { DateTime, Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { Body } from "../../shared/http/Body.ts"
import type { RequestRecord } from "../../shared/http/CurrentRequest.ts"
import type { LoggedBody, LoggedCall } from "../../shared/logs/logRow.ts"
import { Logs } from "../../shared/logs/Logs.ts"
import { overQuota } from "../../shared/logs/refusedCalls.ts"
import { onRealTime } from "../../platform/runtime/realTime.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import type { Route } from "./routes.ts"

// The API log --------------------------------------------------------------------

export interface Answered {
  /** Milliseconds since 1970. */
  readonly answered: number
  readonly response: HttpServerResponse.HttpServerResponse
  /** The request's body; read only if the call is logged. */
  readonly body: () => Effect.Effect<LoggedBody>
}

/** Logs a call that has been answered: at once, unless its body has to be read. Never fails. */
export const makeApiLog = Effect.map(
  Logs,
  (logs) =>
    (record: RequestRecord, { answered, body, response }: Answered): Effect.Effect<void> => {
      const { ahead, arrived, ignored, ip, keyId, method, account, path, requestId, sent } = record
      const isLogged = isOfLog(record) && (record.isUnlogged !== true || response.status >= 300)
      if (account === undefined || !isLogged) {
        logs.ended(record)
        return Effect.void
      }
      // A call above the quota has no body in the log, so its body is not read either.
      const { merchantId, mode } = account
      return Effect.mapEager(response.status === overQuota ? nothing : body(), (requestBody) => {
        const call: LoggedCall = {
          requestId,
          merchantId,
          mode,
          method,
          path,
          status: response.status,
          // The time in its number, so that both sort alike.
          at: DateTime.makeUnsafe(millisOfId(requestId) - ahead),
          aheadMillis: ahead,
          durationMillis: answered - arrived,
          ip,
          keyId,
          source: record.ofConsole === undefined ? "api" : "console",
          userAgent: sent["user-agent"],
          idempotencyKey: sent["idempotency-key"],
          ignored,
          requestBody,
          isUncounted: record.isCounted !== true,
          responseBody: responseBodyOf(response, record)
        }
        logs.append(call, record)
      })
    }
)

/** The log is for the merchant's own program, which makes none of the reads in the console (silences: A13). */
const isOfLog = ({ method, ofConsole }: RequestRecord): boolean =>
  ofConsole === undefined || (method !== "GET" && method !== "HEAD")

/** How long to wait for a small body that no handler has read. The refusal has been sent already. */
const bodyPatience = "1 second"

/** The body for the log. A small body that no handler has read is read now: the answer does not wait for it. */
export const bodyOf = (body: Body, sent: RequestRecord["sent"]): Effect.Effect<LoggedBody> => {
  const length = sent["content-length"]
  const bytes = Number(length ?? 0)
  if (length === undefined ? sent["transfer-encoding"] === undefined : bytes === 0) return nothing
  if (bytes > loggedBodyBytesMax) return Effect.succeed({ bytes })
  // The parts of a form are read as they arrive, and never twice.
  if (/^multipart\//i.test(sent["content-type"] ?? ""))
    return length === undefined ? nothing : Effect.succeed({ bytes })
  if (body.known !== undefined) return Effect.succeed(withinLimit(body.known))
  if (body.isTouched) return nothing
  return body.text.pipe(
    Effect.map(withinLimit),
    Effect.timeoutOrElse({ duration: bodyPatience, orElse: () => nothing }),
    Effect.catch(() => nothing),
    onRealTime
  )
}

const nothing = Effect.succeed<LoggedBody>(undefined)

/** Replaces a large body by its size. A character takes at most four bytes, so a short text need not be measured. */
const withinLimit = (text: string): LoggedBody => {
  if (text.length <= loggedBodyBytesMax / 4) return text
  const bytes = utf8.encode(text).length
  return bytes > loggedBodyBytesMax ? { bytes } : text
}
const utf8 = new TextEncoder()

const responseBodyOf = (
  { body, status }: HttpServerResponse.HttpServerResponse,
  { answer }: RequestRecord
): LoggedBody => {
  if (body._tag !== "Uint8Array" || !body.contentType.startsWith("application/json")) return undefined
  const { contentLength: bytes } = body
  if (bytes > loggedBodyBytesMax) return { bytes }
  // A handler's reply need not be parsed again.
  return answer?.code === status ? { bytes, json: answer } : (body.text ?? body.body)
}

// The access log -----------------------------------------------------------------

interface AccessLine {
  readonly route: Route
  readonly status: number
  readonly millis: number
  /** Whether the operation is deprecated (docs/versioning.md, Deprecation). */
  readonly isDeprecated: boolean
}

type LogAccess = (record: RequestRecord, answer: AccessLine) => Effect.Effect<void>

/** The failures of the service itself. */
const failureMin = 500

/** Undefined if it is switched off. */
export const makeAccessLog: Effect.Effect<LogAccess | undefined, never, Settings> = Effect.map(
  Settings,
  ({ accessLog }) => {
    if (accessLog === undefined) return undefined
    const isSampled = makeSample(accessLog.share)
    return ({ ip, method, account, path, requestId }, { isDeprecated, millis, route, status }) => {
      // Each answer moves the sample on.
      const sampled = isSampled()
      if (!sampled && status < failureMin) return Effect.void
      const shown = shownPathOf(path, route)
      return Effect.annotateLogs(Effect.logInfo(`${method} ${shown} ${status}`), {
        request_id: requestId,
        method,
        route: route.pattern,
        path: shown,
        status,
        duration_ms: Math.round(millis),
        ip: ip ?? "",
        ...(isDeprecated ? { deprecated: true } : {}),
        ...(account === undefined ? {} : { merchant_id: account.merchantId, mode: account.mode })
      })
    }
  }
)

/** Samples at even intervals, not at random: 0.25 takes every fourth answer. */
export const makeSample = (share: number) => {
  let owed = 0
  return (): boolean => {
    owed += share
    // Sums of shares such as 0.1 fall short of 1 by a rounding.
    if (owed < 1 - 1e-9) return false
    owed -= 1
    return true
  }
}

/** Characters of a path that are shown. */
const pathLengthMax = 500
const secretParts = /\{(token|name)\}/g

/** The route's pattern if the path holds a token or no route matches, since it may hold anything then. */
const shownPathOf = (path: string, { pattern }: Route): string =>
  pattern === "none" || pattern.search(secretParts) >= 0
    ? pattern.replaceAll(secretParts, redactedText)
    : redactText(path).slice(0, pathLengthMax)
