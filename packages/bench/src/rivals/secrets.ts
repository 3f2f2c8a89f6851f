/**
 * The few cryptographic conventions that a rival must share with the service to work on the same rows: how a key is
 * looked up, how a checkout address is signed, how the ledger chains. See `src/platform/runtime/Secrets.ts`.
 */
import { createHmac, hash, hkdfSync } from "node:crypto"

export const makeSecrets = (secretKey: string) => {
  const secret = Buffer.from(secretKey, "base64")
  const derive = (purpose: string) => Buffer.from(hkdfSync("sha256", secret, "", `coffer/${purpose}`, 32))
  const keys = derive("api-keys")
  const links = derive("links").toString("base64url")
  return {
    keyHash: (key: string) => createHmac("sha256", keys).update(key).digest("hex"),
    sign: (payload: string) => hash("sha3-256", `${links}.${payload}`, "base64url")
  }
}

export type Secrets = ReturnType<typeof makeSecrets>

export const sha256 = (text: string): string => hash("sha256", text)
