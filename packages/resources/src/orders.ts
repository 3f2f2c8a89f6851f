/** Orders, and payment links, of which visits make orders. */
import { archived, each, forNobody, forOperators, listWith, objectWith, ownTable, resource, shown } from "./Resource.ts"

export const orders = resource("orders", {
  trade_no: shown("none"),
  version: forNobody("none"),
  merchant_id: shown("none"),
  mode: shown("none"),
  out_trade_no: shown("none"),
  amount: shown("none"),
  currency: shown("none"),
  subject: shown("words"),
  status: shown("none"),
  fee: shown("none"),
  refunded_amount: shown("none"),
  refunding_amount: archived("none"),
  /** The payment, by the channel's number. */
  payment_id: archived("none"),
  payment_method: shown("none"),
  channel: archived("none"),
  card: shown("address", "value"),
  attempts: shown("none"),
  declines: archived("none"),
  refundable_until: shown("none"),
  notify_url: shown("mentions"),
  return_url: shown("mentions"),
  metadata: shown("words", "map"),
  receipt_email: shown("address"),
  receipt: shown("words", objectWith({ failure: shown("words") })),
  unapplied_payments: shown("words", listWith({ note: forOperators("words"), problem: shown("words") })),
  unapplied_error: forOperators("words"),
  unapplied_attempts: forOperators("none"),
  unapplied_due_at: forOperators("none"),
  locale: shown("none"),
  disputes_open: shown("none"),
  disputes_lost: archived("none"),
  due_at: forNobody("none"),
  due_attempts: forNobody("none"),
  /** A repeat of a create is compared with it after the texts are gone. */
  terms_hash: forNobody("none"),
  paid_at: shown("none"),
  expires_at: shown("none"),
  created_at: shown("none"),
  erased_at: archived("none")
})

export const orderTags = ownTable("order_tags", ["tag", "trade_no"])

export const paymentLinks = resource("payment_links", {
  link_id: shown("none"),
  version: forNobody("none"),
  merchant_id: shown("none"),
  mode: shown("none"),
  subject: shown("words"),
  notify_url: shown("mentions"),
  return_url: shown("mentions"),
  metadata: shown("words", "map"),
  ...each(shown("none"), ["amount", "currency", "status", "max_uses", "used_count", "expires_at", "created_at"]),
  recent_visits: forNobody("none")
})

/** Receipts and other mails about an order. */
export const mails = resource("mails", {
  id: archived("none"),
  version: forNobody("none"),
  trade_no: archived("none"),
  recipient: archived("words"),
  status: archived("none"),
  attempts: archived("none"),
  due_at: forNobody("none"),
  /** In the order's timeline, too. */
  error: shown("words"),
  created_at: archived("none")
})
export const receiptNumbers = ownTable("receipt_numbers", ["merchant_id", "mode", "month", "last"])
