/**
 * How every request begins and every response ends, whichever way leads from one to the other: a request id, the error
 * envelope around whatever no route has answered, the log, the metrics (spec: General rules, 3; Errors).
 */
import * as Wire from "@coffer/contract/Errors"
import { prefixes } from "@coffer/model/Ids"
import { Cause, Context, Effect, Option, References } from "effect"
import { HttpServerError, type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { LoggedBody } from "../logs/logRow.ts"
import { currentMillis } from "../platform/runtime/clock.ts"
import { NewIds } from "../platform/runtime/NewIds.ts"
import { isDatabaseTrouble } from "../platform/postgres/trouble.ts"
import { Merchants } from "../merchants/Merchants.ts"
import { Admission } from "../http/Admission.ts"
import * as ApiLogging from "./ApiLogging.ts"
import type { Body } from "../http/Body.ts"
import * as ClientAddress from "./clientAddress.ts"
import { CurrentRecord, type RequestRecord } from "../http/CurrentRequest.ts"
import { Draining } from "./Draining.ts"
import * as Metrics from "./Metrics.ts"
import { asProblem } from "../http/problem.ts"
import { kindOf } from "./Quotas.ts"
import { busyMessage, isRefusal, refusalOf } from "../http/replies.ts"
import { methodsAt, type Route } from "./routes.ts"
import { pathOf, undecodable } from "./routing.ts"

/** A request as it came, with the address that routes know. */
export interface Asked extends Pick<RequestRecord, "method" | "url" | "sent" | "behind"> {
  /** Looked up by the method and the address. */
  readonly at: Route
  /** The other end of the connection. */
  readonly peer: string | undefined
  readonly body: Body
  /** The body for the log; looked at when the answer is made. */
  readonly logged: Effect.Effect<LoggedBody>
  /** Whether anybody waits for the answer still. */
  readonly isConnected: () => boolean
  /** Once the answer is begun. */
  record?: RequestRecord
}

/** Smaller answers are not counted while nobody reads them: a socket's own buffers hold as much. */
const unreadMin = 16_384

type Own = <Services>(context: Context.Context<Services>) => Context.Context<Services>

/**
 * Answers a request by a route, which may need what `own` adds to the context. To be run uninterruptible, with a route
 * that is not; fails only if that was interrupted because its client has left.
 */
type Answer = <E, R>(
  asked: Asked,
  route: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  own?: Own
) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

export const make = Effect.gen(function* () {
  const ids = yield* NewIds
  const draining = yield* Draining
  const logCall = yield* ApiLogging.make
  const clientAddress = yield* ClientAddress.make
  const admission = yield* Admission
  const merchants = yield* Merchants

  /** An address that is none of ours is logged for the merchant whose key it came with (silences: A4, G14). */
  const noteOwner = (record: RequestRecord) =>
    Effect.map(merchants.byKey(record.sent["x-api-key"] ?? ""), (owner) => {
      if (Option.isNone(owner)) return
      const { merchant, mode } = owner.value
      record.owner = { merchantId: merchant.merchant_id, mode }
    })

  /** The same answer for everybody; only under `/v1` are there keys to look at. */
  const noRoute = (record: RequestRecord) => {
    record.visit ??= admission.enter("public", record.ip, kindOf(record), record.behind)
    if (record.visit === undefined) return Effect.succeed(unavailable(record))
    return record.sent["x-api-key"] !== undefined && /^\/v1(\/|$)/.test(record.path)
      ? Effect.as(Effect.exit(noteOwner(record)), notFound(record))
      : Effect.succeed(notFound(record))
  }

  /** What the request has taken up is free again. For who has sent the answer, or has nobody to send it to. */
  const leave = ({ record }: Asked) => {
    if (record?.visit === undefined) return
    admission.leave(record.visit)
    record.visit = undefined
  }

  const answer: Answer = Effect.fnUntraced(function* <E, R>(
    asked: Asked,
    route: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
    own?: Own
  ) {
    const { at, behind, body, logged, method, peer, sent, url } = asked
    const record: RequestRecord = {
      requestId: yield* ids.next(prefixes.request),
      arrived: yield* currentMillis,
      method,
      url,
      path: pathOf(url),
      sent,
      text: body.text,
      ip: clientAddress(peer, sent["x-forwarded-for"]),
      behind,
      owner: undefined,
      visit: undefined,
      quotas: {}
    }
    asked.record = record
    const response = yield* route.pipe(
      Effect.map((response) => fitted(response, record)),
      Effect.catchCause((cause) => (isNoRoute(cause) ? noRoute(record) : fallback(cause, asked, record))),
      // All at once: each context that is provided by itself costs every request some microseconds.
      Effect.updateContext((context: Context.Context<R>) => {
        const told = context.pipe(
          Context.add(CurrentRecord, record),
          Context.add(References.CurrentLogAnnotations, {
            ...Context.get(context, References.CurrentLogAnnotations),
            request_id: record.requestId
          })
        )
        return own === undefined ? told : own(told)
      })
    )
    const size = response.body._tag === "Uint8Array" ? response.body.contentLength : 0
    if (size > unreadMin && record.visit !== undefined) admission.owe(record.visit, size)
    const answered = yield* currentMillis
    yield* Metrics.count(method, at, response.status, answered - record.arrived)
    const taken = logCall(record, { answered, response, body: logged })
    // A body that nobody has read may still be on its way.
    if (body.isTouched() || record.owner === undefined) yield* taken
    else {
      yield* taken.pipe(
        Effect.provideService(CurrentRecord, record),
        Effect.ensuring(Effect.sync(() => leave(asked))),
        Effect.forkDetach({ startImmediately: true })
      )
    }
    return HttpServerResponse.setHeaders(asProblem(response, sent["accept"]), {
      "x-request-id": record.requestId,
      // Answers carry keys, secrets and tokens of the checkout.
      "cache-control": response.headers["cache-control"] ?? "no-store",
      ...record.headers,
      // A connection that stays open would hold up the end.
      ...(draining.now ? { connection: "close" } : {})
    })
  })

  return { answer, leave }
})

// The framework's own refusals have no body of ours: a media type or a size that no endpoint takes.
const fitted = (response: HttpServerResponse.HttpServerResponse, record: RequestRecord) => {
  switch (response.status) {
    case 415:
      return refusalOf(
        new Wire.InvalidRequest({
          message: "Send a JSON body with Content-Type: application/json; a file, as multipart/form-data.",
          request_id: record.requestId
        })
      )
    case 503:
    case 429:
      return response.headers["retry-after"] === undefined
        ? HttpServerResponse.setHeader(response, "retry-after", "1")
        : response
    default:
      return response
  }
}

const fallback = <E>(
  cause: Cause.Cause<E>,
  asked: Asked,
  record: RequestRecord
): Effect.Effect<HttpServerResponse.HttpServerResponse, E> => {
  const { requestId: request_id } = record
  if (Cause.hasInterruptsOnly(cause)) {
    // The client has left, or the service ends, or another runner did in the middle of what it was asked.
    return asked.isConnected() ? Effect.succeed(unavailable(record)) : Effect.failCause(cause)
  }
  const error = Cause.squash(cause)
  if (isRefusal(error)) return Effect.succeed(fitted(refusalOf(error), record))
  if (isDatabaseTrouble(error)) return Effect.succeed(unavailable(record))
  if (isUnread(error)) {
    return Effect.succeed(refusalOf(new Wire.InvalidRequest({ message: "The body did not arrive whole.", request_id })))
  }
  return Effect.as(
    Effect.logError("a request failed", cause),
    refusalOf(new Wire.InternalError({ message: "Internal error.", request_id }))
  )
}

/** Nothing is known to be wrong with the request: it may be sent again. */
const unavailable = (record: RequestRecord) =>
  fitted(refusalOf(new Wire.Unavailable({ message: busyMessage, request_id: record.requestId })), record)

const isNoRoute = <E>(cause: Cause.Cause<E>): boolean => {
  const error = Cause.squash(cause)
  return error instanceof HttpServerError.HttpServerError && error.reason._tag === "RouteNotFound"
}
const isUnread = (error: unknown): boolean =>
  error instanceof HttpServerError.HttpServerError && error.reason._tag === "RequestParseError"

/** The answer of no route at all. */
export const noSuchRoute = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.die(new HttpServerError.HttpServerError({ reason: new HttpServerError.RouteNotFound({ request }) }))

const notFound = ({ method, path, requestId: request_id }: RequestRecord) => {
  if (Option.isNone(decoded(path))) return refusalOf(new Wire.InvalidRequest({ message: undecodable, request_id }))
  const allowed = methodsAt(path)
  const response = refusalOf(new Wire.RouteNotFound({ message: `${method} ${path} is not an endpoint.`, request_id }))
  // Where the method is right, what it asks for is not there.
  return allowed.length === 0 || allowed.includes(method)
    ? response
    : HttpServerResponse.setHeader(response, "allow", allowed.join(", "))
}
const decoded = Option.liftThrowable(decodeURIComponent)
