/** The filters of every list in `listIndexes.long.test.ts`, and what a page by each of them may read. */
import type { LedgerQuery } from "@coffer/contract/Balance"
import type { DisputeQuery } from "@coffer/contract/Disputes"
import type { EventQuery } from "@coffer/contract/Events"
import type { OrderQuery } from "@coffer/contract/Orders"
import type { PaymentLinkQuery } from "@coffer/contract/PaymentLinks"
import type { RefundQuery } from "@coffer/contract/Refunds"
import type { DeliveryQuery } from "@coffer/contract/WebhookDeliveries"

/** 2026-01-01T00:00:00Z, when the first row was made. */
export const since = 1_767_225_600_000

/** To choose among several filters, so many rows of each are counted, every one read in two tables. */
const counted = 2 * 500

/** Orders in a range of amounts, each read in an index and in the table. */
const few = 2 * 500

/**
 * The scans that a page by the filter may read: so many scans of an index, and what is read once to choose among
 * filters.
 */
type Case<Query> = readonly [filter: Query, scans: number, choice?: number]

export const orderCases: ReadonlyArray<Case<OrderQuery>> = [
  [{}, 1],
  [{ status: "expired" }, 1],
  [{ status: "paid" }, 1],
  [{ status: "failed" }, 1],
  [{ status: "refunded" }, 1],
  [{ out_trade_no: `row-${since}-1` }, 1],
  [{ out_trade_no: "none", status: "paid" }, 1],
  [{ receipt_email: "now@shop.example" }, 1],
  [{ receipt_email: "formerly@shop.example" }, 1],
  [{ receipt_email: "rare@shop.example" }, 1],
  [{ receipt_email: "nobody@shop.example" }, 1],
  [{ receipt_email: "rare@shop.example", status: "expired" }, 4, counted + 60],
  [{ payment_method: "card" }, 1],
  [{ payment_method: "alipay" }, 1],
  [{ payment_method: "wechat_pay" }, 1],
  [{ payment_method: "google_pay" }, 1],
  // Few are read from the index of amounts and sorted, many from the newest.
  [{ "amount[gte]": "7", "amount[lte]": "7" }, 1, 2 * few],
  [{ "amount[gte]": "100", "amount[lte]": "500" }, 1, 2 * few],
  [{ "amount[lte]": "30", status: "expired" }, 1, 2 * few],
  [{ "amount[gte]": "1000" }, 1, few],
  // Numbers of the hour and of the 25 hours before it, one a minute, and the index of late ones, which is empty.
  [{ "paid_at[gte]": String(since / 1_000 + 36_000), "paid_at[lte]": String(since / 1_000 + 39_600) }, 1, 26 * 60],
  [{ "metadata[source]": ["app"] }, 2],
  [{ "metadata[source]": ["web"] }, 2],
  [{ "metadata[source]": ["fax"] }, 2],
  [{ "metadata[shop]": ["s1"] }, 2],
  [{ "metadata[cart]": ["c7"] }, 2],
  [{ "metadata[cart]": ["nobody's"] }, 2],
  [{ "metadata[cart]": ["c7"], out_trade_no: `row-${since}-1` }, 2],
  [{ "metadata[shop]": ["s1"], "metadata[source]": ["app"] }, 4, 2 * counted],
  [{ "metadata[shop]": ["s1"], "metadata[source]": ["fax"] }, 4, counted + 60],
  [{ "metadata[shop]": ["s1"], "metadata[cart]": ["c7"] }, 2, counted + 2],
  [{ "metadata[shop]": ["s1"], status: "expired" }, 4, 2 * counted],
  [{ "metadata[shop]": ["s1"], status: "failed" }, 2, counted + 30],
  [{ "metadata[source]": ["fax"], status: "expired" }, 4, counted + 60]
]

/** All wallets of an owner are merged, one for each currency. */
export const ledgerCases: ReadonlyArray<Case<LedgerQuery>> = [
  [{}, 3],
  [{ type: "payment_credit" }, 3],
  [{ type: "fee_debit" }, 3],
  [{ type: "payout_fee" }, 3],
  [{ type: "dispute_fee" }, 3],
  [{ currency: "USD" }, 1],
  [{ currency: "CNY" }, 1],
  [{ currency: "HKD" }, 1],
  [{ currency: "CNY", type: "fee_debit" }, 1],
  [{ currency: "CNY", type: "payout_fee" }, 1],
  [{ currency: "HKD", type: "fee_debit" }, 1],
  [{ reference_id: "ref-7" }, 1],
  [{ reference_id: "ref-7", type: "fee_debit", currency: "USD" }, 1]
]

export const eventCases: ReadonlyArray<Case<EventQuery>> = [
  [{}, 1],
  [{ type: ["payment.expired"] }, 1],
  [{ type: ["payment.succeeded"] }, 1],
  [{ type: ["payment.failed"] }, 1],
  [{ type: ["dispute.won"] }, 1],
  [{ type: ["payment.succeeded", "payment.failed"] }, 2],
  [{ type: ["payment.failed", "refund.failed", "dispute.won"] }, 3],
  [{ object_id: "obj-7" }, 1],
  [{ object_id: "obj-7", type: ["payment.failed", "payment.succeeded"] }, 1]
]

/** The newest half of the large merchant's refunds is void, and in no list. */
export const refundCases: ReadonlyArray<Case<RefundQuery>> = [
  [{}, 4],
  [{ status: "succeeded" }, 1],
  [{ status: "pending" }, 2],
  [{ status: "failed" }, 1],
  [{ out_refund_no: `row-${since}-1` }, 1],
  [{ trade_no: "TRD_SB_none" }, 1],
  [{ trade_no: "TRD_SB_none", status: "failed" }, 1]
]

export const disputeCases: ReadonlyArray<Case<DisputeQuery>> = [
  [{}, 1],
  [{ status: "won" }, 1],
  [{ status: "lost" }, 1],
  [{ status: "needs_response" }, 1],
  [{ status: "closed" }, 1],
  [{ trade_no: "TRD_SB_none", status: "won" }, 1]
]

/**
 * The event of each delivery is read too, and whether it has attempts. A page that is not by state is merged from four
 * scans.
 */
export const deliveryCases: ReadonlyArray<Case<DeliveryQuery>> = [
  [{}, 5],
  [{ status: "succeeded" }, 2],
  [{ status: "skipped" }, 2],
  [{ status: "failed" }, 2],
  [{ status: "pending" }, 2],
  [{ endpoint_id: "whe_now" }, 5],
  [{ endpoint_id: "whe_formerly" }, 5],
  [{ endpoint_id: "whe_none" }, 5],
  [{ endpoint_id: "whe_now", status: "succeeded" }, 2],
  [{ endpoint_id: "whe_now", status: "failed" }, 2],
  [{ endpoint_id: "whe_formerly", status: "skipped" }, 2],
  [{ event_id: "evt_none" }, 1],
  [{ event_id: "evt_none", endpoint_id: "whe_now", status: "failed" }, 1]
]

export const linkCases: ReadonlyArray<Case<PaymentLinkQuery>> = [[{}, 1]]

/** As a table of tests, named by their filters. */
export const named = <Query>(cases: ReadonlyArray<Case<Query>>) =>
  cases.map(([filter, scans, choice = 0]) => ({ name: JSON.stringify(filter), filter, scans, choice }))
