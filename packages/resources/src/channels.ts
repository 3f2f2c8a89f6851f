/** Rows of the channels, which merchants do not see directly. */
import { each, forNobody, forOperators, ownTable, resource } from "./Resource.ts"

// The sandbox -------------------------------------------------------------------------

const payment = ["payment_id", "trade_no", "merchant_id", "method", "amount", "currency", "state"] as const
export const sandboxPayments = resource("sandbox_payments", {
  ...each(forNobody("none"), [...payment, "report_due_at", "created_at", "captured_at", "script"]),
  card: forNobody("address")
})
const refund = ["refund_key", "payment_id", "amount", "state", "created_at", "settles_at"] as const
export const sandboxRefunds = ownTable("sandbox_refunds", refund)
export const sandboxDisputes = ownTable("sandbox_disputes", [
  "processor_dispute_id",
  "trade_no",
  "merchant_id",
  "payment_id",
  "amount",
  "currency",
  "reason",
  "state",
  "request",
  "due_by",
  "submitted_at",
  "lost_at",
  "report_due_at",
  "opened_at"
])
export const sandboxClocks = ownTable("sandbox_clocks", [
  "merchant_id",
  "offset_ms",
  "target",
  "began",
  "stops",
  "after_event",
  "happened",
  "request",
  "attempts",
  "reached",
  "holder",
  "leased_until"
])
export const sandboxMails = ownTable("sandbox_mails", ["merchant_id", "day", "mails"])
export const sandboxSeeds = ownTable("sandbox_seeds", ["merchant_id", "due_at"])
export const sandboxSwitches = ownTable("sandbox_switches", ["merchant_id", "reachable"])

// Stripe ------------------------------------------------------------------------------

const session = ["key", "number", "trade_no", "merchant_id", "mode", "method", "state", "session_id"] as const
export const stripeSessions = ownTable("stripe_sessions", [...session, "locale", "expires_at", "created_at"])
const event = ["id", "merchant_id", "mode", "event_id", "type", "kind", "object_id", "names", "shows"] as const
export const stripeEvents = ownTable("stripe_events", [...event, "created_at", "received_at", "due_at", "attempts"])
export const stripeMovements = ownTable("stripe_movements", [
  "id",
  "merchant_id",
  "mode",
  "payment_id",
  "trade_no",
  "type",
  "amount",
  "fee",
  "currency",
  "source_amount",
  "source_currency",
  "created_at",
  "checked_at"
])
export const stripePolls = ownTable("stripe_polls", [
  "id",
  "merchant_id",
  "mode",
  "since",
  "due_at",
  "movements_since",
  "movements_due_at",
  "movements_place",
  "webhook_at",
  "thin_at"
])
export const stripeCallKeys = ownTable("stripe_call_keys", ["name", "number", "counted_at"])

// Adyen -------------------------------------------------------------------------------

const link = ["key", "number", "trade_no", "merchant_id", "mode", "method", "state", "link_id"] as const
export const adyenLinks = ownTable("adyen_links", [...link, "expires_at", "created_at"])
const notice = ["id", "merchant_id", "mode", "code", "psp_reference", "original_reference", "reference"] as const
export const adyenNotices = resource("adyen_notices", {
  ...each(forNobody("none"), [...notice, "succeeded", "amount", "currency", "method", "answer_by", "link_id"]),
  ...each(forNobody("none"), ["event_at", "received_at", "due_at", "attempts"]),
  card_last4: forNobody("address"),
  reason: forNobody("none")
})
const modification = ["key", "merchant_id", "mode", "payment_id", "reference", "psp_reference", "asked_at"] as const
export const adyenModifications = ownTable("adyen_modifications", modification)
const answered = ["merchant_id", "mode", "processor_dispute_id", "step", "answer", "reason_code", "taken_at"] as const
export const adyenAnswers = ownTable("adyen_answers", answered)
const report = ["id", "merchant_id", "mode", "batch", "announced", "compared_until", "due_at"] as const
export const adyenReports = ownTable("adyen_reports", report)
const movement = ["id", "merchant_id", "mode", "payment_id", "trade_no", "type", "amount", "fee", "currency"] as const
export const adyenMovements = ownTable("adyen_movements", [
  ...movement,
  "source_amount",
  "source_currency",
  "created_at",
  "checked_at"
])

// What does not fit --------------------------------------------------------------------

export const straySessions = resource("stray_sessions", {
  ...each(forOperators("none"), ["id", "merchant_id", "mode", "session_id", "payment_id", "trade_no", "amount"]),
  ...each(forOperators("none"), ["currency", "status", "channel", "created_at", "updated_at", "ended_at"]),
  /** Why an operator closed it. It stands beside an order's number, and may name its buyer. */
  closed_note: forOperators("mentions")
})
export const reconciliation = resource("reconciliation", {
  ...each(forOperators("none"), ["id", "merchant_id", "mode", "payment_id", "trade_no", "currency", "ours"]),
  ...each(forOperators("none"), ["theirs", "created_at", "seen_at", "agreed_at", "channel"])
})
const presented = ["merchant_id", "mode", "processor_dispute_id", "amount", "currency"] as const
export const presentedDisputes = ownTable("presented_disputes", presented)
