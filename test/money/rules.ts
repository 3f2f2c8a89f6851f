/** The rules alone as a business: what the rooms do with them, without rooms, rows or time. */
import { createHash } from "node:crypto"
import { DisputeNo, idBodyAfter, OutRefundNo, PayoutNo, PaymentId, RefundNo, TradeNo } from "@coffer/model/Ids"
import { Minor } from "@coffer/model/Money"
import {
  consequences as ofDispute,
  decide as decideDispute,
  evolve as evolveDispute,
  opening
} from "@coffer/rules/dispute/decide"
import type { Dispute } from "@coffer/rules/dispute/Dispute"
import { DisputeCommand } from "@coffer/rules/dispute/Dispute"
import { decide as decideOrder, evolve as evolveOrder } from "@coffer/rules/order/decide"
import { CancelAnswer, type Order, OrderCommand, remainingOf } from "@coffer/rules/order/Order"
import {
  consequences as ofPayout,
  decide as decidePayout,
  evolve as evolvePayout,
  type Payout,
  PayoutCommand,
  requesting
} from "@coffer/rules/payout/Payout"
import {
  consequences as ofRefund,
  decide as decideRefund,
  evolve as evolveRefund,
  type Refund,
  RefundCommand,
  reserving
} from "@coffer/rules/refund/Refund"
import { feeFor } from "@coffer/rules/wallet/feeFor"
import { type Entry, post } from "@coffer/rules/wallet/post"
import { emptyWallet, type LedgerRow } from "@coffer/rules/wallet/Wallet"
import { Result } from "effect"
import { createdAt as at, facts, pendingOrder } from "../kit/rules/fixtures.ts"
import type { Books } from "../kit/Merchant.ts"
import { disputeFee, payoutFee, type Step } from "./model.ts"

const digest = (text: string) => createHash("sha256").update(text).digest("hex")

export class Rules {
  readonly orders: Array<Order> = []
  readonly refunds: Array<Refund> = []
  readonly disputes: Array<Dispute> = []
  readonly payouts: Array<Payout> = []
  readonly ledger: Array<LedgerRow> = []
  wallet = emptyWallet({ merchantId: pendingOrder.merchantId, mode: "sandbox", currency: "USD" }, at)
  private numbers = "00000000000000000000000000"

  get books(): Books {
    const {
      available,
      frozen,
      totalFee: fee,
      totalPayout: payout,
      totalRefund: refund,
      totalRevenue: revenue
    } = this.wallet
    return { available, frozen, revenue, fee, refund, payout }
  }

  shown(index: number): readonly [string, number] {
    const order = this.orders[index]!
    return [order.status, "refundedAmount" in order ? order.refundedAmount : 0]
  }

  private next(prefix: string) {
    this.numbers = idBodyAfter(this.numbers)
    return prefix + this.numbers
  }

  private post(entry: Entry): boolean {
    const posting = post(this.wallet, entry, { now: at, idBody: this.next(""), digest })
    if (Result.isFailure(posting)) return false
    this.wallet = posting.success.wallet
    this.ledger.push(...posting.success.rows)
    return true
  }

  /** An order's half and the wallet's: both or neither. The status of a refusal; 200 when done. */
  private together(index: number, command: OrderCommand | undefined, entry: Entry): number {
    if (command === undefined) return this.post(entry) ? 200 : 400
    const order = this.orders[index]!
    const { events, refusal } = decideOrder(order, command)
    if (refusal !== undefined) return refusal.reason === "exceeds_remaining" ? 400 : 409
    if (!this.post(entry)) return 400
    this.orders[index] = events.reduce(evolveOrder, order)
    return 200
  }

  private indexOf({ tradeNo }: { readonly tradeNo: TradeNo }) {
    return this.orders.findIndex((order) => order.tradeNo === tradeNo)
  }

  take(step: Step): number {
    switch (step.do) {
      case "create":
        this.orders.push({
          ...pendingOrder,
          tradeNo: TradeNo.make(this.next("TRD_SB_")),
          amount: Minor.make(step.amount)
        } as Order)
        return 201
      case "pay":
        return this.pay(step)
      case "expire": {
        const order = this.orders[step.order]!
        const answer = CancelAnswer.cases.Cancelled.make({})
        const { events, refusal } = decideOrder(order, OrderCommand.cases.CloseEarly.make({ answer }))
        this.orders[step.order] = events.reduce(evolveOrder, order)
        return refusal === undefined ? 200 : 409
      }
      case "refund":
        return this.refund(step)
      case "settle": {
        const command =
          step.outcome === "succeeded"
            ? RefundCommand.cases.Confirm.make({ at })
            : RefundCommand.cases.Reject.make({ at, reason: "no" })
        return this.tellRefund(step.refund, command)
      }
      case "dispute":
        return this.dispute(step)
      case "resolve":
        return this.resolve(step)
      case "payout":
        return this.payout(step)
      case "review":
        return this.review(step)
      case "reload":
        return 200
    }
  }

