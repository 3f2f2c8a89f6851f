/**
 * One call over HTTP, and how it failed. Connections are kept for the next call. A call on a kept connection that the
 * other side has just closed is made once more: each call has an idempotency key, or may be repeated by its nature.
 */
import http from "node:http"
import https from "node:https"
import { beginningOf } from "@coffer/model/Text"
import { Effect, Option, Result, Schema } from "effect"
import { jsonText, parseJson } from "../../platform/runtime/codecs.ts"
import { ChannelUnreachable } from "../../shared/channel/payments.ts"

// Failures, by their effect: `ChannelUnreachable`: the call certainly did nothing. `AdyenSilent`: its outcome is
// unknown. `AdyenRefused`: Adyen refused, and did nothing.

export class AdyenSilent extends Schema.TaggedError<AdyenSilent>()("AdyenSilent", {}) {}

export class AdyenRefused extends Schema.TaggedError<AdyenRefused>()("AdyenRefused", {
  status: Schema.Int,
  code: Schema.String,
  message: Schema.String
}) {}

export type AdyenFailure = ChannelUnreachable | AdyenSilent | AdyenRefused

export interface Call {
  readonly method: "GET" | "POST" | "PATCH"
  readonly url: string
  readonly apiKey: string
  readonly body?: unknown
  /** Of a POST: at most 64 characters. */
  readonly idempotencyKey?: string
}

interface Answer {
  readonly status: number
  readonly text: string
  readonly retryAfter: number
}

/** An answer has some kilobytes, a report of a day's payments some megabytes. */
const bytesMax = 64 * 1_024 * 1_024

/** The connection was never opened. */
const neverConnected: ReadonlySet<string> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ENETUNREACH"])

export const makeSend = (answerMillis: number) => {
  const agents = { "http:": new http.Agent({ keepAlive: true }), "https:": new https.Agent({ keepAlive: true }) }

  const once = (call: Call): Effect.Effect<Answer, ChannelUnreachable | AdyenSilent | Reused> =>
    Effect.callback((resume) => {
      const url = new URL(call.url)
      const isPlain = url.protocol === "http:"
      const body = call.body === undefined ? undefined : jsonText(call.body)
      const request = (isPlain ? http : https).request(url, {
        method: call.method,
        agent: agents[isPlain ? "http:" : "https:"],
        timeout: answerMillis,
        headers: {
          "X-API-Key": call.apiKey,
          ...(body === undefined
            ? {}
            : { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) }),
          ...(call.idempotencyKey === undefined ? {} : { "Idempotency-Key": call.idempotencyKey })
        }
      })
      const fail = (error: NodeJS.ErrnoException) => {
        if (neverConnected.has(error.code ?? "")) return resume(Effect.fail(new ChannelUnreachable()))
        resume(Effect.fail(request.reusedSocket && error.code === "ECONNRESET" ? new Reused() : new AdyenSilent()))
      }
      request.on("error", fail)
      request.on("timeout", () => request.destroy(new Error("no answer in time")))
      request.on("response", (response) => {
        const parts: Array<Buffer> = []
        let size = 0
        response.on("data", (part: Buffer) => {
          size += part.length
          if (size > bytesMax) request.destroy(new Error("too long"))
          else parts.push(part)
        })
        response.on("error", fail)
        response.on("end", () => {
          const { headers, statusCode: status = 0 } = response
          const text = Buffer.concat(parts).toString()
          resume(Effect.succeed({ status, text, retryAfter: Number(headers["retry-after"] ?? Number.NaN) }))
        })
      })
      request.end(body)
      return Effect.sync(() => request.destroy())
    })

  return {
    /** The body of an answer of success. */
    send: (call: Call): Effect.Effect<string, AdyenFailure> =>
      once(call).pipe(
        Effect.catchTags({ Reused: () => once(call) }),
        Effect.catchTags({ Reused: () => Effect.fail(new AdyenSilent()) }),
        Effect.flatMap((answer) => Effect.fromResult(judge(answer)))
      ),
    close: Effect.sync(() => Object.values(agents).forEach((agent) => agent.destroy()))
  }
}

/** The other side closed a kept connection. */
class Reused extends Schema.TaggedError<Reused>()("Reused", {}) {}

const retryAfterMax = 60
const wordsMax = 500

const ServiceError = Schema.Struct({
  errorCode: Schema.optionalKey(Schema.String),
  message: Schema.optionalKey(Schema.String)
})
const readError = Schema.decodeUnknownOption(ServiceError)

/** A call with the same idempotency key is still being carried out. */
const stillRunning = "704"

const judge = ({ retryAfter, status, text }: Answer): Result.Result<string, AdyenFailure> => {
  if (status >= 200 && status < 300) return Result.succeed(text)
  if (status === 401 || status === 403) return Result.fail(new ChannelUnreachable({ because: "key" }))
  if (status === 429) {
    const wait = retryAfter > 0 ? { retryAfterMillis: Math.min(retryAfter, retryAfterMax) * 1_000 } : {}
    return Result.fail(new ChannelUnreachable({ because: "crowded", ...wait }))
  }
  const error = Option.getOrElse(Option.flatMap(parseJson(text), readError), (): typeof ServiceError.Type => ({}))
  const code = error.errorCode ?? ""
  if (status >= 500 || status < 400 || code === stillRunning) return Result.fail(new AdyenSilent())
  return Result.fail(
    new AdyenRefused({ status, code, message: beginningOf(error.message ?? `HTTP ${status}`, wordsMax) })
  )
}
