/** Events, their endpoints, and receivers' answers. */
import { archived, each, forNobody, listWith, resource, shown } from "./Resource.ts"

export const events = resource("events", {
  id: shown("none"),
  merchant_id: shown("none"),
  mode: shown("none"),
  type: shown("none"),
  object_id: shown("none"),
  trade_no: archived("none"),
  /** The event as it is delivered. */
  body: shown("words", "objects"),
  /** The same, compressed. */
  packed: forNobody("words", "objects"),
  created_at: shown("none")
})

export const deliveries = resource("deliveries", {
  ...each(shown("none"), ["id", "event_id", "mode", "endpoint_id", "status", "resend_of", "next_attempt_at"]),
  url: shown("mentions"),
  /** Its host, by which one slow receiver delays no other. */
  destination: forNobody("mentions"),
  ...each(forNobody("none"), ["merchant_id", "attempts", "leased_until"]),
  created_at: shown("none")
})

export const deliveryAttempts = resource("delivery_attempts", {
  delivery_id: archived("none"),
  attempt: shown("none"),
  at: shown("none"),
  duration_ms: shown("none"),
  status_code: shown("none"),
  failure: shown("mentions"),
  /** How the receiver's answer begins. On the wire it is called `response_excerpt`. */
  snippet: shown("words")
})

export const endpointHealth = resource("endpoint_health", {
  ...each(forNobody("none"), ["endpoint_id", "merchant_id", "mode", "first_failures", "fifth_at", "last_failed_at"]),
  ...each(forNobody("none"), ["last_succeeded_at", "failing_since", "well_since", "disables", "is_told", "told_at"]),
  ...each(forNobody("none"), ["reason", "attempts", "due_at"]),
  /** Of the delivery that failed last; a mail to the merchant has it. */
  answer: shown("mentions")
})

export const webhookSettings = resource("webhook_settings", {
  ...each(forNobody("none"), ["id", "version", "merchant_id", "mode", "signing"]),
  endpoints: shown(
    "none",
    listWith({
      ...each(shown("none"), ["id", "url", "description", "types", "status", "isPaused", "disablesWhenFailing"]),
      ...each(shown("none"), ["createdAt", "updatedAt"]),
      isDisabledForFailing: forNobody("none"),
      secrets: forNobody("none")
    })
  )
})
