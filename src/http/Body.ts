/**
 * A JSON body on its way in, on both ways: how it is sent and what it may cost is checked first, then its bytes are
 * read, then they have to be UTF-8, and then what is in them is counted, before anything is parsed (silences: G6, G22,
 * G26). Read after the key is known, and only when somebody asks for it.
 */
import type { BodyLimits } from "@coffer/contract/bodyLimits"
import type * as Wire from "@coffer/contract/Errors"
import { Effect, Option } from "effect"
import { Admission } from "./Admission.ts"
import { CurrentRecord } from "./CurrentRequest.ts"
import { busy, refuseField } from "./replies.ts"

export type BodyRefused = Wire.InvalidRequest | Wire.Unavailable

export interface Coming {
  readonly sent: Sent
  /** As announced; undefined for a body that comes in chunks. */
  readonly length: number | undefined
  readonly limits: BodyLimits
  /** Reads them, `limits.bytes` at most. Of a body that comes in chunks each is let in by `hold`. */
  readonly bytes: (hold: (bytes: number) => boolean) => Effect.Effect<ArrayBuffer | Uint8Array, BodyRefused>
}

/** Headers, by their names in lower case. */
type Sent = Readonly<Record<string, string | undefined>>

/** A text that is read at most once. */
export interface Body {
  readonly text: Effect.Effect<string, BodyRefused>
  /** Undefined: nobody has read it, or it was refused. */
  readonly known: () => string | undefined
  /** Whether somebody has begun to read it. */
  readonly isTouched: () => boolean
}

export const make = Effect.map(Admission, (admission) => (coming: Coming): Body => {
  const { bytes, length, limits, sent } = coming
  let known: string | undefined
  let isTouched = false

  const checked = (whole: ArrayBuffer | Uint8Array) => {
    const text = decodeUtf8(whole)
    if (Option.isNone(text)) return refuseField("", "The body must be UTF-8")
    if (hasMoreValues(text.value, limits.values)) {
      return refuseField("", `The body must not have more than ${limits.values} values here`)
    }
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
    const visit = (record.visit ??= { door: "public", party: record.ip, kind: undefined, bytes: 0 })
    if (length !== undefined && !admission.hold(visit, length)) return busy
    isTouched = true
    return Effect.flatMap(
      bytes((more) => admission.hold(visit, more)),
      checked
    )
  })
  return { text: read, known: () => known, isTouched: () => isTouched }
})

/** Of a request that has none. */
export const none: Body = { text: Effect.succeed(""), known: () => "", isTouched: () => true }

export const tooLarge = (limits: Pick<BodyLimits, "bytes">) =>
  refuseField("", `The body must not be larger than ${limits.bytes} bytes here`)

/** What leaves the bytes as they are. */
const plain = /^[\s,]*((identity|chunked)[\s,]*)*$/i

/** Whether a body has to be decompressed before it can be read, which nobody does here. */
export const isCompressed = (sent: Sent): boolean =>
  !plain.test(sent["content-encoding"] ?? "") || !plain.test(sent["transfer-encoding"] ?? "")

export const compressed = refuseField("", "A compressed body is not accepted: send it without Content-Encoding")

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** None for bytes that are no UTF-8: a replacement character would make one text of two. Drops a byte order mark. */
export const decodeUtf8 = Option.liftThrowable((bytes: ArrayBuffer | Uint8Array): string => utf8.decode(bytes))

const charsets = /;\s*charset\s*=\s*("?)([^";]*)\1/gi

/** Whether a media type names no charset but UTF-8, however it is spelled. */
export const isUtf8 = (contentType = ""): boolean =>
  !contentType.includes(";") ||
  Array.from(contentType.matchAll(charsets)).every(([, , charset = ""]) => /^utf-?8$/i.test(charset.trim()))

const [quote, backslash, comma, bracket, brace] = ['"', "\\", ",", "[", "{"].map((each) => each.charCodeAt(0))

/** Counts values, in one pass and without parsing: each but the first follows a comma, or what opens an inner one. */
const hasMoreValues = (json: string, max: number): boolean => {
  // The first character may be one, and so may each that follows.
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
