/**
 * Where requests arrive, before anything is known of them but their heads. Probes begin at once. The others begin in
 * fair turns (`FairQueue.ts`): each merchant's reads and writes, the operator's, and those of each address of the
 * public are lines of their own. The short path is asked first, and then the framework.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { Effect, Metric } from "effect"
import { elapsedMillis } from "../platform/runtime/realTime.ts"
import { Operators } from "../operators/Operators.ts"
import { Merchants } from "../merchants/Merchants.ts"
import { addressParty } from "../http/addressParty.ts"
import * as ClientAddress from "./clientAddress.ts"
import * as Connections from "./Connections.ts"
import * as FairQueue from "./FairQueue.ts"
import { isProbe, type PortKind } from "./routes.ts"
import { ShortPath } from "./ShortPath.ts"
import { Settings } from "../platform/runtime/Settings.ts"

export interface Arrived extends IncomingMessage {
  /** How many of its line waited behind it when it began. */
  behind?: number
  /** It came in at the operator's port (`routes.ts`). */
  isAtAdmin?: true
}

/** A socket, with the answer that Node writes to it. */
interface Answering extends Socket {
  readonly _httpMessage?: ServerResponse | null
}

const bearer = /^bearer /i

const dropped = Metric.counter("coffer_http_connections_dropped_total", {
  description: "Idle connections that were closed because there were too many",
  incremental: true
})

/** Makes a server's requests begin in turn, and bounds its connections. */
export const make = Effect.gen(function* () {
  const merchants = yield* Merchants
  const shortPath = yield* ShortPath
  const operators = yield* Operators
  const clientAddress = yield* ClientAddress.make
  const isProxy = yield* ClientAddress.makeIsProxy
  const { clientConnections } = yield* Settings
  const context = yield* Effect.context<never>()
  yield* Metric.update(dropped, 0)

  /** A key or an operator's token that is known here names the party. Otherwise it is the client's address. */
  const partyOf = ({ headers, socket }: IncomingMessage): string => {
    const key = headers["x-api-key"]
    if (typeof key === "string" && merchants.byKey(key).isRecalled) return key
    const { authorization = "" } = headers
    if (bearer.test(authorization) && operators.byToken(authorization.replace(bearer, "")).isRecalled) return "operator"
    const forwarded = headers["x-forwarded-for"]
    return addressParty(clientAddress(socket.remoteAddress, Array.isArray(forwarded) ? forwarded.join(",") : forwarded))
  }
  const lineOf = (request: IncomingMessage) =>
    `${request.method === "GET" || request.method === "HEAD" ? "reads" : "writes"} of ${partyOf(request)}`

  return (server: Server, portKind: PortKind): Server => {
    const queue = FairQueue.make({ later: setImmediate, millis: elapsedMillis })
    const emit = server.emit.bind(server) as (event: string, ...parameters: ReadonlyArray<unknown>) => boolean
    const connections = Connections.make(clientConnections, () => dropped.updateUnsafe(1, context))
    const entries = new WeakMap<Socket, Connections.Entry>()
    server.on("connection", (socket: Answering) => {
      queue.accepted()
      const peer = socket.remoteAddress ?? ""
      const address = isProxy(peer) ? undefined : addressParty(peer.replace(ClientAddress.mapped, ""))
      const isBusy = () => socket._httpMessage != null
      const entry = connections.opened(address, { isBusy, close: () => socket.destroy() })
      entries.set(socket, entry)
      socket.once("close", () => connections.closed(entry))
    })
    server.emit = (event: string, ...parameters: ReadonlyArray<unknown>) => {
      if (event !== "request") return emit(event, ...parameters)
      const [request, response] = parameters as [IncomingMessage, ServerResponse]
      const entry = entries.get(request.socket)
      if (entry !== undefined) connections.used(entry)
      const begin = (behind: number) => {
        // The client left while its request waited.
        if (response.destroyed) return
        if (behind > 0) (request as Arrived).behind = behind
        if (portKind === "admin") (request as Arrived).isAtAdmin = true
        // The short path knows merchants' calls alone, which are not at that port.
        if (portKind === "admin" || !shortPath.take(request, response)) emit(event, ...parameters)
      }
      if (isProbe(request.url)) begin(0)
      else queue.enter(() => lineOf(request), begin)
      return true
    }
    return server
  }
})
