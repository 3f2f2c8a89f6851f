/**
 * The declaration whose words each column of the database holds that has texts, JSON or bytes. `test/store/words`
 * holds it against the database, so that no column is added without being looked at here: an erasure looks through a buyer's, and archives
 * show what `src/exports/columns.ts` names.
 *
 * `number`: numbers of objects, hashes, states and other words of ours or of an acquirer. `merchant`: a merchant's own
 * settings and names. `people`: people who sign in, and operators. `sealed`: secrets, sealed or hashed. `order`: a
 * buyer's, in a row that belongs to an order (`buyerWords.ts`). `copy`: copies of requests (`eraseCopies.ts`). `named`:
 * texts of a merchant's that may name a buyer, with a step of their own. `chain`: hashed and never changed, so they may
 * have no word of a buyer.
 */
export type Whose = "number" | "merchant" | "people" | "sealed" | "order" | "copy" | "named" | "chain"

type Columns = Readonly<Partial<Record<Whose, string>>>

/** Columns that are named for nothing else are numbers, states and the like. */
export const words = {
  anchors: { chain: "chain row_id hash" },
  api_key_secrets: { sealed: "key_hash", number: "key_id" },
  api_keys: {
    number: "key_id merchant_id mode scopes",
    merchant: "name ip_allowlist",
    people: "last_used_ip created_by rolled_by"
  },
  api_log_bodies: { copy: "bodies" },
  api_logs: {
    number: "request_id merchant_id mode method error_code ip key_id",
    copy: "path user_agent idempotency_key request_body response_body ignored_fields"
  },
  approvals: { number: "act target content_hash operator_id", people: "operator content" },
  approvals_done: { number: "act target content_hash" },
  audit_log: { chain: "id actor_id actor role ip request_id act phase target details previous_hash hash" },
  audit_rounds: { number: "name about key" },
  audit_violations: { number: "law about key detail" },
  deliveries: { number: "id event_id merchant_id mode endpoint_id status resend_of", order: "url destination" },
  delivery_attempts: { number: "delivery_id", order: "failure snippet" },
  dispute_evidence: { number: "dispute_no", order: "evidence files submitting" },
  disputes: {
    number:
      "dispute_no merchant_id mode trade_no processor_dispute_id currency status processor_status reason response " +
      "stage channel out_trade_no",
    order: "notify_url check_error"
  },
  ended_keys: { sealed: "key_hash" },
  endpoint_health: { number: "endpoint_id merchant_id mode reason", named: "answer" },
  erasure_orders: { number: "erasure_no trade_no reason" },
  erasures: {
    number: "erasure_no merchant_id mode trade_no email_hash requested_by status step place counts error",
    sealed: "sealed"
  },
  events: { number: "id merchant_id mode type object_id trade_no", order: "body packed" },
  file_bytes: { number: "merchant_id mode" },
  files: { number: "name merchant_id mode content_type" },
  idempotency_keys: { number: "id merchant_id mode fingerprint state", copy: "data" },
  invitations: { number: "invitation_id belongs_to role", people: "email name invited_by" },
  key_leaks: { sealed: "key_hash", number: "id merchant_id mode key_id status error" },
  known_browsers: { number: "person_id", sealed: "browser_hash" },
  ledger: { chain: "id wallet_id merchant_id mode currency type reference_id description previous_hash hash" },
  ledger_sums: { number: "wallet_id row_id" },
  list_horizons: { number: "merchant_id mode shown calls" },
  mail_counts: { number: "counted" },
  mails: { number: "id trade_no status", order: "recipient error" },
  memberships: { number: "person_id belongs_to role" },
  merchant_modes: {
    number: "merchant_id mode payment_methods",
    sealed: "key_hash channel_accounts",
    merchant: "ip_allowlist default_notify_url default_endpoint mail_recipients"
  },
  merchants: {
    number: "merchant_id live_currencies fees quotas dispute_fee payout_fee time_zone",
    merchant: "name logo support_email support_url contact_email terms_url privacy_url accent_color",
    people: "note"
  },
  openid_identities: { number: "issuer person_id", people: "subject" },
  operators: { number: "operator_id role person_ids", sealed: "token_hash", people: "name" },
  order_tags: { number: "trade_no" },
  orders: {
    number:
      "trade_no merchant_id mode out_trade_no currency status payment_id payment_method locale channel " +
      "attempts terms_hash",
    order: "subject notify_url return_url metadata receipt_email receipt unapplied_payments unapplied_error card"
  },
  overview_days: { number: "merchant_id mode time_zone figures" },
  passkeys: { number: "passkey_id person_id credential_id public_key transports", people: "name" },
  payment_links: {
    number: "link_id merchant_id mode currency status recent_visits",
    named: "subject notify_url return_url metadata"
  },
  payouts: { number: "payout_no merchant_id mode currency status reference" },
  payouts_alone: { number: "payout_no mode currency" },
  people: { number: "person_id", people: "email name" },
  person_sessions: { number: "session_id person_id way passkey_id", sealed: "token_hash", people: "ip user_agent" },
  presented_disputes: { number: "merchant_id mode processor_dispute_id currency" },
  quota_counts: { number: "key" },
  receipt_numbers: { number: "merchant_id mode month" },
  reconciliation: { number: "id merchant_id mode payment_id trade_no currency" },
  refunds: {
    number: "refund_no merchant_id mode out_refund_no trade_no payment_id request currency status channel out_trade_no",
    order: "reason failure_reason metadata notify_url check_error"
  },
  report_parts: { number: "report_no content" },
  reports: { number: "report_no merchant_id mode terms request status failure place error" },
  retention: { number: "kind" },
  runner_vitals: { number: "instance address version node vitals" },
  runners: { number: "address process version" },
  sandbox_clocks: { number: "merchant_id after_event happened request holder" },
  sandbox_disputes: {
    number: "processor_dispute_id trade_no merchant_id payment_id currency reason state request"
  },
  sandbox_mails: { number: "merchant_id" },
  sandbox_payments: { number: "payment_id trade_no merchant_id method currency state", order: "card" },
  sandbox_refunds: { number: "refund_key payment_id state" },
  sandbox_seeds: { number: "merchant_id" },
  sandbox_switches: { number: "merchant_id" },
  saved_views: { number: "view_id belongs_to person_id page", named: "name query" },
  secret_check: { sealed: "value previous kept", number: "walk_part walk_after" },
  shop_domains: { number: "merchant_id host token problem mail" },
  sharing_browsers: { sealed: "token_hash browser_hash" },
  sign_in_links: { sealed: "token_hash browser_hash asker_hash", number: "person_id shared_at" },
  stray_sessions: {
    number: "id merchant_id mode session_id payment_id trade_no currency status channel",
    people: "closed_note"
  },
  stripe_call_keys: { number: "name" },
  stripe_events: { number: "id merchant_id mode event_id type kind object_id names shows" },
  stripe_movements: { number: "id merchant_id mode payment_id trade_no type currency source_currency" },
  stripe_polls: { number: "id merchant_id mode" },
  unconfirmed_addresses: { number: "merchant_id", merchant: "email" },
  waiting_mails: { number: "id about", sealed: "sealed" },
  stripe_sessions: { number: "key trade_no merchant_id mode method state session_id locale" },
  used_challenges: { sealed: "hash" },
  wallets: { number: "wallet_id merchant_id mode currency head_id head_hash version" },
  webhook_settings: { number: "id merchant_id mode", sealed: "signing", merchant: "endpoints" }
} satisfies Record<string, Columns>

export const whoseColumns = (table: string): ReadonlyMap<string, Whose> =>
  new Map(
    Object.entries((words as Readonly<Record<string, Columns>>)[table] ?? {}).flatMap(([whose, columns]) =>
      columns.split(" ").map((column) => [column, whose as Whose] as const)
    )
  )
