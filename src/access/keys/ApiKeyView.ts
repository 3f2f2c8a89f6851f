/** A key with scopes as it is shown, without its secret. Pure. */
import { isoText, isoTextOrNull } from "@coffer/model/isoText"
import type { ApiKeyResource } from "@coffer/contract/ApiKeys"
import { DateTime } from "effect"
import type { ApiKey } from "./ApiKeys.ts"

export const apiKeyView = (key: ApiKey, now: DateTime.Utc): ApiKeyResource => ({
  object: "api_key",
  key_id: key.key_id,
  merchant_id: key.merchant_id,
  mode: key.mode,
  name: key.name,
  scopes: key.scopes,
  ip_allowlist: key.ip_allowlist,
  status: statusOf(key, now),
  created_at: isoText(key.created_at),
  expires_at: isoTextOrNull(key.expires_at),
  rolled_at: isoTextOrNull(key.rolled_at),
  revoked_at: isoTextOrNull(key.revoked_at),
  last_used_at: isoTextOrNull(key.last_used_at),
  last_used_ip: key.last_used_ip,
  created_by: key.created_by,
  rolled_by: key.rolled_by
})

const statusOf = ({ expires_at, revoked_at }: ApiKey, now: DateTime.Utc): ApiKeyResource["status"] => {
  if (revoked_at !== null) return "revoked"
  return expires_at !== null && DateTime.isLessThanOrEqualTo(expires_at, now) ? "expired" : "active"
}
