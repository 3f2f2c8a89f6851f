/** The columns of an export of orders: the fields in the order the specification lists them (spec: Order). */
import type { OrderResource } from "@coffer/contract/Orders"
import type { Columns } from "@coffer/rules/csv"

export const orderColumns: Columns<OrderResource> = {
  trade_no: "text",
  out_trade_no: "text",
  merchant_id: "text",
  amount: "amount",
  fee: "amount",
  net_amount: "amount",
  refunded_amount: "amount",
  currency: "text",
  subject: "text",
  status: "text",
  mode: "text",
  payment_id: "text",
  payment_method: "text",
  refundable_until: "text",
  checkout_url: "text",
  expires_at: "text",
  notify_url: "text",
  return_url: "text",
  metadata: "json",
  paid_at: "text",
  created_at: "text",
  receipt_url: "text",
  receipt_number: "text",
  receipt_email: "text",
  receipt_sent_at: "text",
  locale: "text"
}
