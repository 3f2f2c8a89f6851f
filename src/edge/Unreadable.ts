/**
 * The answer to what cannot be read as HTTP: it never becomes a request, and Node would answer it without an envelope
 * (spec: General rules, 3; silences: G6).
 */
import * as Wire from "@coffer/contract/Errors"
import { prefixes } from "@coffer/model/Ids"
import { Effect, Schema } from "effect"
import { NewIds } from "../platform/runtime/NewIds.ts"

/** A listener for the server's `clientError`. */
export const answerUnreadable = Effect.gen(function* () {
  const ids = yield* NewIds
  const context = yield* Effect.context<never>()

  return (error: NodeJS.ErrnoException, socket: Answered) => {
    // Gone, or in the middle of another answer.
    if (!socket.writable || error.code === "ECONNRESET" || socket._httpMessage?.headersSent === true) {
      socket.destroy()
      return
    }
    const request_id = Effect.runSyncWith(context)(ids.next(prefixes.request))
    const message = messages[error.code ?? ""] ?? "This cannot be read as an HTTP request."
    const body = encoded(new Wire.InvalidRequest({ message, request_id }))
    const head = [
      "HTTP/1.1 400 Bad Request",
      "Content-Type: application/json",
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${request_id}`,
      "Connection: close"
    ]
    socket.end([...head, "", body].join("\r\n"))
  }
})

const messages: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: "The request was not complete in time.",
  HPE_HEADER_OVERFLOW: "The address and headers of the request are too large."
}

/** The socket, with the answer that Node is writing to it. */
interface Answered {
  readonly writable: boolean
  readonly destroy: () => unknown
  readonly end: (text: string) => unknown
  readonly _httpMessage?: { readonly headersSent: boolean } | null
}

const encoded = Schema.encodeSync(Schema.fromJsonString(Wire.InvalidRequest))
