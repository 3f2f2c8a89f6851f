/** Merchants with their settings, keys, hosts, files, reports and erasures. */
import { ApiKeyId, Mode } from "@coffer/model/Ids"
import { Schema } from "effect"
import { code, field, listed } from "./listed.ts"
import { merchantId } from "./shared.ts"
import { each, forNobody, forOperators, ownTable, resource, shown } from "./Resource.ts"

export const merchants = resource("merchants", {
  ...each(shown("none"), ["merchant_id", "name", "approved", "live_currencies", "fees", "dispute_fee", "payout_fee"]),
  ...each(shown("none"), ["quotas", "time_zone", "created_at", "suspended_at", "closed_at"]),
  ...each(shown("none"), ["logo", "accent_color", "support_email", "support_url", "terms_url", "privacy_url"]),
  ...each(shown("none"), ["business_address", "tax_id"]),
  contact_email: shown("none"),
  /** What operators write about the merchant. */
  note: forOperators("person")
})

export const merchantModes = resource("merchant_modes", {
  merchant_id: shown("none"),
  mode: shown("none"),
  ...each(forNobody("none"), ["key_hash", "previous_key_hash", "previous_until"]),
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

export const apiKeys = listed(
  "api_keys",
  {
    key_id: field(
      ApiKeyId,
      shown("none"),
      ["Key ID", "密钥 ID", "Number of the key; begins with `key_`. It identifies the key and is not a secret."],
      code
    ),
    merchant_id: merchantId,
    mode: field(Mode, shown("none"), ["Environment", "环境", "The environment."]),
    name: field(Schema.String, shown("none"), ["Name", "名称", "Its purpose, in the merchant's words."]),
    scopes: field(Schema.Array(Schema.String), shown("none"), [
      "Permissions",
      "权限",
      "The scopes: `orders:read`, `refunds:write` and so on. A key that may write a resource may read it."
    ]),
    ip_allowlist: field(Schema.String, shown("none"), [
      "IP allowlist",
      "IP 白名单",
      "Addresses from which it is accepted, out of those that the environment allows; empty: all of them."
    ]),
    status: field(
      Schema.Literals(["active", "expired", "revoked"]),
      shown("none"),
      ["Status", "状态", "Whether it works."],
      { look: "state", made: "unstored" }
    ),
    created_at: field(Schema.DateTimeUtc, shown("none"), ["Created", "创建时间", "When it was created."]),
    expires_at: field(Schema.NullOr(Schema.DateTimeUtc), shown("none"), [
      "Expires",
      "有效期",
      "When it stops working; null: never."
    ]),
    rolled_at: field(Schema.NullOr(Schema.DateTimeUtc), shown("none"), [
      "Last rolled",
      "上次轮换",
      "When its secret was last rolled; null: never."
    ]),
    previous_until: field(
      Schema.NullOr(Schema.DateTimeUtc),
      shown("none"),
      ["Old secret works until", "旧密钥值有效至", "Until when an old secret works; null if none does."],
      { made: "stored" }
    ),
    previous_ends: field(
      Schema.Array(Schema.String),
      shown("none"),
      [
        "Old secrets end",
        "旧密钥值失效时间",
        "When each old secret ends that still works, the next end first; empty if none works."
      ],
      { made: "unstored" }
    ),
    revoked_at: field(Schema.NullOr(Schema.DateTimeUtc), shown("none"), [
      "Revoked",
      "吊销时间",
      "When it was revoked; null: it was not."
    ]),
    last_used_at: field(Schema.NullOr(Schema.DateTimeUtc), shown("none"), [
      "Last used",
      "最近使用",
      "When it was last used, up to half a minute late; null: never."
    ]),
    last_used_ip: field(Schema.NullOr(Schema.String), shown("person"), [
      "Last used from",
      "最近使用的 IP",
      "The address that last used it; null: never used."
    ]),
    /** Addresses of people of the merchant. */
    created_by: field(Schema.NullOr(Schema.String), shown("person"), [
      "Seen by",
      "查看过的成员",
      "The address of the merchant's team member who created it and saw its " +
        "first secret; null: an operator, or not recorded."
    ]),
    rolled_by: field(Schema.NullOr(Schema.String), shown("person"), [
      "Rolled by",
      "轮换者",
      "The address of the team member who rolled it last; null: an operator, or never rolled."
    ])
  },
  {
    object: "api_key",
    label: { en: "API keys", zh: "API 密钥" },
    list: {
      name: "shown",
      status: "shown",
      scopes: "wide",
      last_used_at: "shown",
      expires_at: "wide",
      created_by: "shown",
      ip_allowlist: "hidden",
      created_at: "hidden",
      rolled_at: "hidden",
      key_id: "hidden"
    },
    brief: [],
    facts: [],
    filters: {}
  }
)
export const apiKeySecrets = ownTable("api_key_secrets", ["key_hash", "key_id", "merchant_id", "mode", "ends_at"])
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
  requested_by: shown("person"),
  error: forOperators("none")
})
export const reportParts = ownTable("report_parts", ["report_no", "starts_at", "content"])

export const erasures = resource("erasures", {
  ...each(shown("none"), ["erasure_no", "merchant_id", "mode", "trade_no", "email_hash", "status", "counts"]),
  ...each(shown("none"), ["requested_at", "done_at"]),
  requested_by: shown("person"),
  error: forOperators("none"),
  /** The address, sealed, until the erasure is done. */
  sealed: forNobody("none"),
  ...each(forNobody("none"), ["version", "step", "place", "fresh", "due_at", "leased_until", "attempts"]),
  ...each(forNobody("none"), ["walked_from", "is_late"])
})
export const erasureOrders = ownTable("erasure_orders", ["erasure_no", "trade_no", "reason"])

export const overviewDays = ownTable("overview_days", ["merchant_id", "mode", "time_zone", "day", "figures"])
