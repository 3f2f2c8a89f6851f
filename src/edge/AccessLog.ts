/**
 * A line in the log for each answer, where ACCESS_LOG asks for it: method, route, path, status, how long it took, who
 * asked. ACCESS_LOG_SAMPLE says which share of the answers below 500 is written; the others are all written. A path is
 * redacted as in an API log, and a token in it is never shown. A line never holds a query, a header or a body.
 */
import { redactedText, redactText } from "@coffer/rules/redaction"
import { Effect } from "effect"
import type { RequestRecord } from "../http/CurrentRequest.ts"
import { Settings } from "../platform/runtime/Settings.ts"
import type { Route } from "./routes.ts"

interface Answer {
  readonly route: Route
  readonly status: number
  readonly millis: number
}

type LogAccess = (record: RequestRecord, answer: Answer) => Effect.Effect<void>

/** The failures of the service itself. */
const failureMin = 500

/** Undefined where nobody asks for it. */
export const make: Effect.Effect<LogAccess | undefined, never, Settings> = Effect.map(Settings, ({ accessLog }) => {
  if (accessLog === undefined) return undefined
  const isSampled = makeSample(accessLog.share)
  return ({ ip, method, account, path, requestId }, { millis, route, status }) => {
    // Each answer moves the sample on.
    const sampled = isSampled()
    if (!sampled && status < failureMin) return Effect.void
    const shown = pathOf(path, route)
    return Effect.annotateLogs(Effect.logInfo(`${method} ${shown} ${status}`), {
      request_id: requestId,
      method,
      route: route.pattern,
      path: shown,
      status,
      duration_ms: Math.round(millis),
      ip: ip ?? "",
      ...(account === undefined ? {} : { merchant_id: account.merchantId, mode: account.mode })
    })
  }
})

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
const pathOf = (path: string, { pattern }: Route): string =>
  pattern === "none" || pattern.search(secretParts) >= 0
    ? pattern.replaceAll(secretParts, redactedText)
    : redactText(path).slice(0, pathLengthMax)
