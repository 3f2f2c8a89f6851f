/** Merchants with their settings, keys, hosts, files, reports and erasures. */
import { each, forNobody, forOperators, ownTable, resource, shown } from "./Resource.ts"

export const merchants = resource("merchants", {
  ...each(shown("none"), ["merchant_id", "name", "approved", "live_currencies", "fees", "dispute_fee", "payout_fee"]),
  ...each(shown("none"), ["quotas", "time_zone", "created_at", "suspended_at", "closed_at"]),
  ...each(shown("none"), ["logo", "accent_color", "support_email", "support_url", "terms_url", "privacy_url"]),
  contact_email: shown("none"),
  /** What operators write about the merchant. */
  note: forOperators("person")
})

export const merchantModes = resource("merchant_modes", {
  merchant_id: shown("none"),
  mode: shown("none"),
  key_hash: forNobody("none"),
  ip_allowlist: shown("none"),
  default_notify_url: shown("none"),
  default_endpoint: shown("none"),
  payment_methods: shown("none"),
  mail_recipients: shown("none"),
  /** Sealed. */
  channel_accounts: forNobody("none")
})
export const unconfirmedAddresses = resource("unconfirmed_addresses", {
  merchant_id: shown("none"),
  created_at: shown("none"),
  email: shown("none")
})

export const apiKeys = resource("api_keys", {
  ...each(shown("none"), ["key_id", "merchant_id", "mode", "name", "scopes", "ip_allowlist", "created_at"]),
  ...each(shown("none"), ["expires_at", "rolled_at", "revoked_at", "last_used_at"]),
  ...each(shown("person"), ["last_used_ip", "created_by", "rolled_by"])
})
export const apiKeySecrets = ownTable("api_key_secrets", ["key_hash", "key_id", "ends_at"])
export const endedKeys = ownTable("ended_keys", ["key_hash"])
const leak = ["id", "merchant_id", "mode", "key_id", "key_hash", "status", "error", "reported_at", "attempts"] as const
export const keyLeaks = ownTable("key_leaks", [...leak, "due_at"])

export const shopDomains = resource("shop_domains", {
  ...each(shown("none"), ["merchant_id", "host", "token", "problem", "pending_since", "checked_at", "verified_at"]),
  ...each(forNobody("none"), ["unproven_since", "next_check_at", "mail", "mail_of", "mail_at"])
})

export const files = resource("files", {
  ...each(shown("none"), ["name", "content_type", "size", "created_at"]),
  ...each(forNobody("none"), ["merchant_id", "mode", "kept_until"])
})
export const fileBytes = ownTable("file_bytes", ["merchant_id", "mode", "bytes"])

export const reports = resource("reports", {
  ...each(shown("none"), ["report_no", "merchant_id", "mode", "terms", "status", "failure", "rows_done"]),
  ...each(shown("none"), ["rows_total", "bytes", "created_at", "finished_at", "expires_at"]),
  ...each(forNobody("none"), ["request", "place", "steps", "due_at"]),
  error: forOperators("none")
})
export const reportParts = ownTable("report_parts", ["report_no", "starts_at", "content"])

export const erasures = resource("erasures", {
  ...each(shown("none"), ["erasure_no", "merchant_id", "mode", "trade_no", "email_hash", "status", "counts"]),
  ...each(shown("none"), ["requested_at", "done_at"]),
  ...each(forOperators("none"), ["requested_by", "error"]),
  /** The address, sealed, until the erasure is done. */
  sealed: forNobody("none"),
  ...each(forNobody("none"), ["version", "step", "place", "fresh", "due_at", "leased_until", "attempts"]),
  ...each(forNobody("none"), ["walked_from", "is_late"])
})
export const erasureOrders = ownTable("erasure_orders", ["erasure_no", "trade_no", "reason"])

export const overviewDays = ownTable("overview_days", ["merchant_id", "mode", "time_zone", "day", "figures"])
