/**
 * The HTTP port of a process that may not use its database yet. `/readyz` says why, and everything else is refused.
 */
import * as Wire from "@coffer/contract/Errors"
import { prefixes } from "@coffer/model/Ids"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Effect, Layer } from "effect"
import { HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as NewIds from "../platform/runtime/NewIds.ts"
import { type Place, Settings } from "../platform/runtime/Settings.ts"
import { type PortKind, isAnsweredAt } from "./ports.ts"
import * as Listener from "./Listener.ts"
import { inOrder } from "./pipelining.ts"
import { refusalOf } from "../http/replies.ts"
import { routeAt } from "./routes.ts"
import { pathOf } from "./routing.ts"

/** Serves until it is interrupted. */
export const serve = Effect.fnUntraced(function* (reason: string) {
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
      return HttpServerResponse.setHeaders(isHere ? answerTo(path, request_id) : notHere(path, request_id), {
        "x-request-id": request_id,
        "cache-control": "no-store"
      })
    })
  const listen = (portKind: PortKind, place: Place) =>
    HttpServer.serve(answerAt(portKind)).pipe(
      Layer.provide(NodeHttpServer.layer(() => inOrder(listener()), { ...place, gracefulShutdownTimeout: 1_000 }))
    )
  yield* Layer.build(listen(admin === undefined ? "both" : "public", { host, port }))
  if (admin !== undefined) yield* Layer.build(listen("admin", admin))
  return yield* Effect.never
}, Effect.scoped)

const notHere = (path: string, request_id: string) =>
  refusalOf(new Wire.RouteNotFound({ message: `${path} is not an endpoint.`, request_id }))
