/**
 * Node's HTTP server with our limits: how long a client may take, how many may be connected, and who answers what Node
 * cannot read.
 */
import { createServer } from "node:http"
import { NodeHttpServer } from "@effect/platform-node"
import { Duration, Effect, Layer } from "effect"
import { Settings } from "../platform/runtime/Settings.ts"
import { closingGently, drainMillis } from "./Draining.ts"
import { before, ShortPath } from "./ShortPath.ts"
import { answerUnreadable } from "./Unreadable.ts"

/** Of Node's server; times are milliseconds. */
const serverOptions = {
  /** Clients are told the first, and have the second to hear that it is over, however busy they are. */
  keepAliveTimeout: 65_000,
  keepAliveTimeoutBuffer: 10_000,
  /** Head and body: a file of 10 MB at 280 kbit/s. Node looks every so often, so it may be a little more. */
  requestTimeout: 300_000,
  /** The head alone, which is 16 kB at most (Node's own limit) and sent before anybody has shown a key. */
  headersTimeout: 20_000,
  connectionsCheckingInterval: 5_000,
  /** We refuse a request without a host ourselves, in the envelope. */
  requireHostHeader: false
}

/**
 * Connections that wait until the process accepts them. Node's own 511 overflow when a thousand clients come at once,
 * and the kernel then resets some of them.
 */
const backlog = 4_096

/** A connection takes some 20 kB while it is idle. Node closes a connection that comes above this number. */
const connectionsMax = 10_000

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const { clientPatience, host, port } = yield* Settings
    const unreadable = yield* answerUnreadable
    const shortPath = yield* ShortPath
    const listener = () => {
      const server = before(closingGently(createServer(serverOptions)), shortPath)
      server.maxConnections = connectionsMax
      return (
        server
          .setTimeout(Duration.toMillis(clientPatience))
          .on("clientError", unreadable)
          .on("connect", (_, socket) => unreadable(new Error("not a proxy"), socket))
          // Node would refuse it without an envelope.
          .on("checkExpectation", (request, response) => server.emit("request", request, response))
      )
    }
    return NodeHttpServer.layer(listener, { host, port, backlog, gracefulShutdownTimeout: drainMillis })
  })
)
