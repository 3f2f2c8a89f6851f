/** The columns of an export of disputes: the fields in the order the specification lists them (spec: Dispute). */
import type { DisputeResource } from "@coffer/contract/Disputes"
import type { Columns } from "@coffer/rules/csv"

export const disputeColumns: Columns<DisputeResource> = {
  dispute_no: "text",
  trade_no: "text",
  merchant_id: "text",
  processor_dispute_id: "text",
  amount: "amount",
  fee: "amount",
  currency: "text",
  status: "text",
  processor_status: "text",
  reason: "text",
  mode: "text",
  funds_frozen: "text",
  evidence_due_by: "text",
  opened_at: "text",
  closed_at: "text",
  created_at: "text",
  updated_at: "text"
}
