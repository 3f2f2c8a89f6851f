/**
 * How every request begins and every response ends, whichever way leads from one to the other: a request id, the error
 * envelope around whatever no route has answered, the log, the metrics (spec: General rules, 3; Errors).
 */
import { Api } from "@coffer/contract/Api"
import * as Wire from "@coffer/contract/Errors"
import { OperatorApi } from "@coffer/contract/Operator"
import { prefixes } from "@coffer/model/Ids"
import { requestBodyBytesMax } from "@coffer/model/Limits"
import { Cause, Context, Effect, References } from "effect"
import { HttpServerError, HttpServerResponse } from "effect/http"
import type { LoggedBody } from "../logs/Logs.ts"
import { currentMillis } from "../ground/clock.ts"
import { NewIds } from "../ground/NewIds.ts"
import * as ApiLogging from "./ApiLogging.ts"
import * as ClientAddress from "./clientAddress.ts"
import { CurrentRecord, type RequestRecord } from "./CurrentRequest.ts"
import { Draining } from "./Draining.ts"
import * as Metrics from "./Metrics.ts"
import { asProblem } from "./problem.ts"
import { isRefusal, refusalOf } from "./replies.ts"
import { pathOf } from "./routing.ts"

/** A request as it came, with the address that routes know. */
export interface Asked extends Pick<RequestRecord, "method" | "url" | "sent" | "text"> {
  /** The other end of the connection. */
  readonly peer: string | undefined
  /** The body for the log; looked at when the answer is made. */
  readonly logged: Effect.Effect<LoggedBody>
}

type Own = <Services>(context: Context.Context<Services>) => Context.Context<Services>

/** Answers a request by a route, which may need what `own` adds to the context. Fails only if it is interrupted. */
export type Answer = <E, R>(
  asked: Asked,
  route: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  own?: Own
) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

export const make = Effect.gen(function* () {
  const ids = yield* NewIds
  const draining = yield* Draining
  const logCall = yield* ApiLogging.make
  const clientAddress = yield* ClientAddress.make

  const answer: Answer = Effect.fnUntraced(function* <E, R>(
    asked: Asked,
    route: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
    own?: Own
  ) {
    const { logged, method, peer, sent, text, url } = asked
    const record: RequestRecord = {
      requestId: yield* ids.next(prefixes.request),
      arrived: yield* currentMillis,
      method,
      url,
      path: pathOf(url),
      sent,
      text,
      ip: clientAddress(peer, sent["x-forwarded-for"]),
      owner: undefined,
      quotas: {}
    }
    const response = yield* route.pipe(
      Effect.map((response) => fitted(response, record)),
      Effect.catchCause((cause) => fallback(cause, record)),
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
    const answered = yield* currentMillis
    yield* Metrics.count(method, response.status, answered - record.arrived)
    yield* logCall(record, { answered, response, body: logged })
    return HttpServerResponse.setHeaders(asProblem(response, sent["accept"]), {
      "x-request-id": record.requestId,
      // Answers carry keys, secrets and tokens of the checkout.
      "cache-control": response.headers["cache-control"] ?? "no-store",
      ...record.headers,
      // A connection that stays open would hold up the end.
      ...(draining.now ? { connection: "close" } : {})
    })
  })
  return answer
})

// The framework's own refusals have no body of ours: a media type or a size that no endpoint takes.
const fitted = (response: HttpServerResponse.HttpServerResponse, record: RequestRecord) => {
  switch (response.status) {
    case 413:
      return tooLarge(record)
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

const tooLarge = ({ requestId: request_id }: RequestRecord) =>
  refusalOf(new Wire.InvalidRequest({ message: `The body is larger than ${requestBodyBytesMax} bytes.`, request_id }))

const fallback = <E>(
  cause: Cause.Cause<E>,
  record: RequestRecord
): Effect.Effect<HttpServerResponse.HttpServerResponse, E> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
  const error = Cause.squash(cause)
  if (isRefusal(error)) return Effect.succeed(fitted(refusalOf(error), record))
  if (error instanceof HttpServerError.HttpServerError) {
    if (error.reason._tag === "RouteNotFound") return Effect.succeed(notFound(record))
    // The body could not be read: too large, or the sender went away.
    if (error.reason._tag === "RequestParseError") return Effect.succeed(tooLarge(record))
  }
  return Effect.as(
    Effect.logError("a request failed", cause),
    refusalOf(new Wire.InternalError({ message: "Internal error.", request_id: record.requestId }))
  )
}

/** The answer of no route at all. */
export const noSuchRoute = Effect.map(CurrentRecord, (record) => notFound(record))

const notFound = ({ method, path, requestId: request_id }: RequestRecord) => {
  const allowed = routes.filter(({ pattern }) => pattern.test(path)).map((route) => route.method)
  const response = refusalOf(new Wire.RouteNotFound({ message: `${method} ${path} is not an endpoint.`, request_id }))
  // A path that does not decode is no endpoint, whatever the method.
  return allowed.length === 0 || allowed.includes(method)
    ? response
    : HttpServerResponse.setHeader(response, "allow", [...new Set(allowed)].join(", "))
}

interface Routes {
  readonly groups: Readonly<
    Record<string, { readonly endpoints: Readonly<Record<string, { readonly method: string; readonly path: string }>> }>
  >
}

/** Methods by path, for the `Allow` header. What answers GET answers HEAD. */
const routesOf = (api: Routes) =>
  Object.values(api.groups).flatMap((group) =>
    Object.values(group.endpoints).flatMap(({ method, path }) => {
      const pattern = new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}/?$`)
      return (method === "GET" ? ["GET", "HEAD"] : [method]).map((method) => ({ method, pattern }))
    })
  )
const routes = [...routesOf(Api), ...routesOf(OperatorApi)]
