/**
 * The two sets of signature headers of a delivery, over the same bytes (spec: Events). The specification's own is
 * `X-Service-Signature: t=<seconds>,v1=<hex>`, whose key is the secret as shown; the other is Standard Webhooks 1.0,
 * whose key is the secret's decoded base64.
 */

/** The parsed headers of one set, and the text that was signed. */
export interface Signed {
  /** Seconds of Unix time. */
  readonly timestamp: number
  readonly signatures: ReadonlyArray<Uint8Array>
  /** The text before the body. */
  readonly prefix: string
  /** Undefined for an invalid secret. */
  readonly keyOf: (secret: string) => Uint8Array | undefined
}

export type HeaderReader = (name: string) => string | undefined

export const ownHeader = "x-service-signature"
export const standardHeaders = ["webhook-id", "webhook-timestamp", "webhook-signature"] as const

/** Undefined for a malformed header. */
export const ownSignatures = (header: string): Signed | undefined => {
  const items = header.split(",").map((item) => item.trim())
  const timestamp = items.find((item) => /^t=\d+$/.test(item))?.slice(2)
  const signatures = items.filter((item) => /^v1=[0-9a-f]{64}$/i.test(item)).map((item) => bytesOfHex(item.slice(3)))
  if (timestamp === undefined || signatures.length === 0) return undefined
  return { timestamp: Number(timestamp), signatures, prefix: `${timestamp}.`, keyOf: ownKey }
}

/** Undefined for malformed or missing headers. */
export const standardSignatures = (read: HeaderReader): Signed | undefined => {
  const [id, timestamp, header] = standardHeaders.map(read)
  if (id === undefined || timestamp === undefined || header === undefined || !/^\d+$/.test(timestamp)) return undefined
  const signatures = header.split(" ").flatMap((item) => {
    const bytes = item.startsWith("v1,") ? bytesOfBase64(item.slice(3)) : undefined
    return bytes === undefined ? [] : [bytes]
  })
  if (signatures.length === 0) return undefined
  return { timestamp: Number(timestamp), signatures, prefix: `${id}.${timestamp}.`, keyOf: standardKey }
}

const text = new TextEncoder()

const ownKey = (secret: string) => text.encode(secret)

/** Early secrets use base64url. */
const standardKey = (secret: string) =>
  bytesOfBase64(
    secret
      .replace(/^whsec_/, "")
      .replaceAll("-", "+")
      .replaceAll("_", "/")
  )

/** The headers of a delivery, as the service writes them. */
export const signedHeaders = async (
  id: string,
  seconds: number,
  body: string,
  secrets: ReadonlyArray<string>
): Promise<Readonly<Record<string, string>>> => {
  const bytes = text.encode(body)
  const all = (keyOf: Signed["keyOf"], prefix: string) =>
    Promise.all(secrets.map((secret) => hmac(keyOf(secret), prefix, bytes)))
  const [own, standard] = [await all(ownKey, `${seconds}.`), await all(standardKey, `${id}.${seconds}.`)]
  return {
    [ownHeader]: [`t=${seconds}`, ...own.map((signature) => `v1=${hexOf(signature)}`)].join(","),
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": standard.map((signature) => `v1,${base64Of(signature)}`).join(" ")
  }
}

export const isSignedWith = async (
  { keyOf, prefix, signatures }: Signed,
  body: Uint8Array,
  secret: string
): Promise<boolean> => {
  const expected = await hmac(keyOf(secret), prefix, body)
  // Compares all signatures, even after a match.
  return signatures.filter((signature) => isEqual(signature, expected)).length > 0
}

const hmac = async (secret: Uint8Array | undefined, prefix: string, body: Uint8Array): Promise<Uint8Array> => {
  if (secret === undefined) throw new TypeError("a secret that is not base64")
  const before = text.encode(prefix)
  const message = new Uint8Array(before.length + body.length)
  message.set(before)
  message.set(body, before.length)
  const key = await crypto.subtle.importKey("raw", secret as BufferSource, { name: "HMAC", hash: "SHA-256" }, false, [
    "sign"
  ])
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, message))
}

/** A constant-time comparison. */
const isEqual = (a: Uint8Array, b: Uint8Array): boolean => {
  let difference = a.length ^ b.length
  for (let index = 0; index < b.length; index++) difference |= (a[index] ?? 0) ^ b[index]!
  return difference === 0
}

const bytesOfHex = (hex: string): Uint8Array =>
  Uint8Array.from({ length: hex.length / 2 }, (_, index) => Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16))

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

const bytesOfBase64 = (base64: string): Uint8Array | undefined => {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  } catch {
    return undefined
  }
}

const base64Of = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))
