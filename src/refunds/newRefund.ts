/** The refund that a request asks for, as it begins. Pure. */
import type { CreateRefund } from "@coffer/contract/Refunds"
import { createdAtOf, OutRefundNo, RefundNo } from "@coffer/model/Ids"
import { merge } from "@coffer/model/Metadata"
import { Minor } from "@coffer/model/Money"
import { remainingOf, type SettledOrder } from "@coffer/rules/order/Order"
import type { DateTime } from "effect"
import type { IdempotencyClaim } from "../idempotency/IdempotencyClaim.ts"
import type { ReservedRefund } from "./RefundCommands.ts"

export const newRefund = (
  order: SettledOrder,
  body: CreateRefund,
  number: string,
  now: DateTime.Utc,
  claim: IdempotencyClaim | undefined,
  run: number | null
): ReservedRefund => ({
  status: "reserved",
  refundNo: RefundNo.make(number),
  outRefundNo: body.out_refund_no ?? OutRefundNo.make(number),
  tradeNo: order.tradeNo,
  merchantId: order.merchantId,
  mode: order.mode,
  paymentId: order.paymentId,
  // The order's actor refuses it when there is nothing, or when it is not what remains by then.
  amount: body.amount ?? Minor.make(Math.max(0, remainingOf(order))),
  requestedAmount: body.amount ?? null,
  currency: order.currency,
  reason: body.reason ?? null,
  metadata: merge({}, body.metadata ?? {}),
  notifyUrl: order.notifyUrl,
  request: body.out_refund_no === undefined ? (claim?.id ?? null) : null,
  run,
  createdAt: createdAtOf(number),
  updatedAt: now
})
