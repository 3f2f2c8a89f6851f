/**
 * The value of `X-Service-Signature`: `t=<unix_seconds>,v1=<hex>`, one `v1` for each secret that is still valid. Pure:
 * the HMAC comes in, since this package has no cryptography of its own. Not the check of a signature; that is the
 * receiver's.
 *
 * spec: Events; silences: W9, W10, W13.
 */
import { DateTime } from "effect"

interface Signing {
  /** When this attempt is made; a redelivery is signed anew (silences: W13). */
  readonly at: DateTime.Utc
  /** The body exactly as it is sent. */
  readonly body: string
  /** The current secret, then the old ones that still sign. */
  readonly secrets: ReadonlyArray<string>
  /** HMAC-SHA256 in hex; the key is the UTF-8 bytes of the whole secret, its `whsec_` included (silences: W9). */
  readonly hmacHex: (secret: string, message: string) => string
}

export const signatureHeader = ({ at, body, hmacHex, secrets }: Signing): string => {
  // Receivers read whole seconds, and what is signed must be the text that they read.
  const t = DateTime.toEpochSeconds(at)
  return [`t=${t}`, ...secrets.map((secret) => `v1=${hmacHex(secret, `${t}.${body}`)}`)].join(",")
}
