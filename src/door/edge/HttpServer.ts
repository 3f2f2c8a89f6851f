/**
 * The HTTP port of the service: requests begin in the order of their connection and in fair turns, plain calls by the
 * short path. It listens at one port, or at two with the same limits. A process that may not use its database yet has
 * the same port: there `/readyz` says why, and everything else is refused. Node's server gets our limits: pipelined
 * requests of a connection, small chunks, malformed bytes, and idle connections.
 */
import { createServer, IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import * as Wire from "@coffer/contract/Errors"
import { prefixes } from "@coffer/model/Ids"
import { Context, Duration, Effect, Layer, Schema, Scope } from "effect"
import { type Place, Settings } from "../../platform/runtime/Settings.ts"
import { isAnsweredAt, pathOf, type PortKind, routeAt, undecodable } from "./routes.ts"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { refusalOf } from "../../shared/http/replies.ts"
import { elapsedMillis } from "../../platform/runtime/realTime.ts"
import * as NewIds from "../../platform/runtime/NewIds.ts"
import * as Arrivals from "./Arrivals.ts"
import { Inward } from "./Inward.ts"

const server = Effect.gen(function* () {
  const { admin, host, port } = yield* Settings
  const inTurn = yield* Arrivals.make
  const listener = yield* makeListener
  const inward = yield* Inward
  const listen = (portKind: PortKind, place: Place) => {
    const make = () => {
      const server = inOrder(inTurn(closeGently(listener()), portKind))
      if (portKind !== "admin") inward.server = server
      return server
    }
    return NodeHttpServer.make(make, {
      host: place.host,
      port: place.port,
      backlog: backlog,
      gracefulShutdownTimeout: drainMillis
    })
  }
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
  const listener = yield* Effect.provideContext(makeListener, own)
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
        "x-content-type-options": "nosniff",
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

const answerNotHere = (path: string, request_id: string) =>
  refusalOf(new Wire.RouteNotFound({ message: `${path} is not an endpoint.`, request_id }))

// Small chunks -------------------------------------------------------------------
// A body does not hold the event loop, however small its chunks are (silences: G28). Node calls us for each chunk, and
// in the 64 kB that it reads at a time there are 11,000 chunks of one byte.

/** A body may come in this many chunks of any size. */
const chunksMax = 2_000
/** With more chunks than that, they must have this many bytes on average, or the connection is closed. */
const averageBytes = 64
/** The client has this long to read the answer. */
const refusedGraceMillis = 500

/** Emits `clientError` with the reason. */
const smallChunks = "ERR_SMALL_CHUNKS"

class SteadyRequest extends IncomingMessage {
  private chunks = 0
  private bytes = 0
  private refused = false

  /** Node reads on from the socket while this is true, and then when `_read` asks for more. */
  override push(chunk: Uint8Array | null, encoding?: BufferEncoding): boolean {
    if (this.refused) return false
    if (chunk !== null) {
      this.chunks++
      this.bytes += chunk.length
      if (this.chunks > chunksMax && this.bytes < this.chunks * averageBytes) return this.refuse()
    }
    return super.push(chunk, encoding)
  }

  override _read(size: number): void {
    if (!this.refused) super._read(size)
  }

  private refuse(): false {
    this.refused = true
    const { socket } = this
    socket.server?.emit("clientError", Object.assign(new Error(smallChunks), { code: smallChunks }), socket)
    const cut = setTimeout(() => socket.destroy(), refusedGraceMillis)
    socket.once("close", () => clearTimeout(cut))
    return false
  }
}

/** Options of Node's server; times are milliseconds. */
const options = {
  IncomingMessage: SteadyRequest,
  /** The first is announced to clients. The server waits longer by the second, so that a busy client closes first. */
  keepAliveTimeout: 65_000,
  keepAliveTimeoutBuffer: 10_000,
  /** Head and body: a file of 10 MB at 280 kbit/s. Node checks periodically, so it may be a little more. */
  requestTimeout: 300_000,
  /** The head alone, which is 16 kB at most (Node's own limit) and is sent before authentication. */
  headersTimeout: 20_000,
  connectionsCheckingInterval: 5_000,
  /** We refuse a request without a host ourselves, in the envelope. */
  requireHostHeader: false,
  /**
   * Of a duplicate header that may occur once, such as Host or Content-Type, Node would keep the first and hide the
   * other.
   */
  joinDuplicateHeaders: true,
  /** Upgrades are ignored: a request with one is answered like any other, in its turn. */
  shouldUpgradeCallback: () => false
}

/**
 * Connections that wait until the process accepts them. Node's own 511 overflow when a thousand clients come at once,
 * and the kernel then resets some of them.
 */
export const backlog = 4_096

export const makeListener = Effect.gen(function* () {
  const { clientPatience } = yield* Settings
  const { clientError, connect } = yield* makeUnreadable
  const notAccepted = yield* makeNotAccepted

  return (): Server => {
    const server = keepUntilServed(createServer(options))
    return (
      server
        .setTimeout(Duration.toMillis(clientPatience))
        .on("clientError", clientError)
        .on("connect", connect)
        .on("error", notAccepted)
        // Node would refuse it without an envelope.
        .on("checkExpectation", (request, response) => server.emit("request", request, response))
    )
  }
})

const acceptTroubleEvery = 60_000

/** A connection that the system could not hand over, for example without free descriptors, does not end the process. */
const makeNotAccepted = Effect.gen(function* () {
  const context = yield* Effect.context<never>()
  let lastLogged = -Infinity
  return function (this: Server, error: NodeJS.ErrnoException) {
    // The port could not be opened: its opener gets that error.
    if (!this.listening || elapsedMillis() - lastLogged < acceptTroubleEvery) return
    lastLogged = elapsedMillis()
    Effect.runForkWith(context)(
      Effect.logWarning("connections could not be accepted; more of this minute are not logged", {
        reason: error.code ?? error.message
      })
    )
  }
})

/**
 * The server listens before the service is built. A request in between waits for that: Node would take it from the
 * connection and never answer.
 */
const keepUntilServed = (server: Server): Server => {
  const kept: Array<readonly [IncomingMessage, ServerResponse]> = []
  const keep = (request: IncomingMessage, response: ServerResponse) => void kept.push([request, response])
  const serve = (event: string, listener: (...parameters: ReadonlyArray<unknown>) => void) => {
    if (event !== "request" || listener === keep) return
    server.off("newListener", serve).off("request", keep)
    // After Effect's server has all of its listeners.
    setImmediate(() => {
      for (const [request, response] of kept.splice(0)) if (!response.destroyed) listener(request, response)
    })
  }
  return server.on("request", keep).on("newListener", serve)
}

// One after another --------------------------------------------------------------
// A client may send requests on a connection before the first of them is answered. Each begins when those before it are
// answered, so it may count on what they did (RFC 9112, 9.3.2; silences: G27).

/**
 * Requests that may wait on a connection. Node begins all that it reads at once, and in 64 kB there are thousands. A
 * connection with more of them is cut.
 */
const waitingMax = 100

/** Node's event of a request. */
const arrivals = new Set(["request", "checkContinue", "checkExpectation"])

type Emit = (event: string, ...parameters: ReadonlyArray<unknown>) => boolean

/** The same server, which emits a request in a turn of the event loop of its own, once it may begin. */
export const inOrder = (server: Server): Server => {
  const emit: Emit = server.emit.bind(server)
  const waiting = new WeakMap<Socket, number>()
  const wait = (socket: Socket, more: 1 | -1) => {
    const count = (waiting.get(socket) ?? 0) + more
    waiting.set(socket, count)
    if (count > waitingMax) socket.destroy()
  }

  const arrive: Emit = (event, ...parameters) => {
    if (!arrivals.has(event)) return emit(event, ...parameters)
    const [request, response] = parameters as [IncomingMessage, ServerResponse]
    request.on("error", ignore)
    if (response.socket !== null) return emit(event, ...parameters)
    const { socket } = request
    wait(socket, 1)
    response.once("socket", () => {
      wait(socket, -1)
      setImmediate(() => socket.writable && emit(event, ...parameters))
    })
    return true
  }
  server.emit = arrive
  return server
}

/** A reader listens for errors of a body only while it reads. An error without a listener would end the process. */
const ignore = () => undefined

// Bytes that are no request ------------------------------------------------------
// Node would answer malformed bytes without an envelope (spec: General rules, 3; silences: G6). Earlier requests on the
// same connection are answered first, and the connection ends with the answer.

/** Listeners for a server's `clientError` and `connect`. */
const makeUnreadable = Effect.gen(function* () {
  const ids = yield* NewIds.NewIds
  const context = yield* Effect.context<never>()

  const answer = (socket: ReadingSocket, message: string) => {
    const request_id = Effect.runSyncWith(context)(ids.next(prefixes.request))
    const body = encoded(new Wire.InvalidRequest({ message, request_id }))
    const head = [
      "HTTP/1.1 400 Bad Request",
      "Content-Type: application/json",
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${request_id}`,
      "Cache-Control: no-store",
      "Connection: close"
    ]
    socket.end([...head, "", body].join("\r\n"))
  }

  /** `broken`: the request with the malformed body. This is the answer to it, unless it has one already. */
  const answerInTurn = (socket: ReadingSocket, message: string, broken?: IncomingMessage) => {
    if (!socket.writable) return
    const pending = socket._httpMessage
    if (pending && (pending.req !== broken || pending.headersSent)) {
      pending.once("finish", () => answerInTurn(socket, message, broken))
    } else if (pending || broken === undefined) answer(socket, message)
    else socket.end()
  }

  /** Node reports later malformed bytes as well. */
  const ending = new WeakSet<ReadingSocket>()

  const clientError = (error: NodeJS.ErrnoException, socket: ReadingSocket) => {
    const isOver = error.code === "ERR_HTTP_REQUEST_TIMEOUT" && ending.has(socket)
    if (!socket.writable || error.code === "ECONNRESET" || isOver) {
      socket.destroy()
      return
    }
    if (ending.has(socket)) return
    ending.add(socket)
    const incoming = socket.parser?.incoming
    answerInTurn(socket, messages[error.code ?? ""] ?? unreadable, incoming?.complete === false ? incoming : undefined)
  }

  const connect = (request: IncomingMessage, stream: Duplex) => {
    // Without another listener, a client that resets the connection would end the process.
    for (const each of [stream, request.socket]) each.on("error", () => undefined)
    answerInTurn(request.socket, "This is not a proxy: CONNECT is not accepted.")
  }

  return { clientError, connect }
})

const unreadable = "Not a valid HTTP request."
const messages: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: "The request was not completed in time.",
  [smallChunks]: "The body has too many small chunks.",
  HPE_INVALID_URL: undecodable,
  HPE_HEADER_OVERFLOW: "The URL and headers of the request are too large."
}

/** A socket, with the request that Node reads from it and the answer that it writes to it. */
interface ReadingSocket extends Duplex {
  readonly parser?: { readonly incoming: IncomingMessage | null } | null
  readonly _httpMessage?: ServerResponse | null
}

const encoded = Schema.encodeSync(Schema.fromJsonString(Wire.InvalidRequest))

// Shutdown -----------------------------------------------------------------------

/** Requests that are open when the shutdown begins have this long to be answered. */
export const drainMillis = 3_000

/** A request that was in transit on an idle connection when the shutdown began arrives within this time. */
const transitMillis = 200

/**
 * Makes the server close idle connections a little later. Node would close them at once, and lose the requests that are
 * in transit on them.
 */
export const closeGently = (server: Server): Server => {
  const closeIdle = server.closeIdleConnections.bind(server)
  // `close` calls this. Bytes that the kernel has received by then are read before the callback of `setImmediate` runs.
  server.closeIdleConnections = () => void setTimeout(() => setImmediate(closeIdle), transitMillis)
  return server
}
