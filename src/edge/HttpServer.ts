/**
 * The HTTP port of the service: requests begin in the order of their connection and in fair turns, plain calls by the
 * short path. It listens at one port, or at two with the same limits. A process that may not use its database yet has
 * the same port: there `/readyz` says why, and everything else is refused.
 */
import * as Wire from "@coffer/contract/Errors"
import { prefixes } from "@coffer/model/Ids"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Effect, Layer, Scope } from "effect"
import { HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { refusalOf } from "../http/replies.ts"
import * as NewIds from "../platform/runtime/NewIds.ts"
import { type Place, Settings } from "../platform/runtime/Settings.ts"
import * as Arrivals from "./Arrivals.ts"
import * as Listener from "./Listener.ts"
import { isAnsweredAt, pathOf, type PortKind, routeAt } from "./routes.ts"

const server = Effect.gen(function* () {
  const { admin, host, port } = yield* Settings
  const inTurn = yield* Arrivals.make
  const listener = yield* Listener.make
  const listen = (portKind: PortKind, place: Place) =>
    NodeHttpServer.make(() => Listener.inOrder(inTurn(Listener.closingGently(listener()), portKind)), {
      host: place.host,
      port: place.port,
      backlog: Listener.backlog,
      gracefulShutdownTimeout: Listener.drainMillis
    })
  const open = yield* listen(admin === undefined ? "both" : "public", { host, port })
  if (admin === undefined) return open

  const inner = yield* listen("admin", admin)
  return HttpServer.HttpServer.of({
    address: open.address,
    serve: Effect.fnUntraced(function* (app: never, middleware: never) {
      // Both drain at the same time.
      const scope = yield* Scope.fork(yield* Effect.scope, "parallel")
      yield* Scope.provide(Effect.all([open.serve(app, middleware), inner.serve(app, middleware)]), scope)
    }) as HttpServer.HttpServer["Service"]["serve"]
  })
})

export const layer = Layer.merge(Layer.effect(HttpServer.HttpServer, server), NodeHttpServer.layerHttpServices)

// While the process waits --------------------------------------------------------

/** Serves until it is interrupted. */
export const serveWaiting = Effect.fnUntraced(function* (reason: string) {
  const { admin, host, port } = yield* Settings
  const own = yield* Layer.build(NewIds.layer)
  const listener = yield* Effect.provideContext(Listener.make, own)
  const ids = Context.get(own, NewIds.NewIds)

  const answerTo = (path: string, request_id: string) => {
    switch (path) {
      case "/healthz":
        return HttpServerResponse.jsonUnsafe({ status: "ok" })
      case "/readyz":
        return HttpServerResponse.jsonUnsafe({ status: "not ready", reason }, { status: 503 })
      default:
        return HttpServerResponse.setHeader(
          refusalOf(new Wire.Unavailable({ message: reason, request_id })),
          "retry-after",
          "5"
        )
    }
  }
  const answerAt = (portKind: PortKind) =>
    Effect.gen(function* () {
      const { url } = yield* HttpServerRequest.HttpServerRequest
      const request_id = yield* ids.next(prefixes.request)
      const path = pathOf(url)
      const isHere = isAnsweredAt(portKind, routeAt("GET", url))
      return HttpServerResponse.setHeaders(isHere ? answerTo(path, request_id) : answerNotHere(path, request_id), {
        "x-request-id": request_id,
        "cache-control": "no-store"
      })
    })
  const listen = (portKind: PortKind, place: Place) =>
    HttpServer.serve(answerAt(portKind)).pipe(
      Layer.provide(
        NodeHttpServer.layer(() => Listener.inOrder(listener()), { ...place, gracefulShutdownTimeout: 1_000 })
      )
    )
  yield* Layer.build(listen(admin === undefined ? "both" : "public", { host, port }))
  if (admin !== undefined) yield* Layer.build(listen("admin", admin))
  return yield* Effect.never
}, Effect.scoped)

const answerNotHere = (path: string, request_id: string) =>
  refusalOf(new Wire.RouteNotFound({ message: `${path} is not an endpoint.`, request_id }))
