/**
 * Reads a JSON body, for the short path and the router alike. The order of the checks: the headers, the length, the
 * bytes that this process may hold, UTF-8, the count of values, names. Only then is it parsed (silences: G6, G22, G26,
 * G30). It is read after the key is known, and only on demand.
 */
import type { BodyLimits } from "@coffer/contract/bodyLimits"
import { Effect, Fiber, Option } from "effect"
import { CurrentDeadline } from "../../platform/runtime/Deadline.ts"
import { addressParty } from "./addressParty.ts"
import { Admission, type Visit } from "./Admission.ts"
import { Clients } from "./Clients.ts"
import { type BodyRefused, CurrentRecord, type RequestRecord } from "./CurrentRequest.ts"
import { exactNumbers } from "./exactNumbers.ts"
import { type CutReason, rateMin } from "./Holdings.ts"
import { repeatedName } from "./repeatedName.ts"
import { busy, refuseField } from "./replies.ts"

export interface IncomingBody {
  readonly sent: Sent
  /** As announced; undefined for a body that comes in chunks. It is compared, and nothing is kept for it. */
  readonly length: number | undefined
  readonly limits: BodyLimits
  /** Reads `limits.bytes` at most. */
  readonly bytes: (sender: Sender) => Effect.Effect<Uint8Array, BodyRefused>
}

/** A client that sends a body. */
export interface Sender {
  /** Counts received bytes. False: there is no room for them, and the client is cut off. */
  readonly take: (bytes: number) => boolean
  /** Set by the reader. Ends the reading with this refusal. */
  cut: (refusal: Effect.Effect<never, BodyRefused>) => void
}

/** Headers, by their names in lower case. */
type Sent = Readonly<Record<string, string | undefined>>

/** A text that is read at most once. */
export interface Body {
  readonly text: Effect.Effect<string, BodyRefused>
  /** The text if it has been read and not refused. */
  known: string | undefined
  /** Whether reading has begun. */
  isTouched: boolean
}

/**
 * Runs `read`. Meanwhile the request does not count as admitted, and its deadline is paused. A client that sends too
 * slowly is cut off: below the minimum rate, or sooner if others need the memory.
 */
