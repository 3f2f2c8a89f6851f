/** The HTTP server of the service: plain calls take the short path, all others the framework's. */
import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { Settings } from "../platform/runtime/Settings.ts"
import { closingGently, drainMillis } from "./Draining.ts"
import * as Listener from "./Listener.ts"
import { before, ShortPath } from "./ShortPath.ts"

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const { host, port } = yield* Settings
    const shortPath = yield* ShortPath
    const listener = yield* Listener.make
    return NodeHttpServer.layer(() => before(closingGently(listener()), shortPath), {
      host,
      port,
      backlog: Listener.backlog,
      gracefulShutdownTimeout: drainMillis
    })
  })
)
