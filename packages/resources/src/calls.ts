/** Calls: their log, and the answers that a repeat gets. */
import { each, forNobody, resource, shown } from "./Resource.ts"

export const apiLogs = resource("api_logs", {
  ...each(shown("none"), ["request_id", "merchant_id", "mode", "method", "status", "error_code", "duration_ms"]),
  ...each(shown("none"), ["ip", "key_id", "created_at"]),
  ...each(shown("request"), ["path", "user_agent", "idempotency_key"]),
  /** Bodies stand in `api_log_bodies`. Rows that older versions wrote have them here, and go with their day. */
  ...each(forNobody("none"), ["request_body", "response_body"]),
  /** Names of fields. One that is no plain word is not kept. */
  ignored_fields: shown("none"),
  ...each(forNobody("none"), ["status_class", "block", "place", "ahead_ms"])
})
export const apiLogBodies = resource("api_log_bodies", {
  ...each(forNobody("none"), ["day", "block"]),
  /** Compressed, of many calls. */
  bodies: forNobody("request")
})

export const idempotencyKeys = resource("idempotency_keys", {
  ...each(forNobody("none"), ["id", "version", "merchant_id", "mode", "fingerprint", "state", "lease_until"]),
  ...each(forNobody("none"), ["status", "created_at", "run"]),
  /** The answer. One that shows a secret is sealed. */
  data: forNobody("request")
})
