/**
 * Keys that are derived from `SECRET_KEY`, and how texts are sealed with it. Each purpose has its own derived key, so
 * that what was made for one use is worthless for another. `platform/postgres/SecretCheck.ts` says which keys a process
 * has.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto"
import { Context, Option, Redacted } from "effect"

/** The key as bytes. */
export const bytesOf = (key: Redacted.Redacted): Buffer => Buffer.from(Redacted.value(key), "base64")

export const derive = (secret: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, "", `coffer/${purpose}`, 32))

/** Tells keys apart. The key cannot be found from it. */
export const checkOf = (secret: Buffer): string => derive(secret, "secret-check").toString("hex")

/** The number of a lock that says that a process can open what was sealed with this key. */
export const lockOf = (secret: Buffer): number => derive(secret, "lock").readUInt32BE() >>> 1

export class SecretKeys extends Context.Service<
  SecretKeys,
  {
    /** The key that `SECRET_KEY` seals with, and the one before while there is `SECRET_KEY_PREVIOUS`. */
    readonly current: Buffer
    readonly previous: Buffer | undefined
    /** False: `previous` seals until all runners can open what `current` has sealed. */
    readonly sealsWithCurrent: boolean
    /** These stay the same when `SECRET_KEY` is changed (docs/decisions/0029). */
    readonly apiKeys: Buffer
    readonly links: Buffer
  }
>()("@coffer/platform/SecretKeys") {}

/** How sealed texts begin. Those of the older form are not bound, and can be opened anywhere. */
const form = "2"
export const unboundForm = "1"

/**
 * AES-256-GCM, as `<form>.<iv>.<tag>.<cipher>` in base64url. To open it takes the same `boundTo`, which names the row
 * and its use. So a text that is copied to another row is worthless.
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
