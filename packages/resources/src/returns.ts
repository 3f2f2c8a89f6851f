/** Money that goes back to buyers. */
import { ChannelName, OutRefundNo, OutTradeNo, PaymentId, RefundNo, TradeNo } from "@coffer/model/Ids"
import { Metadata } from "@coffer/model/Metadata"
import { Minor } from "@coffer/model/Money"
import { Schema } from "effect"
import { code, field, fixed, listed, money, typed } from "./listed.ts"
import { archived, forNobody, forOperators, resource, shown } from "./Resource.ts"
import { currency, merchantId, mode } from "./shared.ts"

export const refunds = listed(
  "refunds",
  {
    // In the order of the specification.
    refund_no: field(RefundNo, shown("none"), ["Refund", "退款号", "Our number of the refund."], { ...fixed, ...code }),
    out_refund_no: field(
      OutRefundNo,
      shown("none"),
      ["Refund reference", "商户退款单号", "Your number of the refund; made by us when you gave none."],
      { ...fixed, ...code }
    ),
    trade_no: field(TradeNo, shown("none"), ["Order", "订单", "The order whose payment goes back."], {
      ...fixed,
      ...code
    }),
    amount: field(Minor, shown("none"), ["Amount", "金额", "The amount that the buyer gets back, in minor units."], {
      ...fixed,
      ...money
    }),
    /** The merchant's own text. */
    reason: field(
      Schema.NullOr(Schema.String),
      shown("words"),
      ["Reason", "原因", "Your reason, if you gave one."],
      fixed
    ),
    status: field(
      Schema.Literals(["pending", "succeeded", "failed"]),
      shown("none"),
      ["Status", "状态", "`pending` until the channel has settled it. A channel may take back what had `succeeded`."],
      { made: "stored", look: "state" }
    ),
    funds_frozen: field(
      Schema.Boolean,
      shown("none"),
      ["Funds on hold", "资金已冻结", "Whether the amount is held in the frozen balance."],
      { made: "unstored" }
    ),
    settled_at: field(
      Schema.DateTimeUtc,
      shown("none"),
      ["Settled", "到账时间", "When the amount was deducted for good; null while pending, and when it failed."],
      { absent: true }
    ),
    metadata: field(Metadata, shown("words", "map"), ["Metadata", "元数据", "Your own keys and values."]),
    currency,
    merchant_id: merchantId,
    mode,
    /** The channel's text. */
    failure_reason: field(
      Schema.String,
      shown("mentions"),
      ["Failure reason", "失败原因", "The channel's reason; null unless it failed."],
      { absent: true }
    ),
    created_at: field(
      Schema.DateTimeUtc,
      shown("none"),
      ["Created", "创建时间", "When the refund was accepted."],
      fixed
    ),
    updated_at: field(Schema.DateTimeUtc, shown("none"), ["Updated", "更新时间", "When it last changed."]),
    /** The order's, for books that are kept by it. */
    out_trade_no: field(
      OutTradeNo,
      shown("none"),
      ["Order reference", "商户订单号", "Your own number of that order."],
      { ...fixed, ...code }
    ),

    version: forNobody("none"),
    /** The payment that is paid back, by the channel's number. */
    payment_id: typed(PaymentId, archived("none"), fixed),
    /** The payment's channel, which is asked to pay it back. */
    channel: typed(ChannelName, archived("none"), fixed),
    /** As it was asked for: null means all that remained. A repeat has to ask for the same (silences: R4). */
    requested_amount: typed(Schema.NullOr(Minor), archived("none"), fixed),
    /** Where the order wants its events, and so those of its refunds. */
    notify_url: typed(Schema.NullOr(Schema.String), archived("mentions"), fixed),
    /** The claim of an idempotency key that the request held when it named no number. */
    request: typed(Schema.NullOr(Schema.String), forNobody("none"), fixed),
    /** The run of the program that reserved it and asks the channel; null: unknown. */
    run: typed(Schema.NullOr(Schema.Int), forNobody("none"), fixed),
    next_check_at: forOperators("none"),
    checks: forOperators("none"),
    check_error: forOperators("words")
  },
  {
    object: "refund",
    label: { en: "Refunds", zh: "退款" },
    list: {
      amount: "shown",
      status: "shown",
      reason: "wide",
      out_refund_no: "wide",
      trade_no: "wide",
      refund_no: "hidden",
      failure_reason: "hidden",
      settled_at: "hidden",
      created_at: "shown"
    },
    brief: ["refund_no", "status", "amount", "created_at", "trade_no"],
    facts: [
      "trade_no",
      "out_refund_no",
      "reason",
      "funds_frozen",
      "failure_reason",
      "created_at",
      "settled_at",
      "updated_at",
      "metadata"
    ],
    filters: {
      trade_no: "Refunds of this order: its `trade_no`, or your own `out_trade_no`.",
      out_refund_no: "The refund with exactly this number of yours.",
      status: "Refunds in this state."
    }
  }
)

export const disputes = resource("disputes", {
  dispute_no: shown("none"),
  version: forNobody("none"),
  merchant_id: shown("none"),
  mode: shown("none"),
  trade_no: shown("none"),
  out_trade_no: shown("none"),
  processor_dispute_id: shown("none"),
  channel: archived("none"),
  amount: shown("none"),
  fee: shown("none"),
  currency: shown("none"),
  status: shown("none"),
  stage: shown("none"),
  processor_status: shown("none"),
  /** A word of the bank. */
  reason: shown("none"),
  response: forNobody("none"),
  notify_url: archived("mentions"),
  next_check_at: forOperators("none"),
  checks: forOperators("none"),
  check_error: forOperators("words"),
  evidence_due_by: shown("none"),
  opened_at: shown("none"),
  closed_at: shown("none"),
  created_at: shown("none"),
  updated_at: shown("none")
})

export const disputeEvidence = resource("dispute_evidence", {
  dispute_no: shown("none"),
  version: forNobody("none"),
  evidence: shown("words", "map"),
  files: shown("words", "list"),
  /** What the channel has not taken yet. */
  submitting: archived("words", "value"),
  submitted_at: shown("none"),
  updated_at: shown("none")
})
