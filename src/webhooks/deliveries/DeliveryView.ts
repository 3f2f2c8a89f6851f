/** A delivery on the wire, for merchants and for the operator (silences: W15). Pure. */
import { isoText, isoTextOrNull } from "@coffer/model/isoText"
import type { DeliveryResource } from "@coffer/contract/WebhookDeliveries"
import type { Delivery } from "./DeliveryHistory.ts"

export const deliveryView = (delivery: Delivery): DeliveryResource => ({
  object: "webhook_delivery",
  id: delivery.id,
  mode: delivery.mode,
  event_id: delivery.event_id,
  event_type: delivery.event_type,
  endpoint_id: delivery.endpoint_id,
  url: delivery.url,
  status: delivery.status,
  next_attempt_at: isoTextOrNull(delivery.next_attempt_at),
  resend_of: delivery.resend_of,
  attempts: delivery.attempts.map((attempt) => ({
    attempt: attempt.attempt,
    kind: delivery.resend_of === null ? "automatic" : "manual",
    at: isoText(attempt.at),
    duration_ms: attempt.duration_ms,
    status_code: attempt.status_code,
    failure: attempt.failure,
    response_excerpt: attempt.snippet
  })),
  created_at: isoText(delivery.created_at)
})
