/**
 * Takes down each call whose owner is known (spec: API log; silences: A4, A5), after its answer is made and before it
 * is sent. Nothing is read, parsed or redacted here: the bodies go as they are to a queue.
 */
import { loggedBodyBytesMax } from "@coffer/contract/Logs"
import { ByteSize, DateTime, Effect } from "effect"
import { HttpIncomingMessage, type HttpServerRequest, type HttpServerResponse } from "effect/http"
import { type LoggedBody, Logs } from "../logs/Logs.ts"
import type { RequestRecord } from "./CurrentRequest.ts"

export interface Answered {
  /** Milliseconds since 1970. */
  readonly answered: number
  readonly response: HttpServerResponse.HttpServerResponse
  /** The request's body; looked at only if the call is taken down. */
  readonly body: Effect.Effect<LoggedBody>
}

/** How an exchange hands over a call that it has answered. Never fails. */
export const make = Effect.map(
  Logs,
  (logs) =>
    (record: RequestRecord, { answered, body, response }: Answered): Effect.Effect<void> => {
      const { arrived, ip, method, owner, path, requestId, sent } = record
      if (owner === undefined) return Effect.void
      return Effect.flatMap(body, (requestBody) =>
        logs.append({
          requestId,
          ...owner,
          method,
          path,
          status: response.status,
          at: DateTime.makeUnsafe(arrived),
          durationMillis: answered - arrived,
          ip,
          userAgent: sent["user-agent"],
          idempotencyKey: sent["idempotency-key"],
          requestBody,
          responseBody: responseBodyOf(response, record)
        })
      )
    }
)

/** A refusal goes out at the latest then, when its small body is still on the way. */
const bodyPatience = "1 second"
const bodyMax = ByteSize.bytes(loggedBodyBytesMax)

/** Of a request whose body the framework reads. */
export const requestBodyOf = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<LoggedBody> => {
  const length = request.headers["content-length"]
  if (length === undefined ? request.headers["transfer-encoding"] === undefined : length === "0") return nothing
  if (Number(length) > loggedBodyBytesMax) return Effect.succeed({ bytes: Number(length) })
  // The handler has read it, and the framework kept it; a refusal before the handler has not.
  const read = request.arrayBuffer.pipe(
    Effect.map((bytes) =>
      bytes.byteLength > loggedBodyBytesMax ? { bytes: bytes.byteLength } : new Uint8Array(bytes)
    ),
    Effect.catch(() => nothing)
  )
  return isWhole(request.source)
    ? read
    : read.pipe(
        Effect.provideService(HttpIncomingMessage.MaxBodySize, bodyMax),
        Effect.timeoutOrElse({ duration: bodyPatience, orElse: () => nothing })
      )
}

const nothing = Effect.succeed<LoggedBody>(undefined)

/** Node's request knows when its last byte has arrived. */
const isWhole = (source: object) => "complete" in source && source.complete === true

const responseBodyOf = (
  { body, status }: HttpServerResponse.HttpServerResponse,
  { answer }: RequestRecord
): LoggedBody => {
  if (body._tag !== "Uint8Array" || !body.contentType.startsWith("application/json")) return undefined
  const { contentLength: bytes } = body
  if (bytes > loggedBodyBytesMax) return { bytes }
  // What a handler replied need not be read from its text again.
  return answer?.code === status ? { bytes, json: answer } : (body.text ?? body.body)
}
