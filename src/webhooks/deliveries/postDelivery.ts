/**
 * One attempt to deliver an event: takes address and secrets from the current settings, posts it, and decides what
 * follows (spec: Events, Delivery; silences: W5, W9, W11, W16, W17).
 */
import { redactText } from "@coffer/rules/redaction"
import type { StoredSecrets } from "@coffer/rules/webhooks/Settings"
import { nextAttempt, signatureHeader, standardHeaders } from "@coffer/rules/delivery/attempt"
import { Context, DateTime, Effect, Option } from "effect"
import { Events } from "../events/Events.ts"
import { type Merchant, Merchants } from "../../access/merchants/Merchants.ts"
import { openSigners } from "../../access/merchants/signingSecrets.ts"
import { unmovedMillisOf, unmovedTime } from "../../platform/runtime/MerchantClocks.ts"
import { hmacBase64, hmacHex, Secrets } from "../../platform/runtime/Secrets.ts"
import { Settings } from "../../platform/runtime/Settings.ts"
import { span } from "../../platform/runtime/span.ts"
import { millisOf } from "../../platform/runtime/clock.ts"
import type { Attempt, LeasedDelivery } from "./deliveryResults.ts"
import type { HealthMark } from "./EndpointHealth.ts"
import { Outbound, type Outcome } from "./Outbound.ts"

export interface Posted {
  readonly at: DateTime.Utc
  readonly ended: DateTime.Utc
  /** The time that the attempt took. A clock that is moved meanwhile does not count. */
  readonly millis: number
  readonly url: string
  /** Unsigned: no secret could be decrypted, so nothing was sent. */
  readonly outcome: Outcome | { readonly _tag: "Unsigned" }
  /** Its endpoint is disabled if it keeps failing. */
  readonly disables: boolean
}

/**
 * The time in a signature. A receiver compares it with its own clock, which is never moved (silences: T10). A testkit
 * moves the clock of the whole service, and gives the machine's time here.
 */
export const SignatureTime = Context.Reference<Effect.Effect<DateTime.Utc>>("@coffer/webhooks/SignatureTime", {
  defaultValue: () => unmovedTime
})

export type PostResult = Posted | "late" | "skipped" | "paused" | "proxy"

/** Keeps decrypted secrets for as long as their settings are in memory. */
const makeOpening = ({ decrypt }: Secrets["Service"]) => {
  const opened = new WeakMap<StoredSecrets, Map<string, string>>()
  return (stored: StoredSecrets) => {
    const kept = opened.get(stored) ?? new Map<string, string>()
    if (kept.size === 0) opened.set(stored, kept)
    return {
      decrypt: (sealed: string, boundTo: string): string => {
        const known = kept.get(sealed)
        if (known !== undefined) return known
        const secret = decrypt(sealed, boundTo)
        kept.set(sealed, secret)
        return secret
      }
    }
  }
}

/**
 * Signs and posts once. `late`: the attempt could not begin before `latest`, milliseconds of real time. `skipped`: its
 * endpoint was deleted or disabled. `paused`: it waits for its endpoint. `proxy`: the operator's proxy failed, which is
 * not charged to the destination. After `late` and `proxy` nothing is recorded, and the row is due again when its lease
 * ends.
 */
export const makePost = Effect.gen(function* () {
  const merchants = yield* Merchants
  const secrets = yield* Secrets
  const events = yield* Events
  const outbound = yield* Outbound
  const { allowPrivateWebhooks } = yield* Settings
  const openingOf = makeOpening(secrets)
  const signatureTime = yield* SignatureTime

  return span("Deliveries.post")(function* (delivery: LeasedDelivery, latest: number) {
    const merchant = yield* merchants.find(delivery.merchant_id)
    const target = targetOf(merchant, delivery)
    if (typeof target === "string") return target
    const { disables, stored, url } = target
    const fiber = yield* Effect.fiber
    const at = DateTime.makeUnsafe(millisOf(fiber))
    const begun = unmovedMillisOf(fiber)
    if (begun > latest) return "late"
    const account = { merchantId: merchant.merchant_id, mode: delivery.mode }
    const signers = openSigners(openingOf(stored), account, delivery.endpoint_id, stored, at)
    if (Option.isNone(signers)) {
      yield* Effect.logError(`delivery ${delivery.id}: the signing secret cannot be decrypted`)
      return { at, url, outcome: { _tag: "Unsigned" }, ended: at, millis: 0, disables } satisfies Posted
    }
    const body = events.deliverable(delivery)
    const outcome = yield* outbound.post({
      url,
      body,
      httpAllowed: delivery.mode === "sandbox",
      privateAllowed: delivery.mode === "sandbox" && allowPrivateWebhooks,
      headers: headersOf(delivery, { at: yield* signatureTime, body, secrets: signers.value })
    })
    if (outcome._tag === "NotDelivered" && outcome.reason === "proxy") return "proxy"
    const ended = DateTime.makeUnsafe(millisOf(fiber))
    return { at, url, outcome, ended, millis: unmovedMillisOf(fiber) - begun, disables } satisfies Posted
  })
})