  private pay({ method, order: index }: Extract<Step, { do: "pay" }>): number {
    const order = this.orders[index]!
    const { amount, currency, mode } = order
    const fee = feeFor([], { amount, currency, method, mode })
    const payment = { ...facts, amount, fee, method, paymentId: PaymentId.make(this.next("pay_")) }
    const { events } = decideOrder(order, OrderCommand.cases.ConfirmPayment.make({ facts: payment }))
    const credited = events.some(({ _tag }) => _tag === "PaymentSucceeded")
    this.orders[index] = events.reduce(evolveOrder, order)
    if (!credited) return 200
    const movement = { referenceId: order.tradeNo, description: "" }
    this.post({
      movements: [
        { ...movement, type: "payment_credit", amount },
        { ...movement, type: "fee_debit", amount: 0 - fee }
      ],
      reserve: 0
    })
    return 200
  }

  private refund({ amount: asked, order: index }: Extract<Step, { do: "refund" }>): number {
    const order = this.orders[index]!
    if (!("paymentId" in order)) return 409
    const amount = Minor.make(asked ?? Math.max(0, remainingOf(order)))
    const consequence = reserving(amount, asked === undefined, at)
    const said = this.together(index, consequence.order, consequence)
    if (said !== 200) return said
    const refundNo = RefundNo.make(this.next("rfd_"))
    this.refunds.push({
      status: "reserved",
      refundNo,
      outRefundNo: OutRefundNo.make(refundNo),
      tradeNo: order.tradeNo,
      outTradeNo: order.outTradeNo,
      merchantId: order.merchantId,
      mode: order.mode,
      channel: order.channel,
      paymentId: order.paymentId,
      amount,
      requestedAmount: null,
      currency: order.currency,
      reason: null,
      metadata: {},
      notifyUrl: null,
      request: null,
      run: null,
      createdAt: at,
      updatedAt: at
    })
    const later = order.method === "alipay"
    const { Await, Confirm } = RefundCommand.cases
    this.tellRefund(this.refunds.length - 1, later ? Await.make({ at }) : Confirm.make({ at }))
    return later ? 202 : 201
  }

  private tellRefund(index: number, command: RefundCommand): number {
    const refund = this.refunds[index]!
    const { events, refusal } = decideRefund(refund, command)
    if (refusal !== undefined) return 409
    for (const event of events) {
      const consequence = ofRefund(refund, event)
      if (this.together(this.indexOf(refund), consequence.order, consequence) !== 200) throw new Error("not covered")
      this.refunds[index] = evolveRefund(refund, event)
    }
    return 200
  }

  private dispute({ amount, order: index }: Extract<Step, { do: "dispute" }>): number {
    const order = this.orders[index]!
    if (amount > order.amount) return 400
    if (!("paymentId" in order) || order.method !== "card") return 409
    const dispute: Dispute = {
      status: "needs_response",
      stage: "chargeback",
      disputeNo: DisputeNo.make(this.next("dsp_")),
      tradeNo: order.tradeNo,
      outTradeNo: order.outTradeNo,
      merchantId: order.merchantId,
      mode: order.mode,
      channel: order.channel,
      processorDisputeId: this.next("dp_"),
      amount: Minor.make(amount),
      currency: order.currency,
      processorStatus: "needs_response",
      reason: "fraudulent",
      evidenceDueBy: null,
      notifyUrl: null,
      response: null,
      openedAt: at,
      createdAt: at,
      updatedAt: at
    }
    this.disputes.push(dispute)
    const { movements, order: command } = opening(dispute)
    return this.together(index, command, { movements, reserve: 0 }) === 200 ? 201 : 409
  }

  private resolve({ dispute: index, outcome }: Extract<Step, { do: "resolve" }>): number {
    const { ReportClosed, ReportLost, ReportWon } = DisputeCommand.cases
    const said = { at, processorStatus: outcome }
    const commands = {
      won: ReportWon.make(said),
      lost: ReportLost.make({ ...said, fee: Minor.make(disputeFee) }),
      closed: ReportClosed.make(said)
    }
    for (const event of decideDispute(this.disputes[index]!, commands[outcome]).events) {
      const before = this.disputes[index]!
      const { movements, order } = ofDispute(before, event)
      if (this.together(this.indexOf(before), order, { movements, reserve: 0 }) !== 200) throw new Error("not covered")
      this.disputes[index] = evolveDispute(before, event)
    }
    return 200
  }

  private payout({ amount }: Extract<Step, { do: "payout" }>): number {
    const payoutNo = PayoutNo.make(this.next("pyt_"))
    const { currency, merchantId, mode } = this.wallet
    const payout: Payout = {
      status: "requested",
      payoutNo,
      merchantId,
      mode,
      currency,
      amount: Minor.make(amount),
      fee: Minor.make(payoutFee),
      reference: null,
      createdAt: at,
      updatedAt: at
    }
    if (!this.post(requesting(payout))) return 400
    this.payouts.push(payout)
    return 201
  }

  private review({ payout: index, step }: Extract<Step, { do: "review" }>): number {
    const { Approve, Complete, Fail, Reject } = PayoutCommand.cases
    const commands = {
      approve: Approve.make({ at }),
      reject: Reject.make({ at }),
      complete: Complete.make({ at }),
      fail: Fail.make({ at })
    }
    const payout = this.payouts[index]!
    const { events, refusal } = decidePayout(payout, commands[step])
    for (const event of events) {
      if (!this.post(ofPayout(payout, event))) throw new Error("not covered")
      this.payouts[index] = evolvePayout(payout, event)
    }
    return refusal === undefined ? 200 : 409
  }
}
