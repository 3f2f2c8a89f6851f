/**
 * A line in the log for each answer, where ACCESS_LOG asks for it: method, route, path, status, how long it took, who
 * asked. Of answers below 500 it writes the share that ACCESS_LOG_SAMPLE says, and of the others all. A path loses what
 * it would lose in an API log, and what stands in it for a token is not shown at all. There is never a query, a header
 * or a body in it.
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
  return ({ ip, method, owner, path, requestId }, { millis, route, status }) => {
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
      ...(owner === undefined ? {} : { merchant_id: owner.merchantId, mode: owner.mode })
    })
  }
})

/** Every so many, evenly, without dice: 0.25 is every fourth. */
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

/** Of an address that gives access, its pattern. Where no route is, nobody knows what is written in it. */
const pathOf = (path: string, { pattern }: Route): string =>
  pattern === "none" || pattern.search(secretParts) >= 0
    ? pattern.replaceAll(secretParts, redactedText)
    : redactText(path).slice(0, pathLengthMax)
