/**
 * Posts an event to a receiver on the developer's side, signed as the service signs: both families of headers.
 * Redirects are not followed, and only the beginning of the answer is kept.
 */
import { createHmac } from "node:crypto"
import { signatureHeader, standardHeaders } from "@coffer/rules/delivery/attempt"
import { Clock, type DateTime, Duration, Effect } from "effect"

export interface Delivery {
  readonly id: string
  readonly type: string
  /** Exactly what is sent and signed. */
  readonly body: string
  /** All of them sign. */
  readonly secrets: ReadonlyArray<string>
  /** The time of the signature. */
  readonly at: DateTime.Utc
}

/** Status undefined: no answer came, and `problem` says why. */
export interface Outcome {
  readonly status: number | undefined
  readonly problem: string | undefined
  /** No program listened there, so nothing was sent. */
  readonly isUnreached: boolean
  readonly millis: number
  /** At most `answerBytesMax` of it. */
  readonly answer: string
}

export const isAccepted = ({ status }: Outcome): boolean => status !== undefined && status >= 200 && status < 300

/** As long as the service waits (spec: Events, Delivery). */
export const patienceMillis = 10_000
const answerBytesMax = 1_024

const hmac = (encoding: "base64" | "hex") => (secret: string, message: string) =>
  createHmac("sha256", encoding === "hex" ? secret : Buffer.from(secret.replace(/^whsec_/, ""), "base64"))
    .update(message)
    .digest(encoding)

export const headersOf = (delivery: Delivery): Readonly<Record<string, string>> => ({
  "Content-Type": "application/json",
  "User-Agent": "Coffer/1.0",
  "X-Service-Event-Id": delivery.id,
  "X-Service-Event-Type": delivery.type,
  "X-Service-Signature": signatureHeader(delivery, hmac("hex")),
  ...standardHeaders(delivery.id, delivery, hmac("base64"))
})

/** `localhost:3000/hook` as people write it: with `http://` before it, unless it has a scheme. */
export const receiverOf = (text: string): string =>
  /^[\w.-]+(?::\d+)?(?:\/|$)/.test(text) && !/^https?$/i.test(text) ? `http://${text}` : text

/** `http` or `https` only. */
export const isReceiver = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)

/** `pause`: how long to pause in the middle of the body. */
export const post = Effect.fnUntraced(function* (
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  pause: Duration.Duration = Duration.zero
) {
  const began = yield* Clock.currentTimeMillis
  const outcome = yield* exchange(url, Buffer.from(body, "utf8"), headers, pause).pipe(
    Effect.timeoutOrElse({
      duration: Duration.sum(Duration.millis(patienceMillis), pause),
      orElse: () => Effect.succeed(unanswered(`no response within ${patienceMillis / 1_000} s`, false))
    })
  )
  return { ...outcome, millis: (yield* Clock.currentTimeMillis) - began } satisfies Outcome
})

const unanswered = (problem: string, isUnreached: boolean) => ({ status: undefined, problem, isUnreached, answer: "" })

/** Loaded when something is posted: with `node:http` comes the client of `fetch`, which takes a third of a start. */
const opener = (url: string) =>
  Effect.promise(() => (url.startsWith("https:") ? import("node:https") : import("node:http")))

const exchange = Effect.fnUntraced(function* (
  url: string,
  body: Buffer,
  headers: Readonly<Record<string, string>>,
  pause: Duration.Duration
) {
  const { request: open } = yield* opener(url)
  return yield* Effect.callback<Omit<Outcome, "millis">>((resume) => {
    const request = open(url, { method: "POST", headers: { ...headers, "Content-Length": body.length }, agent: false })
    request.on("response", (response) => {
      let answer = ""
      const done = () =>
        resume(Effect.succeed({ status: response.statusCode, problem: undefined, isUnreached: false, answer }))
      response.setEncoding("utf8")
      response.on("data", (text: string) => {
        answer = (answer + text).slice(0, answerBytesMax)
        if (answer.length === answerBytesMax) response.destroy()
      })
      response.on("close", done)
    })
    request.on("error", (error: NodeJS.ErrnoException) =>
      resume(Effect.succeed(unanswered(problemOf(error), error.code === "ECONNREFUSED")))
    )
    const middle = Duration.isZero(pause) ? body.length : Math.floor(body.length / 2)
    const timer = setTimeout(() => request.end(body.subarray(middle)), Duration.toMillis(pause))
    request.write(body.subarray(0, middle))
    return Effect.sync(() => {
      clearTimeout(timer)
      request.destroy()
    })
  })
})

const problemOf = ({ code, message }: NodeJS.ErrnoException): string => {
  switch (code) {
    case "ECONNREFUSED":
      return "connection refused"
    case "ENOTFOUND":
      return "host not found"
    case "ECONNRESET":
      return "connection closed"
    default:
      return message
  }
}
