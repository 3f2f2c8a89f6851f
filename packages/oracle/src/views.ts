/** The objects as answers show them (spec: Resources and their fields). */
import type { Account, Dispute, Endpoint, Happening, Link, Order, Payout, Refund, Row, Wallet } from "./state.ts"
import { methods } from "./state.ts"
import { type Check, days, type Fields, type Hole, iso, nullOr, someText, textLike } from "./values.ts"

const orNull = (millis: number | null | undefined) => (millis == null ? null : iso(millis))
export const ownNoOf = ({ no, ownNo }: { readonly no: Hole; readonly ownNo: string | undefined }) => ownNo ?? no

/** The last moment for a refund; null where there is none. */
export const refundableUntil = ({ own }: Order): number | null => {
  const window = own && methods[own.method].refundDays
  return window === undefined ? null : own!.at + window * days
}

export const feeOf = (amount: number) => Math.min(amount, Math.floor((amount * 290 + 5_000) / 10_000) + 30)

/** What the buyer has paid, or is to pay. */
export const amountPaid = ({ amount, own }: Order) => own?.amount ?? amount

export const statusOf = (order: Order) => {
  const { refunded, state } = order
  if (state !== "paid" || refunded === 0) return state
  return refunded === amountPaid(order) ? "refunded" : "partially_refunded"
}

const isCard = (order: Order) => order.own !== undefined && methods[order.own.method].isCard

/** What disputes have done to the payment: an open one, then a lost one, then one that gave all back. */
const disputeStatusOf = ({ disputes }: Account, order: Order) => {
  const ofOrder = disputes.filter((dispute) => dispute.order === order)
  if (ofOrder.some(isOpen)) return "open"
  if (ofOrder.some(({ state }) => state === "lost")) return "lost"
  return ofOrder.length > 0 ? "won" : null
}

export const orderView = (account: Account, order: Order): Fields => ({
  object: "order",
  trade_no: order.no,
  out_trade_no: ownNoOf(order),
  merchant_id: account.merchantId,
  amount: order.amount,
  fee: order.own === undefined ? null : feeOf(amountPaid(order)),
  net_amount: order.own === undefined ? null : amountPaid(order) - feeOf(amountPaid(order)),
  refunded_amount: order.refunded,
  currency: order.currency,
  subject: order.erased && order.subject !== null ? "[erased]" : order.subject,
  status: statusOf(order),
  mode: "sandbox",
  payment_id: order.own?.id ?? null,
  payment_method: order.own?.method ?? null,
  refundable_until: orNull(refundableUntil(order)),
  checkout_url: textLike(new RegExp(`^http://[^/]+/checkout/TRD_SB_\\w+\\.${order.expiresAt / 1000}\\.[\\w-]+$`)),
  expires_at: iso(order.expiresAt),
  notify_url: order.notifyUrl,
  return_url: order.returnUrl,
  metadata: order.metadata,
  paid_at: orNull(order.own?.at),
  created_at: iso(order.createdAt),
  receipt_url: order.own === undefined ? null : textLike(/^http:\/\/[^/]+\/receipts\/TRD_SB_[^/]+$/),
  receipt_number: order.own === undefined ? null : nullOr(textLike(/^RCP-\d{6}-\d+$/)),
  receipt_email: order.receiptEmail,
  receipt_sent_at: nullOr(someText),
  locale: order.locale,
  receipt_failure_reason: nullOr(someText),
  payment_failure_reason: order.own === undefined ? order.failureReason : null,
  paid_card: isCard(order) && !order.own?.cardErased ? { brand: "visa", last4: "4242" } : null,
  dispute_status: disputeStatusOf(account, order),
  ...(order.manual
    ? {
        capture: "manual",
        capture_by: orNull(order.held?.until),
        captured_amount: order.own?.amount ?? null,
        capturing_amount: null
      }
    : {})
})

export const refundView = ({ merchantId }: Account, refund: Refund): Fields => ({
  object: "refund",
  refund_no: refund.no,
  out_refund_no: ownNoOf(refund),
  trade_no: refund.order.no,
  amount: refund.amount,
  reason: refund.reason,
  status: refund.state,
  funds_frozen: refund.state === "pending",
  settled_at: refund.settledAt,
  metadata: refund.metadata,
  currency: refund.order.currency,
  merchant_id: merchantId,
  mode: "sandbox",
  failure_reason: refund.state === "failed" ? someText : null,
  created_at: iso(refund.createdAt),
  updated_at: refund.updatedAt,
  out_trade_no: ownNoOf(refund.order)
})

export const isOpen = ({ state }: Dispute) => state === "needs_response" || state === "under_review"

export const disputeView = ({ merchantId }: Account, dispute: Dispute): Fields => ({
  object: "dispute",
  dispute_no: dispute.no,
  trade_no: dispute.order.no,
  merchant_id: merchantId,
  processor_dispute_id: dispute.processorNo,
  amount: dispute.amount,
  fee: dispute.fee,
  currency: dispute.order.currency,
  status: dispute.state,
  processor_status: dispute.word,
  reason: dispute.reason,
  mode: "sandbox",
  funds_frozen: isOpen(dispute),
  evidence_due_by: orNull(dispute.dueBy),
  opened_at: iso(dispute.openedAt),
  closed_at: dispute.closedAt,
  created_at: iso(dispute.openedAt),
  updated_at: textLike(/^\d{4}-/),
  out_trade_no: ownNoOf(dispute.order)
})

