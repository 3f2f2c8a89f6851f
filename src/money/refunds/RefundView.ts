/** A refund as merchants see it, in responses and in events alike: the one encoder. Pure. */
import { isoText } from "@coffer/model/isoText"
import type { RefundResource } from "@coffer/contract/Refunds"
import { byKey } from "@coffer/model/Metadata"
import type { Refund } from "@coffer/rules/refund/Refund"

export const refundView = (refund: Refund): RefundResource => ({
  object: "refund",
  refund_no: refund.refundNo,
  out_refund_no: refund.outRefundNo,
  trade_no: refund.tradeNo,
  amount: refund.amount,
  reason: refund.reason,
  status: wireStatus[refund.status],
  funds_frozen: refund.status === "pending",
  settled_at: refund.status === "succeeded" ? isoText(refund.settledAt) : null,
  metadata: byKey(refund.metadata),
  currency: refund.currency,
  merchant_id: refund.merchantId,
  mode: refund.mode,
  failure_reason: refund.status === "failed" ? refund.failureReason : null,
  created_at: isoText(refund.createdAt),
  updated_at: isoText(refund.updatedAt),
  out_trade_no: refund.outTradeNo
})

/** While the channel is being asked, every reader sees the refund as pending; a void refund is never shown. */
const wireStatus = {
  reserved: "pending",
  pending: "pending",
  succeeded: "succeeded",
  failed: "failed",
  void: "failed"
} as const satisfies Record<Refund["status"], RefundResource["status"]>
