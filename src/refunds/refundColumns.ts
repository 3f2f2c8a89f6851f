/** The columns of an export of refunds: the fields in the order the specification lists them (spec: Refund). */
import type { RefundResource } from "@coffer/contract/Refunds"
import type { Columns } from "@coffer/rules/csv"

export const refundColumns: Columns<RefundResource> = {
  refund_no: "text",
  out_refund_no: "text",
  trade_no: "text",
  amount: "amount",
  reason: "text",
  status: "text",
  funds_frozen: "text",
  settled_at: "text",
  metadata: "json",
  currency: "text",
  merchant_id: "text",
  mode: "text",
  failure_reason: "text",
  created_at: "text",
  updated_at: "text"
}
