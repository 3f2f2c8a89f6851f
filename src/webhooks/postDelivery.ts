/** One attempt to deliver an event: signs and posts it, and says what follows (spec: Events, Delivery). */
import { redactText } from "@coffer/rules/redaction"
import { nextAttempt } from "@coffer/rules/delivery/schedule"
import { signatureHeader } from "@coffer/rules/delivery/signature"
import { DateTime, Effect } from "effect"
import { Events } from "../events/Events.ts"
import { Merchants } from "../merchants/Merchants.ts"
import { hmacHex } from "../platform/runtime/Secrets.ts"
import { Settings } from "../platform/runtime/Settings.ts"
import { span } from "../platform/runtime/span.ts"
import { currentTime } from "../platform/runtime/clock.ts"
import { countProxyFailure, isDelivered } from "./DeliveryMetrics.ts"
import type { Attempt, LeasedDelivery } from "./DeliveryStore.ts"
import { Outbound, type Outcome } from "./Outbound.ts"

export interface Posted {
  readonly at: DateTime.Utc
  readonly ended: DateTime.Utc
  readonly outcome: Outcome
}

/**
 * Signs and posts once. Undefined if the attempt could not begin before `latest`, or if the operator's proxy failed,
 * which is not charged to the destination. Nothing is recorded then, and the row is due again when its lease ends.
 */
export const makePost = Effect.gen(function* () {
  const merchants = yield* Merchants
  const events = yield* Events
  const outbound = yield* Outbound
  const { allowPrivateWebhooks } = yield* Settings

  return span("Deliveries.post")(function* (delivery: LeasedDelivery, latest: DateTime.Utc) {
    const body = events.deliverable(delivery.body)
    const secret = yield* merchants.signingSecret(delivery.merchant_id, delivery.mode)
    const at = yield* currentTime
    if (DateTime.isGreaterThan(at, latest)) return undefined
    const outcome = yield* outbound.post({
      url: delivery.url,
      body,
      httpAllowed: delivery.mode === "sandbox",
      privateAllowed: delivery.mode === "sandbox" && allowPrivateWebhooks,
      headers: {
        "Content-Type": "application/json",
        "User-Agent": "Coffer/1.0",
        "X-Service-Event-Id": delivery.event_id,
        "X-Service-Event-Type": delivery.type,
        "X-Service-Signature": signatureHeader({ at, body, secrets: [secret], hmacHex }),
        ...(delivery.endpoint_id === null ? {} : { "X-Service-Endpoint-Id": delivery.endpoint_id })
      }
    })
    if (outcome._tag === "NotDelivered" && outcome.reason === "proxy") {
      yield* countProxyFailure
      return undefined
    }
    const posted: Posted = { at, outcome, ended: yield* currentTime }
    return posted
  })
})

/** 2xx is delivered; anything else is tried again until the schedule ends (spec: Events, Delivery). */
export const attemptOf = (delivery: LeasedDelivery, { at, ended, outcome }: Posted): Attempt => {
  const attempt = {
    at,
    durationMillis: DateTime.toEpochMillis(ended) - DateTime.toEpochMillis(at),
    ...(outcome._tag === "Answered"
      ? { statusCode: outcome.status, failure: null, snippet: redactText(outcome.snippet) }
      : { statusCode: null, failure: `${outcome.reason}: ${outcome.detail}`, snippet: null })
  }
  if (isDelivered(outcome)) return { ...attempt, status: "succeeded", nextAttemptAt: undefined }
  const nextAttemptAt = nextAttempt(delivery.attempts + 1, ended)
  return { ...attempt, status: nextAttemptAt === undefined ? "failed" : "pending", nextAttemptAt }
}
