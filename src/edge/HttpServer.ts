/**
 * The HTTP server of the service: requests begin in the order of their connection and in fair turns, plain calls by the
 * short path.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import { Settings } from "../platform/runtime/Settings.ts"
import * as Arrivals from "./Arrivals.ts"
import { closingGently, drainMillis } from "./Draining.ts"
import * as Listener from "./Listener.ts"
import { inOrder } from "./pipelining.ts"

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const { host, port } = yield* Settings
    const inTurn = yield* Arrivals.make
    const listener = yield* Listener.make
    return NodeHttpServer.layer(() => inOrder(inTurn(closingGently(listener()))), {
      host,
      port,
      backlog: Listener.backlog,
      gracefulShutdownTimeout: drainMillis
    })
  })
)
