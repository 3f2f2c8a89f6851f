/**
 * The HTTP port of a process that may not use its database yet. `/readyz` says why, and everything else is refused.
 */
import * as Wire from "@coffer/contract/Errors"
import { prefixes } from "@coffer/model/Ids"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Effect, Layer } from "effect"
import { HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as NewIds from "../platform/runtime/NewIds.ts"
import { Settings } from "../platform/runtime/Settings.ts"
import * as Listener from "./Listener.ts"
import { inOrder } from "./pipelining.ts"
import { refusalOf } from "../http/replies.ts"
import { pathOf } from "./routing.ts"

/** Serves until it is interrupted. */
export const serve = Effect.fnUntraced(function* (reason: string) {
  const { host, port } = yield* Settings
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
  const answer = Effect.gen(function* () {
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const request_id = yield* ids.next(prefixes.request)
    return HttpServerResponse.setHeaders(answerTo(pathOf(url), request_id), {
      "x-request-id": request_id,
      "cache-control": "no-store"
    })
  })
  yield* Layer.build(
    HttpServer.serve(answer).pipe(
      Layer.provide(NodeHttpServer.layer(() => inOrder(listener()), { host, port, gracefulShutdownTimeout: 1_000 }))
    )
  )
  return yield* Effect.never
}, Effect.scoped)
