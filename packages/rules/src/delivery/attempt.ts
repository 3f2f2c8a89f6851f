/**
 * The rules of one attempt to deliver an event: the headers that sign it, and when the next attempt follows one that
 * failed. Pure. The HMAC is a parameter, since this package has no cryptography. Receivers verify signatures. A
 * redelivery gets a new signature (spec: Events; silences: W7, W9, W10, W11, W13, W16).
 */
import { webhookRedeliveryDelays } from "@coffer/model/Limits"
import { DateTime, Duration } from "effect"

interface Signing {
  /** The time of this attempt. */
  readonly at: DateTime.Utc
  /** The body exactly as it is sent. */
  readonly body: string
  /** The current secret, then the old ones that still sign. */
  readonly secrets: ReadonlyArray<string>
}

/** Receivers parse the time as whole seconds, and the signed text must be the text that they see. */
const secondsOf = ({ at }: Signing): number => DateTime.toEpochSeconds(at)

/**
 * The value of `X-Service-Signature`: `t=<unix_seconds>,v1=<hex>`, one `v1` for each secret. `hmac` is HMAC-SHA256 in
 * hex; its key is the UTF-8 bytes of the whole secret, its `whsec_` included (silences: W9).
 */
export const signatureHeader = (signing: Signing, hmac: (secret: string, message: string) => string): string => {
  const t = secondsOf(signing)
  return [`t=${t}`, ...signing.secrets.map((secret) => `v1=${hmac(secret, `${t}.${signing.body}`)}`)].join(",")
}

/**
 * The headers of Standard Webhooks 1.0. `hmac` is HMAC-SHA256 in base64; its key is the base64 text of the secret after
 * `whsec_`, decoded.
 */
export const standardHeaders = (
  eventId: string,
  signing: Signing,
  hmac: (secret: string, message: string) => string
): Readonly<Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>> => {
  const t = String(secondsOf(signing))
  const signed = `${eventId}.${t}.${signing.body}`
  return {
    "webhook-id": eventId,
    "webhook-timestamp": t,
    "webhook-signature": signing.secrets.map((secret) => `v1,${hmac(secret, signed)}`).join(" ")
  }
}

/** The first push and its redeliveries. */
export const attemptsMax = 1 + webhookRedeliveryDelays.length

/**
 * When to push next after attempt number `attemptsMade` (the first is 1) failed; undefined after the last one. Each
 * delay counts from the failure before it, without jitter: 8 h 42 m 30 s in all. A manual resend has no redelivery.
 */
export const nextAttempt = (attemptsMade: number, failedAt: DateTime.Utc): DateTime.Utc | undefined => {
  const delay = webhookRedeliveryDelays[attemptsMade - 1]
  return delay === undefined ? undefined : DateTime.addDuration(failedAt, Duration.fromInputUnsafe(delay))
}
