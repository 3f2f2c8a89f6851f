/**
 * Reads a JSON body, for the short path and the router alike. The order of the checks: the headers, the length, the
 * bytes that this process may hold, UTF-8, the count of values, names. Only then is it parsed (silences: G6, G22, G26,
 * G30). It is read after the key is known, and only on demand.
 */
import type { BodyLimits } from "@coffer/contract/bodyLimits"
import type * as Wire from "@coffer/contract/Errors"
import { Effect, Option } from "effect"
import { waitingForClient } from "../platform/runtime/Deadline.ts"
import { Admission } from "./Admission.ts"
import { CurrentRecord } from "./CurrentRequest.ts"
import { repeatedName } from "./repeatedName.ts"
import { busy, refuseField } from "./replies.ts"

export type BodyRefused = Wire.InvalidRequest | Wire.Unavailable

export interface IncomingBody {
  readonly sent: Sent
  /** As announced; undefined for a body that comes in chunks. */
  readonly length: number | undefined
  readonly limits: BodyLimits
  /** Reads `limits.bytes` at most. For a body that arrives in chunks, `hold` is asked about each. */
  readonly bytes: (hold: (bytes: number) => boolean) => Effect.Effect<ArrayBuffer | Uint8Array, BodyRefused>
}

/** Headers, by their names in lower case. */
type Sent = Readonly<Record<string, string | undefined>>

/** A text that is read at most once. */
export interface Body {
  readonly text: Effect.Effect<string, BodyRefused>
  /** The text if it has been read and not refused. */
  readonly known: () => string | undefined
  /** Whether reading has begun. */
  readonly isTouched: () => boolean
}

export const make = Effect.map(Admission, (admission) => (incoming: IncomingBody): Body => {
  const { bytes, length, limits, sent } = incoming
  let known: string | undefined
  let isTouched = false

  const checked = (whole: ArrayBuffer | Uint8Array) => {
    const text = decodeUtf8(whole)
    if (Option.isNone(text)) return refuseField("", "The body must be UTF-8")
    if (hasMoreValues(text.value, limits.values)) {
      return refuseField("", `The body must not have more than ${limits.values} values here`)
    }
    const repeated = repeatedName(text.value)
    if (repeated !== undefined) return refuseField(repeated, "is there twice in one object")
    known = text.value
    return Effect.succeed(known)
  }

  const read = Effect.withFiber<string, BodyRefused>((fiber) => {
    if (known !== undefined) return Effect.succeed(known)
    if (isCompressed(sent)) return compressed
    if (!isUtf8(sent["content-type"])) {
      return refuseField("", "The body must be UTF-8, and so must the charset of Content-Type")
    }
    if (length !== undefined && length > limits.bytes) return tooLarge(limits)
    const record = fiber.getRef(CurrentRecord)
    const visit = (record.visit ??= { group: "public", party: record.ip, kind: undefined, bytes: 0 })
    if (length !== undefined && !admission.hold(visit, length)) return busy
    isTouched = true
    return Effect.flatMap(waitingForClient(bytes((more) => admission.hold(visit, more))), checked)
  })
  return { text: read, known: () => known, isTouched: () => isTouched }
})

/** The body of a request without one. */
export const none: Body = { text: Effect.succeed(""), known: () => "", isTouched: () => true }

export const tooLarge = (limits: Pick<BodyLimits, "bytes">) =>
  refuseField("", `The body must not be larger than ${limits.bytes} bytes here`)

/** Encodings that leave the bytes as they are. */
const plain = /^[\s,]*((identity|chunked)[\s,]*)*$/i

/** Whether the body would have to be decompressed. The service decompresses nothing. */
export const isCompressed = (sent: Sent): boolean =>
  !plain.test(sent["content-encoding"] ?? "") || !plain.test(sent["transfer-encoding"] ?? "")

export const compressed = refuseField("", "A compressed body is not accepted: send it without Content-Encoding")

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
