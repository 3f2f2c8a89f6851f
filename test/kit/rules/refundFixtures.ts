/** A refund that was just reserved, for the tests of its rules; every other state is reached from it by facts. */
import { OutRefundNo, RefundNo } from "@coffer/model/Ids"
import { Minor } from "@coffer/model/Money"
import type { Refund } from "@coffer/rules/refund/Refund"
import { createdAt, facts, pendingOrder } from "./fixtures.ts"

export const aRefund: Refund = {
  status: "reserved",
  refundNo: RefundNo.make("rfd_00000000000000000000000001"),
  outRefundNo: OutRefundNo.make("r-1"),
  tradeNo: pendingOrder.tradeNo,
  outTradeNo: pendingOrder.outTradeNo,
  merchantId: pendingOrder.merchantId,
  mode: "sandbox",
  channel: facts.channel,
  paymentId: facts.paymentId,
  amount: Minor.make(4_00),
  requestedAmount: null,
  currency: "USD",
  reason: null,
  metadata: {},
  notifyUrl: null,
  request: null,
  run: null,
  createdAt,
  updatedAt: createdAt
}
