/**
 * Node's server with our limits, for the service (`HttpServer.ts`) and for a process that waits for its turn
 * (`Waiting.ts`). What never becomes a request is answered here.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { Duration, Effect } from "effect"
import { Settings } from "../platform/runtime/Settings.ts"
import { SteadyRequest } from "./SteadyRequest.ts"
import * as Unreadable from "./Unreadable.ts"

/** Of Node's server; times are milliseconds. */
const options = {
  IncomingMessage: SteadyRequest,
  /** Clients are told the first. The server waits longer by the second, so that a busy client closes before it. */
  keepAliveTimeout: 65_000,
  keepAliveTimeoutBuffer: 10_000,
  /** Head and body: a file of 10 MB at 280 kbit/s. Node looks every so often, so it may be a little more. */
  requestTimeout: 300_000,
  /** The head alone, which is 16 kB at most (Node's own limit) and sent before anybody has shown a key. */
  headersTimeout: 20_000,
  connectionsCheckingInterval: 5_000,
  /** We refuse a request without a host ourselves, in the envelope. */
  requireHostHeader: false,
  /** Node would keep the first of two that may be there once, such as Host or Content-Type, and hide the other. */
  joinDuplicateHeaders: true,
  /** No protocol is changed here: a request that asks for it is answered as any other, in its turn. */
  shouldUpgradeCallback: () => false
}

/**
 * Connections that wait until the process accepts them. Node's own 511 overflow when a thousand clients come at once,
 * and the kernel then resets some of them.
 */
export const backlog = 4_096

export const make = Effect.gen(function* () {
  const { clientPatience } = yield* Settings
  const { clientError, connect } = yield* Unreadable.make

  return (): Server => {
    const server = keepUntilServed(createServer(options))
    return (
      server
        .setTimeout(Duration.toMillis(clientPatience))
        .on("clientError", clientError)
        .on("connect", connect)
        // Node would refuse it without an envelope.
        .on("checkExpectation", (request, response) => server.emit("request", request, response))
    )
  }
})

/**
 * The server listens before the service is built, and hears requests when it is. One that comes in between waits for
 * that: Node would take it from the connection and never answer.
 */
const keepUntilServed = (server: Server): Server => {
  const kept: Array<readonly [IncomingMessage, ServerResponse]> = []
  const keep = (request: IncomingMessage, response: ServerResponse) => void kept.push([request, response])
  const serve = (event: string, listener: (...given: ReadonlyArray<unknown>) => void) => {
    if (event !== "request" || listener === keep) return
    server.off("newListener", serve).off("request", keep)
    // After Effect's server has all of its listeners.
    setImmediate(() => {
      for (const [request, response] of kept.splice(0)) if (!response.destroyed) listener(request, response)
    })
  }
  return server.on("request", keep).on("newListener", serve)
}
