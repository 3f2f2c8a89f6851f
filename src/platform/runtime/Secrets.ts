/**
 * All cryptography that needs the service's secret: key hashes, link signatures, encryption of webhook secrets. Each
 * purpose has its own derived key, so that a signature for one use is worthless for another.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual
} from "node:crypto"
import { Context, Effect, Layer, Redacted } from "effect"
import { Settings } from "./Settings.ts"

export class Secrets extends Context.Service<
  Secrets,
  {
    /** The HMAC of an API key, in hex. It is stored and looked up instead of the key. */
    readonly keyHash: (key: string) => string
    /** Compares in constant time. */
    readonly isSameHash: (a: string, b: string) => boolean
    /** Signature of a link's payload, base64url. */
    readonly sign: (payload: string) => string
    readonly isSigned: (payload: string, signature: string) => boolean
    /**
     * AES-256-GCM, as `<form>.<iv>.<tag>.<cipher>` in base64url. Decryption needs the same `boundTo`, which names the
     * row and its use. So a text that is copied to another row is worthless.
     */
    readonly encrypt: (plain: string, boundTo: string) => string
    /** Throws if the text was encrypted for another use, or with another secret. */
    readonly decrypt: (sealed: string, boundTo: string) => string
    readonly isOperator: (token: string) => boolean
    /** Unguessable text of so many random bytes, base64url unless said otherwise. */
    readonly random: (bytes: number, encoding?: "base64url" | "base64") => Effect.Effect<string>
  }
>()("@coffer/platform/Secrets") {}

/** How encrypted texts begin. Those of the older form are not bound, and can be decrypted anywhere. */
const form = "2"
export const unboundForm = "1"

export const layer = Layer.effect(
  Secrets,
  Effect.gen(function* () {
    const settings = yield* Settings
    const secret = Buffer.from(Redacted.value(settings.secretKey), "base64")
    const derive = (purpose: string) =>
      createSecretKey(Buffer.from(hkdfSync("sha256", secret, "", `coffer/${purpose}`, 32)))
    const [keys, links, secrets, tokens] = [
      derive("api-keys"),
      derive("links").export().toString("base64url"),
      derive("webhook-secrets"),
      derive("tokens")
    ]

    const hmac = (key: KeyObject, text: string) => createHmac("sha256", key).update(text).digest()
    // SHA-3 may be keyed by a prefix, as in KMAC. It takes one call, where an HMAC has to create an object.
    const sign = (payload: string) => hash("sha3-256", `${links}.${payload}`, "base64url")
    const operator = hmac(tokens, Redacted.value(settings.operatorToken))

    return Secrets.of({
      keyHash: (key) => hmac(keys, key).toString("hex"),
      isSameHash: (a, b) => isEqual(Buffer.from(a), Buffer.from(b)),
      sign,
      isSigned: (payload, signature) => isEqual(Buffer.from(sign(payload)), Buffer.from(signature)),
      encrypt: (plain, boundTo) => {
        const iv = randomBytes(12)
        const cipher = createCipheriv("aes-256-gcm", secrets, iv).setAAD(Buffer.from(boundTo))
        const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()])
        return [form, ...[iv, cipher.getAuthTag(), sealed].map((part) => part.toString("base64url"))].join(".")
      },
      decrypt: (text, boundTo) => {
        const [iv, tag, sealed] = text
          .split(".")
          .slice(1)
          .map((part) => Buffer.from(part, "base64url"))
        const decipher = createDecipheriv("aes-256-gcm", secrets, iv!, { authTagLength: 16 }).setAuthTag(tag!)
        if (!text.startsWith(`${unboundForm}.`)) decipher.setAAD(Buffer.from(boundTo))
        return Buffer.concat([decipher.update(sealed!), decipher.final()]).toString("utf8")
      },
      isOperator: (token) => isEqual(hmac(tokens, token), operator),
      random: (bytes, encoding = "base64url") => Effect.sync(() => randomBytes(bytes).toString(encoding))
    })
  })
)

const isEqual = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b)

/** Links the rows of the ledger's chain. */
export const sha256 = (text: string): string => hash("sha256", text)

/** The same of a webhook by the rules of Standard Webhooks: base64, and the key is what the text says in base64. */
export const hmacBase64 = (key: string, message: string): string =>
  createHmac("sha256", Buffer.from(key, "base64")).update(message).digest("base64")

/** Signature of a webhook (spec: Events). */
export const hmacHex = (secret: string, message: string): string =>
  createHmac("sha256", secret).update(message).digest("hex")
