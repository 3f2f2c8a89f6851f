/**
 * The HTTP port of a process that may not use its database yet: it says why on `/readyz`, and refuses everything else
 * until it may.
 */
import { createServer } from "node:http"
import * as Wire from "@coffer/contract/Errors"
import { prefixes } from "@coffer/model/Ids"
import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as NewIds from "../platform/runtime/NewIds.ts"
import { Settings } from "../platform/runtime/Settings.ts"
import { refusalOf } from "../http/replies.ts"
import { pathOf } from "./routing.ts"

/** Open for as long as it is not interrupted. */
export const serve = Effect.fnUntraced(function* (reason: string) {
  const { host, port } = yield* Settings
  const ids = yield* Layer.build(NewIds.layer)
  const answer = Effect.gen(function* () {
    const { url } = yield* HttpServerRequest.HttpServerRequest
    switch (pathOf(url)) {
      case "/healthz":
        return HttpServerResponse.jsonUnsafe({ status: "ok" })
      case "/readyz":
        return HttpServerResponse.jsonUnsafe({ status: "not ready", reason }, { status: 503 })
      default: {
        const request_id = yield* (yield* NewIds.NewIds).next(prefixes.request)
        return HttpServerResponse.setHeaders(refusalOf(new Wire.Unavailable({ message: reason, request_id })), {
          "retry-after": "5",
          "x-request-id": request_id
        })
      }
    }
  }).pipe(Effect.provideContext(ids))
  yield* Layer.build(
    HttpServer.serve(answer).pipe(
      Layer.provide(NodeHttpServer.layer(() => createServer(), { host, port, gracefulShutdownTimeout: 1_000 }))
    )
  )
  return yield* Effect.never
}, Effect.scoped)
