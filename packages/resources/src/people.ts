/** People who sign in, what they keep, operators, and the audit log. */
import { each, forNobody, forOperators, ownTable, resource, shown } from "./Resource.ts"

export const people = resource("people", {
  ...each(shown("none"), ["person_id", "created_at", "last_seen_at"]),
  ...each(shown("person"), ["email", "name"])
})
export const memberships = resource("memberships", {
  ...each(shown("none"), ["person_id", "belongs_to", "role", "created_at"]),
  sessions_after: forNobody("none")
})
export const invitations = resource("invitations", {
  ...each(shown("none"), ["invitation_id", "belongs_to", "role", "created_at", "expires_at"]),
  ...each(shown("person"), ["email", "name", "invited_by"]),
  operator_ids: forNobody("none")
})
export const passkeys = resource("passkeys", {
  ...each(shown("none"), ["passkey_id", "is_synced", "created_at", "last_used_at"]),
  name: shown("person"),
  ...each(forNobody("none"), ["person_id", "credential_id", "public_key", "transports", "counter"])
})
export const openidIdentities = resource("openid_identities", {
  ...each(forNobody("none"), ["issuer", "person_id", "created_at"]),
  subject: forNobody("person")
})
export const personSessions = resource("person_sessions", {
  ...each(shown("none"), ["session_id", "way", "created_at", "last_seen_at", "expires_at"]),
  ...each(shown("person"), ["ip", "user_agent"]),
  ...each(forNobody("none"), ["person_id", "passkey_id", "token_hash", "is_strong"])
})
export const knownBrowsers = ownTable("known_browsers", ["person_id", "browser_hash", "seen_at"])
const link = ["token_hash", "person_id", "browser_hash", "asker_hash", "created_at", "expires_at", "shared_at"] as const
export const signInLinks = ownTable("sign_in_links", link)
export const sharingBrowsers = ownTable("sharing_browsers", ["token_hash", "browser_hash"])
export const usedChallenges = ownTable("used_challenges", ["hash", "expires_at"])
export const firstAdmin = ownTable("first_admin", ["one"])

/** Filters of lists that people keep. One that names a buyer goes with the buyer. */
export const savedViews = resource("saved_views", {
  ...each(shown("none"), ["view_id", "belongs_to", "person_id", "page", "is_shared", "created_at", "updated_at"]),
  ...each(shown("mentions"), ["name", "query"])
})

/** What people of a merchant are notified of: numbers of objects, and no words. */
export const notifications = resource("notifications", {
  ...each(shown("none"), ["notification_id", "merchant_id", "mode", "occasion", "object_id", "amount", "currency"]),
  ...each(shown("none"), ["deadline", "raised_at"]),
  ...each(forNobody("none"), ["attempts", "due_at"])
})
const notificationMail = ["mail_id", "notification_id", "belongs_to", "person_id", "status", "digest_id"] as const
export const notificationMails = resource("notification_mails", {
  ...each(forNobody("none"), [...notificationMail, "attempts", "due_at", "created_at"]),
  /** The mail server's words, without the address. */
  error: forNobody("person")
})
export const notificationReads = ownTable("notification_reads", [
  "notification_id",
  "belongs_to",
  "person_id",
  "read_at"
])
export const notificationSettings = resource("notification_settings", {
  ...each(shown("none"), ["belongs_to", "person_id", "language", "switches", "updated_at"])
})

export const operators = resource("operators", {
  ...each(forOperators("none"), ["operator_id", "role", "person_ids", "created_at", "expires_at", "revoked_at"]),
  name: forOperators("person"),
  token_hash: forNobody("none")
})
export const approvals = resource("approvals", {
  ...each(forOperators("none"), ["act", "target", "content_hash", "operator_id", "created_at", "expires_at"]),
  ...each(forOperators("person"), ["operator", "content"])
})
export const approvalsDone = ownTable("approvals_done", ["act", "target", "content_hash", "done_at"])

/** Hashed and never changed, so it may have no buyer's word (`rules/operator/loggedBody.ts`). */
export const auditLog = resource("audit_log", {
  ...each(forOperators("none"), ["id", "sequence", "role", "request_id", "act", "phase", "target", "details"]),
  ...each(forOperators("none"), ["status", "created_at", "previous_hash", "hash"]),
  ...each(forOperators("person"), ["actor_id", "actor", "ip"])
})
const round = ["name", "about", "key", "version", "due_at", "lease_until", "checked_from"] as const
export const auditRounds = ownTable("audit_rounds", round)
export const auditViolations = resource("audit_violations", {
  ...each(forOperators("none"), ["law", "about", "key", "detail", "found_at"])
})