/** The endpoint's current settings, or why nothing may be sent to it. */
const targetOf = ({ modes }: Merchant, { endpoint_id, mode, url }: LeasedDelivery) => {
  const { endpoints, signing } = modes[mode].webhooks
  if (endpoint_id === null) return { url, stored: signing, disables: false }
  const endpoint = endpoints.find(({ id }) => id === endpoint_id)
  if (endpoint?.status !== "enabled") return "skipped"
  if (endpoint.isPaused === true) return "paused"
  return { url: endpoint.url, stored: endpoint.secrets, disables: endpoint.disablesWhenFailing === true }
}

const headersOf = (
  { endpoint_id, event_id, type }: LeasedDelivery,
  signing: Parameters<typeof signatureHeader>[0]
): Record<string, string> => ({
  "Content-Type": "application/json",
  "User-Agent": "Coffer/1.0",
  "X-Service-Event-Id": event_id,
  "X-Service-Event-Type": type,
  "X-Service-Signature": signatureHeader(signing, hmacHex),
  ...(endpoint_id === null ? {} : { "X-Service-Endpoint-Id": endpoint_id }),
  ...standardHeaders(event_id, signing, (secret, message) => hmacBase64(secret.slice(secretPrefix.length), message))
})

const secretPrefix = "whsec_"

export const isDelivered = (outcome: Posted["outcome"]): boolean =>
  outcome._tag === "Answered" && outcome.status >= 200 && outcome.status < 300

/** The mark of the attempt on its endpoint; null where it says nothing. `endedAt`: in real time. */
export const healthOf = (
  { attempts, endpoint_id, is_manual }: LeasedDelivery,
  { disables, outcome }: Posted,
  endedAt: DateTime.Utc
): HealthMark | null => {
  if (endpoint_id === null || isOurs(outcome)) return null
  if (isDelivered(outcome)) return { mark: "success", at: endedAt }
  if (attempts > 0 || is_manual) return { mark: "failure", at: endedAt }
  return { mark: disables ? "first_disables" : "first", at: endedAt }
}

/** Our own failure: no secret can be decrypted, no DNS server answers, this machine has no network or no room. */
const isOurs = (outcome: Posted["outcome"]): boolean => {
  if (outcome._tag !== "NotDelivered") return outcome._tag === "Unsigned"
  const { detail, reason } = outcome
  return reason === "proxy" || (reason === "dns" && !ofTheName.has(detail)) || ofThisMachine.has(detail)
}
/** Answers of a DNS server about the name. */
const ofTheName: ReadonlySet<string> = new Set(["ENOTFOUND", "ENODATA", "ESERVFAIL", "EBADNAME"])
const ofThisMachine: ReadonlySet<string> = new Set(
  "EADDRNOTAVAIL EMFILE ENETDOWN ENETUNREACH ENFILE ENOBUFS ENOMEM".split(" ")
)

/** 2xx is delivered; anything else is tried again until the schedule ends (spec: Events, Delivery). */
export const attemptOf = (delivery: LeasedDelivery, { at, ended, millis, outcome, url }: Posted): Attempt => {
  const attempt = {
    at,
    url,
    durationMillis: millis,
    ...shownAttempt(outcome)
  }
  if (isDelivered(outcome)) return { ...attempt, status: "succeeded", nextAttemptAt: undefined }
  // A resend is not retried (silences: W11).
  const nextAttemptAt = delivery.is_manual ? undefined : nextAttempt(delivery.attempts + 1, ended)
  return { ...attempt, status: nextAttemptAt === undefined ? "failed" : "pending", nextAttemptAt }
}

/** Excerpts of answers that are kept for the sandbox of one merchant in a minute, on one runner (docs/security.md). */
export const excerptsMax = 600

/** Whether the excerpt of an answer is kept, at this time in milliseconds. Live ones all are (silences: W27). */
export const makeExcerpts = () => {
  let minute = 0
  const counts = new Map<string, number>()
  return ({ merchant_id, mode }: LeasedDelivery, millis: number): boolean => {
    if (mode === "live") return true
    const now = Math.floor(millis / 60_000)
    if (now !== minute) counts.clear()
    minute = now
    const count = counts.get(merchant_id) ?? 0
    if (count < excerptsMax) counts.set(merchant_id, count + 1)
    return count < excerptsMax
  }
}

const shownAttempt = (outcome: Posted["outcome"]): Pick<Attempt, "statusCode" | "failure" | "snippet"> => {
  switch (outcome._tag) {
    case "Answered":
      return { statusCode: outcome.status, failure: null, snippet: redactText(outcome.snippet) }
    case "Unsigned":
      return { statusCode: null, failure: "secret: the signing secret cannot be decrypted", snippet: null }
    case "NotDelivered":
      return { statusCode: null, failure: `${outcome.reason}: ${outcome.detail}`, snippet: null }
  }
}
