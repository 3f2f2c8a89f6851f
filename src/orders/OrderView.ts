/** An order as merchants see it, in responses and in events alike: the one encoder (silences: V3). Pure. */
import type { OrderResource } from "@coffer/contract/Orders"
import { byKey } from "@coffer/model/Metadata"
import type { Order } from "@coffer/rules/order/Order"
import { DateTime } from "effect"
import type { OrderUrls } from "../signedUrls/OrderLinks.ts"
import { keptOf } from "./orderFields.ts"

/** Here are the fields that the state does not have so. The others are as they are kept. */
export const orderView = (order: Order, urls: OrderUrls): OrderResource => {
  const payment = "paymentId" in order ? order : undefined
  return {
    ...keptOf(order),
    object: "order",
    net_amount: payment === undefined ? null : order.amount - payment.fee,
    refunded_amount: payment?.refundedAmount ?? 0,
    payment_method: payment?.method ?? null,
    refundable_until: payment?.refundableUntil ? DateTime.formatIso(payment.refundableUntil) : null,
    checkout_url: urls.checkout(order.tradeNo, order.expiresAt),
    expires_at: DateTime.formatIso(order.expiresAt),
    metadata: byKey(order.metadata),
    paid_at: payment === undefined ? null : DateTime.formatIso(payment.paidAt),
    created_at: DateTime.formatIso(order.createdAt),
    receipt_url: payment === undefined ? null : urls.receipt(order.tradeNo),
    receipt_number: order.receipt?.number ?? null,
    receipt_sent_at: order.receipt?.sentAt ? DateTime.formatIso(order.receipt.sentAt) : null,
    receipt_failure_reason: order.receipt?.failure ?? null
  }
}
