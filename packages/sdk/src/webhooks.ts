/**
 * Verifies that a delivery comes from the service (spec: Events, Signature), by its raw bytes. A failure explains the
 * problem, since most are mistakes in the receiver's own program.
 */
import { checkKnown } from "./known.ts"
import type { Event } from "./generated/types.ts"
import {
  type HeaderReader,
  isSignedWith,
  ownHeader,
  ownSignatures,
  type Signed,
  signedHeaders,
  standardHeaders,
  standardSignatures
} from "./signatures.ts"

/** Headers in the form of any framework. */
export type WebhookHeaders =
  | Headers
  | Iterable<readonly [string, string]>
  | { readonly [name: string]: string | ReadonlyArray<string> | undefined }

export interface VerifyOptions {
  /** The tolerance for the signature's time, in either direction; default: 300. */
  readonly toleranceSeconds?: number | undefined
  /** Milliseconds of Unix time; default: the platform's clock. */
  readonly now?: (() => number) | undefined
}

export type WebhookFailure =
  /** The body is an object: it was already parsed. */
  | "body_parsed"
  /** The body is empty: it was already read. */
  | "body_empty"
  /** The secret is missing or invalid. */
  | "bad_secret"
  /** Both sets of headers are missing. */
  | "no_header"
  /** The header is malformed. */
  | "bad_header"
  /** No signature matches: a different secret, or a changed body. */
  | "no_match"
  /** The signature is valid but too old: a replay, or a wrong clock. */
  | "too_old"
  /** The signature is valid but in the future. */
  | "too_new"
  /** The signature is valid but the body is not an event. */
  | "not_an_event"

export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError"
  readonly code: WebhookFailure

  constructor(code: WebhookFailure, message: string) {
    super(message)
    this.code = code
  }
}

const toleranceDefault = 300

/**
 * Returns the event if one of the secrets has signed it. Throws a {@link WebhookVerificationError}: respond with 400
 * then. `rawBody`: the raw request body, before any JSON parser.
 */
const verify = async (
  rawBody: string | ArrayBuffer | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | ReadonlyArray<string>,
  options: VerifyOptions = {}
): Promise<Event> => {
  checkKnown(options, ["toleranceSeconds", "now"])
  const { now = Date.now, toleranceSeconds = toleranceDefault } = options
  if (!(toleranceSeconds >= 0)) throw new TypeError("toleranceSeconds: expected seconds, 0 or more")
  const body = bytesOf(rawBody)
  const known = secretsOf(secrets)
  const signed = signedIn(readerOf(headers))
  const fits = await Promise.all(known.map((secret) => isSignedWith(signed, body, secret)))
  if (!fits.includes(true)) {
    throw failure(
      "no_match",
      "no signature fits: it was signed with another secret, or the body is not byte for byte the one that was sent"
    )
  }
  const age = Math.floor(now() / 1_000) - signed.timestamp
  if (age > toleranceSeconds) throw failure("too_old", `signed ${age} seconds ago, more than ${toleranceSeconds}`)
  if (age < -toleranceSeconds) throw failure("too_new", `signed ${-age} seconds ahead of this machine's clock`)
  return eventOf(body)
}

/** The headers that the service would send with `body` now, to test a receiver. */
const sign = async (
  body: string,
  secrets: string | ReadonlyArray<string>,
  options: { readonly now?: (() => number) | undefined } = {}
): Promise<Record<string, string>> => {
  checkKnown(options, ["now"])
  const { id } = JSON.parse(body) as { readonly id?: unknown }
  const seconds = Math.floor((options.now ?? Date.now)() / 1_000)
  return { ...(await signedHeaders(String(id), seconds, body, secretsOf(secrets))) }
}

export const webhooks = { verify, sign }

const failure = (code: WebhookFailure, message: string) => new WebhookVerificationError(code, `${code}: ${message}`)

const bytesOf = (rawBody: unknown): Uint8Array => {
  const body = viewOf(rawBody)
  if (body === undefined || rawBody === "[object Object]") {
    throw failure(
      "body_parsed",
      "the body was already parsed; pass the raw bytes, read before any JSON parser: " +
        'express.raw({ type: "application/json" }), a content type parser of fastify, await request.text()'
    )
  }
  if (body.length === 0) throw failure("body_empty", "the body is empty; has something read it before?")
  return body
}

/** By its tag and not by its class, of which test runners may have two. */
const viewOf = (body: unknown): Uint8Array | undefined => {
  if (typeof body === "string") return new TextEncoder().encode(body)
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  return Object.prototype.toString.call(body) === "[object ArrayBuffer]"
    ? new Uint8Array(body as ArrayBuffer)
    : undefined
}

/** At least 24 bytes in base64: the service's secrets are never shorter. */
const secretForm = /^whsec_(?=.{32})(?:[\w+/-]{4})*(?:[\w+/-]{2}(?:==)?|[\w+/-]{3}=?)?$/

const secretsOf = (secrets: unknown): ReadonlyArray<string> => {
  const known: ReadonlyArray<unknown> = Array.isArray(secrets) ? secrets : [secrets]
  const isSecret = (secret: unknown): secret is string => typeof secret === "string" && secretForm.test(secret)
  if (known.length > 0 && known.every(isSecret)) return known
  throw failure("bad_secret", "expected the signing secret, whsec_…, or several, without spaces; is the variable set?")
}

const readerOf = (headers: WebhookHeaders): HeaderReader => {
  const entries =
    Symbol.iterator in headers ? [...(headers as Iterable<readonly [string, string]>)] : Object.entries(headers)
  const byName = new Map<string, string>()
  for (const [name, value] of entries) {
    const text = typeof value === "string" ? value : value?.[0]
    if (text !== undefined) byName.set(name.toLowerCase(), text)
  }
  return (name) => byName.get(name)
}

/** Uses the set of headers that is present; the specification's own first. */
const signedIn = (read: HeaderReader): Signed => {
  const own = read(ownHeader)
  const isStandard = standardHeaders.some((name) => read(name) !== undefined)
  if (own === undefined && !isStandard) {
    throw failure(
      "no_header",
      "neither X-Service-Signature nor webhook-signature is there; are these the request's headers?"
    )
  }
  const signed = own === undefined ? standardSignatures(read) : ownSignatures(own)
  if (signed !== undefined) return signed
  throw failure(
    "bad_header",
    own === undefined
      ? "expected webhook-id, webhook-timestamp and webhook-signature: v1,<base64>"
      : "expected X-Service-Signature: t=<seconds>,v1=<hex>"
  )
}

const eventOf = (body: Uint8Array): Event => {
  try {
    const event: unknown = JSON.parse(new TextDecoder().decode(body))
    if (typeof event === "object" && event !== null && "type" in event && "data" in event) return event as Event
  } catch {
    // Handled below.
  }
  throw failure("not_an_event", "the body is signed, but it is no event")
}