export const evidenceView = (_: Account, { evidence, no }: Dispute): Fields => ({
  object: "dispute_evidence",
  dispute_no: no,
  evidence: evidence.texts,
  files: evidence.files,
  submitted: evidence.submittedAt !== null,
  submitted_at: orNull(evidence.submittedAt),
  updated_at: evidence.updatedAt === null ? null : textLike(/^\d{4}-/)
})

export const linkView = ({ merchantId }: Account, link: Link): Fields => ({
  object: "payment_link",
  link_id: link.no,
  merchant_id: merchantId,
  url: textLike(/^http:\/\/[^/]+\/pay\/plink_\w+$/),
  mode: "sandbox",
  amount: link.amount,
  currency: link.currency,
  subject: link.subject,
  status: link.status,
  max_uses: link.maxUses,
  used_count: link.used,
  notify_url: link.notifyUrl,
  return_url: link.returnUrl,
  expires_at: orNull(link.expiresAt),
  metadata: link.metadata,
  created_at: iso(link.createdAt),
  ...(link.manual ? { capture: "manual" } : {})
})

const aTime = textLike(/^\d{4}-/)
const someTimes: Check = (actual) =>
  Array.isArray(actual) && actual.length <= 5 && actual.every((each) => aTime(each) === undefined)
    ? undefined
    : "at most five times"

/** A secret that was rotated may have ended by now. */
const rotation = ({ secrets }: Endpoint) =>
  secrets.length === 1
    ? { rotated_at: null, previous_until: null, previous_ends: [] }
    : { rotated_at: aTime, previous_until: nullOr(aTime), previous_ends: someTimes }

export const endpointView = (_: Account, endpoint: Endpoint): Fields => ({
  object: "webhook_endpoint",
  id: endpoint.no,
  mode: "sandbox",
  url: endpoint.url,
  description: endpoint.description,
  enabled_events: endpoint.types,
  status: endpoint.status,
  disable_when_failing: endpoint.disableWhenFailing,
  is_default: false,
  ...rotation(endpoint),
  created_at: iso(endpoint.createdAt),
  updated_at: textLike(/^\d{4}-/)
})

export const signingView = ({ rotatedAt, signing }: Account, now: number): Fields => ({
  object: "webhook_signing_secret",
  mode: "sandbox",
  secret: signing.at(-1)!.secret,
  rotated_at: orNull(rotatedAt),
  previous_until: orNull(signing.findLast(({ until }) => until > now && until < Infinity)?.until),
  previous_ends: signing
    .flatMap(({ until }) => (until > now && until < Infinity ? [until] : []))
    .toSorted((a, b) => a - b)
    .map(iso)
})

export const payoutView = ({ merchantId }: Account, payout: Payout): Fields => ({
  object: "payout",
  payout_no: payout.no,
  merchant_id: merchantId,
  mode: "sandbox",
  currency: payout.currency,
  amount: payout.amount,
  fee: payout.fee,
  status: payout.state,
  reference: payout.reference,
  created_at: iso(payout.createdAt),
  updated_at: iso(payout.updatedAt)
})

export const walletView = ({ merchantId }: Account, currency: string, wallet: Wallet): Fields => ({
  merchant_id: merchantId,
  currency,
  mode: "sandbox",
  available_balance: wallet.available,
  frozen_balance: wallet.frozen,
  total_revenue: wallet.revenue,
  total_fee: wallet.fee,
  total_payout: wallet.payout,
  total_refund: wallet.refund,
  // A refused payout sets the date of an unused wallet, although B4 says the merchant's creation.
  updated_at: wallet.revenue === 0 ? someText : wallet.updatedAt
})

export const rowView = ({ merchantId }: Account, row: Row): Fields => ({
  object: "balance_transaction",
  id: row.no,
  merchant_id: merchantId,
  type: row.type,
  currency: row.currency,
  amount: row.amount,
  balance_before: row.before,
  balance_after: row.after,
  reference_id: row.of.no,
  description: someText,
  mode: "sandbox",
  created_at: row.at,
  trade_no: row.order?.no ?? null,
  out_trade_no: row.order === undefined ? null : ownNoOf(row.order)
})

const flat = ["trade_no", "out_trade_no", "refund_no", "out_refund_no", "dispute_no", "amount", "currency", "status"]

export const eventView = (_: Account, { at, no, object, type }: Happening): Fields => ({
  object: "event",
  id: no,
  type,
  mode: "sandbox",
  created_at: at,
  sequence: (actual: unknown) => (Number.isInteger(actual) ? undefined : "an integer"),
  data: { object, ...Object.fromEntries(flat.filter((name) => name in object).map((name) => [name, object[name]])) },
  event_id: no,
  event_type: type
})