const makeReceive = Effect.map(
  Effect.all([Admission, Clients]),
  ([admission, { bodies }]) =>
    <A, E, R>(read: (sender: Sender) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.withFiber((fiber) => {
        const record = fiber.getRef(CurrentRecord)
        const deadline = fiber.getRef(CurrentDeadline)
        const visit = (record.visit ??= unknownVisit(record))
        let isArriving = true
        const cut = (reason: CutReason) => {
          if (!isArriving) return
          isArriving = false
          // The rest of the body would precede the next request.
          record.headers = { ...record.headers, connection: "close" }
          sender.cut(reason === "room" ? busy : tooSlow)
        }
        const moved = () => record.connection.bytesRead
        const holding = bodies.open(visit, { isWaiting: () => isArriving, moved, cut })
        const sender: Sender = {
          take: (bytes) => bodies.add(holding, bytes),
          cut: () => undefined
        }
        if (record.body !== undefined) bodies.close(record.body)
        record.body = holding
        admission.move(visit, "paused")
        deadline.pause()
        return Effect.onExitPrimitive(read(sender), () => {
          isArriving = false
          deadline.resume()
          admission.move(visit, "in")
          return undefined
        })
      })
)

const unknownVisit = ({ ip }: RequestRecord): Visit => ({
  group: "public",
  party: addressParty(ip),
  kind: "writes",
  weight: 0,
  state: "in"
})

const tooSlow = refuseField("", `The body must arrive at ${rateMin * 1_000} bytes per second or faster`)

/** For a body that other code reads, such as a form: that code is interrupted when its client is cut off. */
export const makeReceiving = Effect.map(
  makeReceive,
  (receive) =>
    <A, E, R>(read: Effect.Effect<A, E, R>): Effect.Effect<A, E | BodyRefused, R> =>
      receive((sender) => cuttable(sender, read))
)

export const cuttable = <A, E, R>(sender: Sender, read: Effect.Effect<A, E, R>): Effect.Effect<A, E | BodyRefused, R> =>
  Effect.withFiber<A, E | BodyRefused, R>((parent) =>
    Effect.callback((resume) => {
      const fiber = Effect.runForkWith(parent.context)(read as Effect.Effect<A, E>)
      sender.cut = (refusal) => {
        resume(refusal)
        fiber.interruptUnsafe()
      }
      fiber.addObserver(resume)
      return Effect.suspend(() => Fiber.interrupt(fiber))
    })
  )

export const make = Effect.map(makeReceive, (receive) => (incoming: IncomingBody): Body => {
  const { bytes, length, limits, sent } = incoming

  const checked = (whole: Uint8Array) => {
    const text = decodeUtf8(whole)
    if (Option.isNone(text)) return refuseField("", "The body must be UTF-8. Encode it so")
    if (hasMoreValues(text.value, limits.values)) {
      return refuseField("", `The body must not have more than ${limits.values} values here`)
    }
    const repeated = repeatedName(text.value)
    if (repeated !== undefined) return refuseField(repeated, "occurs twice in one object. Send it once")
    body.known = exactNumbers(text.value)
    return Effect.succeed(body.known)
  }

  const body: Body = {
    // A getter here would make a hidden class for each request, which keeps it until a full collection (0210).
    text: Effect.suspend((): Effect.Effect<string, BodyRefused> => {
      if (body.known !== undefined) return Effect.succeed(body.known)
      if (isCompressed(sent)) return compressed
      if (!isUtf8(sent["content-type"])) {
        return refuseField("", "The body must be UTF-8, and so must the charset of Content-Type: send application/json")
      }
      if (length !== undefined && length > limits.bytes) return tooLarge(limits)
      body.isTouched = true
      return Effect.flatMap(receive(bytes), checked)
    }),
    known: undefined,
    isTouched: false
  }
  return body
})

/** The body of a request without one. */
export const none: Body = { text: Effect.succeed(""), known: "", isTouched: true }

export const tooLarge = (limits: Pick<BodyLimits, "bytes">) =>
  refuseField("", `The body must not be larger than ${limits.bytes} bytes here`)

/** Encodings that leave the bytes as they are. */
const plain = /^[\s,]*((identity|chunked)[\s,]*)*$/i

/** Whether the body would have to be decompressed. The service decompresses nothing. */
export const isCompressed = (sent: Sent): boolean =>
  !plain.test(sent["content-encoding"] ?? "") || !plain.test(sent["transfer-encoding"] ?? "")

export const compressed = refuseField("", "Compressed bodies are not accepted: omit Content-Encoding")

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** None for bytes that are not UTF-8: replacement characters would make two bodies equal. Drops a byte order mark. */
export const decodeUtf8 = Option.liftThrowable((bytes: ArrayBuffer | Uint8Array): string => utf8.decode(bytes))

const charsets = /;\s*charset\s*=\s*("?)([^";]*)\1/gi

/** Whether a media type names no charset other than UTF-8, however that is spelled. */
export const isUtf8 = (contentType = ""): boolean =>
  !contentType.includes(";") ||
  Array.from(contentType.matchAll(charsets)).every(([, , charset = ""]) => /^utf-?8$/i.test(charset.trim()))

const [quote, backslash, comma, bracket, brace] = ['"', "\\", ",", "[", "{"].map((each) => each.charCodeAt(0))

/** Counts values in one pass, without parsing: each but the first follows a comma or an opening bracket or brace. */
const hasMoreValues = (json: string, max: number): boolean => {
  // Each value takes at least one character.
  if (json.length < max) return false
  let count = 1
  let isInText = false
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (isInText) {
      if (code === backslash) at++
      else if (code === quote) isInText = false
    } else if (code === quote) isInText = true
    else if ((code === comma || code === bracket || code === brace) && ++count > max) return true
  }
  return false
}
