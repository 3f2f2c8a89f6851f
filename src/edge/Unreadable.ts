/**
 * The answer to what never becomes a request: Node would give it without an envelope (spec: General rules, 3; silences:
 * G6). Requests that came before it on the same connection are answered first, and the connection ends with it.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import * as Wire from "@coffer/contract/Errors"
import { prefixes } from "@coffer/model/Ids"
import { Effect, Schema } from "effect"
import { NewIds } from "../platform/runtime/NewIds.ts"
import { undecodable } from "./routing.ts"
import { smallChunks } from "./SteadyRequest.ts"

/** Listeners for a server's `clientError` and `connect`. */
export const make = Effect.gen(function* () {
  const ids = yield* NewIds
  const context = yield* Effect.context<never>()

  const answer = (socket: Connection, message: string) => {
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

  /** `broken`: the request in whose body it stands. This is the answer to it, unless it has one already. */
  const answerInTurn = (socket: Connection, message: string, broken?: IncomingMessage) => {
    if (!socket.writable) return
    const pending = socket._httpMessage
    if (pending && (pending.req !== broken || pending.headersSent)) {
      pending.once("finish", () => answerInTurn(socket, message, broken))
    } else if (pending || broken === undefined) answer(socket, message)
    else socket.end()
  }

  /** Node reports what follows the first such bytes as well. */
  const ending = new WeakSet<Connection>()

  const clientError = (error: NodeJS.ErrnoException, socket: Connection) => {
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
    // No other listener is left, and a client that resets the connection would end the process.
    for (const each of [stream, request.socket]) each.on("error", () => undefined)
    answerInTurn(request.socket, "This is no proxy: CONNECT is not accepted.")
  }

  return { clientError, connect }
})

const unreadable = "This cannot be read as an HTTP request."
const messages: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: "The request was not complete in time.",
  [smallChunks]: "The body comes in too many small chunks.",
  HPE_INVALID_URL: undecodable,
  HPE_HEADER_OVERFLOW: "The address and headers of the request are too large."
}

/** A socket, with the request that Node reads from it and the answer that it writes to it. */
interface Connection extends Duplex {
  readonly parser?: { readonly incoming: IncomingMessage | null } | null
  readonly _httpMessage?: ServerResponse | null
}

const encoded = Schema.encodeSync(Schema.fromJsonString(Wire.InvalidRequest))
