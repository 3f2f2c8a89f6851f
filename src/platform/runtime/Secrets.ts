/**
 * All cryptography that needs the service's secret: key hashes, link signatures, encryption of webhook secrets. Each
 * purpose has its own derived key, so that a signature for one use is worthless for another.
 * `platform/postgres/SecretCheck.ts` says which keys a process has.
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
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { Settings } from "./Settings.ts"

export class Secrets extends Context.Service<
  Secrets,
  {
    /** The HMAC of an API key, in hex. It is stored and looked up instead of the key. */
    readonly keyHash: (key: string) => string
    /** Signature of a link's payload, base64url. */
    readonly sign: (payload: string) => string
    readonly isSigned: (payload: string, signature: string) => boolean
    /** Encrypts with `SECRET_KEY`, bound to a row and its use (`seal`). */
    readonly encrypt: (plain: string, boundTo: string) => string
    /** Throws if the text was encrypted for another use, or with a key that is neither of ours. */
    readonly decrypt: (sealed: string, boundTo: string) => string
    /** Encrypts a text again with `SECRET_KEY`; undefined if that key has encrypted it. Throws as `decrypt`. */
    readonly reseal: (sealed: string, boundTo: string) => string | undefined
    /** Makes `SECRET_KEY` encrypt from now on: all runners can decrypt it. */
    readonly sealWithCurrent: () => void
    readonly isOperator: (token: string) => boolean
    /** Unguessable text of so many random bytes, base64url unless said otherwise. */
    readonly random: (bytes: number, encoding?: "base64url" | "base64") => Effect.Effect<string>
  }
>()("@coffer/platform/Secrets") {}

export const layer = Layer.effect(
  Secrets,
  Effect.gen(function* () {
    const settings = yield* Settings
    const { apiKeys, current, links, previous, sealsWithCurrent } = yield* SecretKeys
    const [keys, tokens] = [apiKeys, derive(bytesOf(settings.secretKey), "tokens")].map((key) => createSecretKey(key))
    const linkKey = links.toString("base64url")
    let sealing = sealsWithCurrent || previous === undefined ? current : previous

    const hmac = (key: KeyObject, text: string) => createHmac("sha256", key).update(text).digest()
    // SHA-3 may be keyed by a prefix, as in KMAC. It takes one call, where an HMAC has to create an object.
    const sign = (payload: string) => hash("sha3-256", `${linkKey}.${payload}`, "base64url")
    const operator = hmac(tokens!, Redacted.value(settings.operatorToken))
    const decrypt = (text: string, boundTo: string) => {
      if (previous === undefined) return unseal(current, text, boundTo)
      return Option.getOrElse(tryUnseal(current, text, boundTo), () => unseal(previous, text, boundTo))
    }

    return Secrets.of({
      keyHash: (key) => hmac(keys!, key).toString("hex"),
      sign,
      isSigned: (payload, signature) => isEqual(Buffer.from(sign(payload)), Buffer.from(signature)),
      encrypt: (plain, boundTo) => seal(sealing, plain, boundTo),
      decrypt,
      reseal: (text, boundTo) =>
        Option.isSome(tryUnseal(current, text, boundTo)) ? undefined : seal(current, decrypt(text, boundTo), boundTo),
      sealWithCurrent: () => {
        sealing = current
      },
      isOperator: (token) => isEqual(hmac(tokens!, token), operator),
      random: (bytes, encoding = "base64url") => Effect.sync(() => randomBytes(bytes).toString(encoding))
    })
  })
)

const isEqual = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b)

/** Links the rows of the ledger's chain. */
export const sha256 = (content: string | Uint8Array): string => hash("sha256", content)

/** Signature of a webhook by Standard Webhooks, in base64. `key` is base64 of the key's bytes. */
export const hmacBase64 = (key: string, message: string): string =>
  createHmac("sha256", Buffer.from(key, "base64")).update(message).digest("base64")

/** Signature of a webhook (spec: Events). */
export const hmacHex = (secret: string, message: string): string =>
  createHmac("sha256", secret).update(message).digest("hex")

// Keys that are derived from SECRET_KEY, and encryption with it -------- Each purpose has its own derived key, so that
// what was made for one use is worthless for another.

/** The key as bytes. */
export const bytesOf = (key: Redacted.Redacted): Buffer => Buffer.from(Redacted.value(key), "base64")

export const derive = (secret: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, "", `coffer/${purpose}`, 32))

/** Identifies a key, which cannot be derived from it. */
export const checkOf = (secret: Buffer): string => derive(secret, "secret-check").toString("hex")

/** The lock that shows that a process can decrypt with this key. */
export const lockOf = (secret: Buffer): number => derive(secret, "lock").readUInt32BE() >>> 1

export class SecretKeys extends Context.Service<
  SecretKeys,
  {
    /** The key of `SECRET_KEY`, and the previous one while `SECRET_KEY_PREVIOUS` is set. */
    readonly current: Buffer
    readonly previous: Buffer | undefined
    /** False: texts are encrypted with `previous` until all runners can decrypt with `current`. */
    readonly sealsWithCurrent: boolean
    /** These stay the same when `SECRET_KEY` is changed (docs/decisions/0017). */
    readonly apiKeys: Buffer
    readonly links: Buffer
  }
>()("@coffer/platform/SecretKeys") {}

/** Prefixes of encrypted texts. Texts of the older form are not bound to a row. */
const form = "2"
export const unboundForm = "1"

/**
 * AES-256-GCM, as `<form>.<iv>.<tag>.<cipher>` in base64url. Decryption needs the same `boundTo`, which names the row
 * and its use, so a text that is copied to another row is worthless.
 */
export const seal = (key: Buffer, plain: string, boundTo: string): string => {
  const iv = randomBytes(12)
  const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(boundTo))
  const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()])
  return [form, ...[iv, cipher.getAuthTag(), sealed].map((part) => part.toString("base64url"))].join(".")
}

/** Throws if the text was sealed for another use, or with another key. */
export const unseal = (key: Buffer, text: string, boundTo: string): string => {
  const [iv, tag, sealed] = text
    .split(".")
    .slice(1)
    .map((part) => Buffer.from(part, "base64url"))
  const decipher = createDecipheriv("aes-256-gcm", key, iv!, { authTagLength: 16 }).setAuthTag(tag!)
  if (!text.startsWith(`${unboundForm}.`)) decipher.setAAD(Buffer.from(boundTo))
  return Buffer.concat([decipher.update(sealed!), decipher.final()]).toString("utf8")
}

/** None where it throws. */
export const tryUnseal = Option.liftThrowable(unseal)
