/** Money that goes back to buyers. */
import { archived, forNobody, forOperators, resource, shown } from "./Resource.ts"

export const refunds = resource("refunds", {
  refund_no: shown("none"),
  version: forNobody("none"),
  merchant_id: shown("none"),
  mode: shown("none"),
  out_refund_no: shown("none"),
  trade_no: shown("none"),
  out_trade_no: shown("none"),
  /** The payment that is paid back, by the channel's number. */
  payment_id: archived("none"),
  /** The payment's channel, which is asked to pay it back. */
  channel: archived("none"),
  amount: shown("none"),
  requested_amount: archived("none"),
  currency: shown("none"),
  /** The merchant's own text. */
  reason: shown("words"),
  status: shown("none"),
  /** The channel's text. */
  failure_reason: shown("mentions"),
  metadata: shown("words", "map"),
  /** Where the order wants its events, and so those of its refunds. */
  notify_url: archived("mentions"),
  /** The claim of an idempotency key that the request held when it named no number. */
  request: forNobody("none"),
  /** The run of the program that reserved it and asks the channel; null: unknown. */
  run: forNobody("none"),
  next_check_at: forOperators("none"),
  checks: forOperators("none"),
  check_error: forOperators("words"),
  settled_at: shown("none"),
  created_at: shown("none"),
  updated_at: shown("none")
})

export const disputes = resource("disputes", {
  dispute_no: shown("none"),
  version: forNobody("none"),
  merchant_id: shown("none"),
  mode: shown("none"),
  trade_no: shown("none"),
  out_trade_no: shown("none"),
  processor_dispute_id: shown("none"),
  channel: archived("none"),
  amount: shown("none"),
  fee: shown("none"),
  currency: shown("none"),
  status: shown("none"),
  stage: shown("none"),
  processor_status: shown("none"),
  /** A word of the bank. */
  reason: shown("none"),
  response: forNobody("none"),
  notify_url: archived("mentions"),
  next_check_at: forOperators("none"),
  checks: forOperators("none"),
  check_error: forOperators("words"),
  evidence_due_by: shown("none"),
  opened_at: shown("none"),
  closed_at: shown("none"),
  created_at: shown("none"),
  updated_at: shown("none")
})

export const disputeEvidence = resource("dispute_evidence", {
  dispute_no: shown("none"),
  version: forNobody("none"),
  evidence: shown("words", "map"),
  files: shown("words", "list"),
  /** What the channel has not taken yet. */
  submitting: archived("words", "value"),
  submitted_at: shown("none"),
  updated_at: shown("none")
})
