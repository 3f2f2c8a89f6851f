/**
 * What every request meets before its route and every response after it: a request id, one address for `/v1` and
 * `/api/v1`, a size limit, and the error envelope around whatever no route has answered (spec: General rules, 3;
 * Errors; silences: G6, G8).
 */
import { Api } from "@coffer/contract/Api"
import * as Wire from "@coffer/contract/Errors"
import { OperatorApi } from "@coffer/contract/Operator"
import { prefixes } from "@coffer/model/Ids"
import { requestBodyBytesMax } from "@coffer/model/Limits"
import { ByteSize, Cause, Clock, Context, Effect, Layer, Option, References, Schema } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { NewIds } from "../ground/NewIds.ts"
import * as ApiLogging from "./ApiLogging.ts"
import * as ClientAddress from "./clientAddress.ts"
import { CurrentRecord, type RequestRecord } from "./CurrentRequest.ts"
import { Draining } from "./Draining.ts"
import * as Metrics from "./Metrics.ts"
import { asProblem } from "./problem.ts"

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const ids = yield* NewIds
    const draining = yield* Draining
    const logCall = yield* ApiLogging.make
    const clientAddress = yield* ClientAddress.make

    return HttpRouter.middleware(
      (route) =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          const requestId = yield* ids.next(prefixes.request)
          const arrived = yield* Clock.currentTimeMillis
          const at = routed(request)
          const ip = clientAddress(Option.getOrUndefined(request.remoteAddress), request.headers["x-forwarded-for"])
          const record: RequestRecord = { requestId, owner: undefined, path: pathOf(at), ip }
          // No path ends so: a parameter without a character names nothing (silences: G15).
          const reached =
            record.path === "/" || !record.path.endsWith("/") ? route : Effect.succeed(notFound(at, requestId))
          const response = yield* reached.pipe(
            Effect.map((answer) => fitted(answer, requestId)),
            Effect.catchCause((cause) => fallback(cause, request, requestId)),
            // All at once: each context that is provided by itself costs every request some microseconds.
            Effect.updateContext((context: Context.Context<never>) =>
              context.pipe(
                Context.add(HttpServerRequest.HttpServerRequest, at),
                Context.add(HttpIncomingMessage.MaxBodySize, bodyMax),
                Context.add(CurrentRecord, record),
                Context.add(References.CurrentLogAnnotations, {
                  ...Context.get(context, References.CurrentLogAnnotations),
                  request_id: requestId
                })
              )
            )
          )
          const asked = asProblem(response, request.headers["accept"])
          const named = HttpServerResponse.setHeaders(asked, { "x-request-id": requestId, ...record.headers })
          const answered = yield* Clock.currentTimeMillis
          yield* Metrics.count(request.method, response.status, answered - arrived)
          yield* logCall({ request: at, record, requestId, arrived, answered, response })
          // A connection that stays open would hold up the end.
          return draining.now ? HttpServerResponse.setHeader(named, "connection", "close") : named
        }),
      { global: true }
    )
  })
)

const bodyMax = ByteSize.bytes(requestBodyBytesMax)

/**
 * `{web_url}/api/v1/...` is `{base_url}/v1/...`. The router would end the path at a `;`, which in a segment is a
 * character like another (RFC 3986, 3.3).
 */
const routed = (request: HttpServerRequest.HttpServerRequest) => {
  const url = request.url
    .replace(/^\/api(?=\/v1(\/|\?|$))/, "")
    .replace(/^[^?#]*/, (path) => path.replaceAll(";", "%3B"))
  return url === request.url ? request : request.modify({ url })
}

const pathOf = ({ url }: HttpServerRequest.HttpServerRequest) => url.replace(/\?.*$/s, "")

// The framework's own refusals have no body of ours: a media type or a size that no endpoint takes.
const fitted = (response: HttpServerResponse.HttpServerResponse, request_id: string) => {
  switch (response.status) {
    case 413:
      return tooLarge(request_id)
    case 415:
      return refused(
        Wire.InvalidRequest,
        new Wire.InvalidRequest({
          message: "Send a JSON body with Content-Type: application/json; a file, as multipart/form-data.",
          request_id
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

const tooLarge = (request_id: string) =>
  refused(
    Wire.InvalidRequest,
    new Wire.InvalidRequest({ message: `The body is larger than ${requestBodyBytesMax} bytes.`, request_id })
  )

const fallback = <E>(
  cause: Cause.Cause<E>,
  request: HttpServerRequest.HttpServerRequest,
  request_id: string
): Effect.Effect<HttpServerResponse.HttpServerResponse, E> => {
  if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
  const error = Cause.squash(cause)
  if (error instanceof HttpServerError.HttpServerError) {
    if (error.reason._tag === "RouteNotFound") return Effect.succeed(notFound(request, request_id))
    // The body could not be read: too large, or the sender went away.
    if (error.reason._tag === "RequestParseError") return Effect.succeed(tooLarge(request_id))
  }
  return Effect.as(
    Effect.logError("a request failed", cause),
    refused(Wire.InternalError, new Wire.InternalError({ message: "Internal error.", request_id }))
  )
}

const notFound = (request: HttpServerRequest.HttpServerRequest, request_id: string) => {
  const path = pathOf(routed(request))
  const allowed = routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
  const response = refused(
    Wire.RouteNotFound,
    new Wire.RouteNotFound({ message: `${request.method} ${path} is not an endpoint.`, request_id })
  )
  // A path that does not decode is no endpoint, whatever the method.
  return allowed.length === 0 || allowed.includes(request.method as (typeof allowed)[number])
    ? response
    : HttpServerResponse.setHeader(response, "allow", [...new Set(allowed)].join(", "))
}

const refused = <S extends Schema.Top & { readonly EncodingServices: never }>(schema: S, error: S["Type"]) => {
  const body = Schema.encodeUnknownSync(schema)(error) as { readonly code: number }
  return HttpServerResponse.jsonUnsafe(body, { status: body.code })
}

interface Routes {
  readonly groups: Readonly<
    Record<string, { readonly endpoints: Readonly<Record<string, { readonly method: string; readonly path: string }>> }>
  >
}

/** Methods by path, for the `Allow` header. */
const routesOf = (api: Routes) =>
  Object.values(api.groups).flatMap((group) =>
    Object.values(group.endpoints).map(({ method, path }) => ({
      method,
      pattern: new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}/?$`)
    }))
  )
const routes = [...routesOf(Api), ...routesOf(OperatorApi)]
