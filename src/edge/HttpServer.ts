/**
 * The HTTP server of the service: requests begin in the order of their connection and in fair turns, plain calls by the
 * short path. It listens at one port, or at two with the same limits (`ports.ts`).
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer, Scope } from "effect"
import { HttpServer } from "effect/http"
import { type Place, Settings } from "../platform/runtime/Settings.ts"
import * as Arrivals from "./Arrivals.ts"
import { closingGently, drainMillis } from "./Draining.ts"
import * as Listener from "./Listener.ts"
import type { PortKind } from "./ports.ts"
import { inOrder } from "./pipelining.ts"

const server = Effect.gen(function* () {
  const { admin, host, port } = yield* Settings
  const inTurn = yield* Arrivals.make
  const listener = yield* Listener.make
  const listen = (portKind: PortKind, place: Place) =>
    NodeHttpServer.make(() => inOrder(inTurn(closingGently(listener()), portKind)), {
      host: place.host,
      port: place.port,
      backlog: Listener.backlog,
      gracefulShutdownTimeout: drainMillis
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
