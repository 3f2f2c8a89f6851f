/** Money that goes back to buyers. */
import { ChannelName, DisputeNo, OutRefundNo, OutTradeNo, PaymentId, RefundNo, TradeNo } from "@coffer/model/Ids"
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

export const disputes = listed(
  "disputes",
  {
    dispute_no: field(
      DisputeNo,
      shown("none"),
      ["Dispute", "争议号", "Our number of the dispute; begins with `dsp_`."],
      { ...fixed, ...code }
    ),
    trade_no: field(TradeNo, shown("none"), ["Order", "订单", "Our number of the order whose payment is disputed."], {
      ...fixed,
      ...code
    }),
    merchant_id: merchantId,
    processor_dispute_id: field(
      Schema.String,
      shown("none"),
      ["Channel reference", "渠道单号", "The channel's number of the dispute; either number finds it."],
      { ...fixed, ...code }
    ),
    /** It may be another one once an inquiry has become a chargeback. */
    amount: field(
      Minor,
      shown("none"),
      [
        "Amount",
        "金额",
        "The amount that the buyer wants back; moved from available to frozen when it is taken, which no inquiry " +
          "does, in minor units."
      ],
      money
    ),
    /** Charged with a loss, and not returned by an appeal (silences: D8). */
    fee: field(
      Schema.NullOr(Minor),
      shown("none"),
      ["Dispute fee", "争议费", "Charged in addition to the amount, in minor units; null unless it was lost."],
      { ...money, absent: true }
    ),
    currency,
    status: field(
      Schema.Literals(["needs_response", "under_review", "won", "lost", "closed"]),
      shown("none"),
      [
        "Status",
        "状态",
        "`needs_response` waits for your evidence, `under_review` for the bank, which may ask again. `won` and " +
          "`closed` release the amount; `lost` takes it, unless an appeal changes it to `won`."
      ],
      { look: "state" }
    ),
    processor_status: field(Schema.String, shown("none"), [
      "Channel status",
      "渠道状态",
      "The status as the channel names it, for investigation and reconciliation."
    ]),
    /** A word of the bank. */
    reason: field(
      Schema.String,
      shown("none"),
      ["Reason", "原因", "Why the buyer disputes the payment; it determines which evidence helps."],
      fixed
    ),
    mode,
    funds_frozen: field(
      Schema.Boolean,
      shown("none"),
      [
        "Funds on hold",
        "资金已冻结",
        "Whether the amount is still frozen. Never for an inquiry: " +
          "the payment may still be refunded, which ends the inquiry."
      ],
      { made: "unstored" }
    ),
    /** Of evidence (silences: D3, D10), or of the appeal of this stage. */
    evidence_due_by: field(Schema.NullOr(Schema.DateTimeUtc), shown("none"), [
      "Respond by",
      "回应截止时间",
      "The deadline for evidence; without an answer by then the dispute is lost. " +
        "If the bank asks again, there is a new deadline. Null if the channel sets none."
    ]),
    opened_at: field(
      Schema.DateTimeUtc,
      shown("none"),
      ["Opened", "发起时间", "When the buyer's bank opened the dispute."],
      fixed
    ),
    closed_at: field(
      Schema.DateTimeUtc,
      shown("none"),
      ["Resolved", "结束时间", "When it was decided; null until then."],
      { absent: true }
    ),
    created_at: field(
      Schema.DateTimeUtc,
      shown("none"),
      ["Received", "收到时间", "When the channel reported it."],
      fixed
    ),
    /** For changes that merchants see; drafts and steps on the way do not count. */
    updated_at: field(Schema.DateTimeUtc, shown("none"), ["Updated", "更新时间", "When it last changed."]),
    /** The order's, for books that are kept by it. */
    out_trade_no: field(
      OutTradeNo,
      shown("none"),
      ["Order reference", "商户订单号", "Your own number of that order."],
      { ...fixed, ...code }
    ),

    version: forNobody("none"),
    /** The channel that reported it. */
    channel: typed(ChannelName, archived("none"), fixed),
    /**
     * How far the bank has gone. An inquiry only asks: nothing is taken, and the payment may be refunded. An appeal is
     * filed at the channel itself, and not through us (silences: S26 to S28).
     */
    stage: typed(Schema.Literals(["inquiry", "chargeback", "appeal_offered", "appeal_filed"]), archived("none")),
    response: forNobody("none"),
    /** Where the order wants its events, and so those of its disputes (silences: D13). */
    notify_url: typed(Schema.NullOr(Schema.String), archived("mentions"), fixed),
    next_check_at: forOperators("none"),
    checks: forOperators("none"),
    check_error: forOperators("words")
  },
  {
    object: "dispute",
    label: { en: "Disputes", zh: "争议" },
    list: {
      amount: "shown",
      status: "shown",
      evidence_due_by: "shown",
      reason: "wide",
      trade_no: "wide",
      dispute_no: "hidden",
      closed_at: "hidden",
      opened_at: "wide"
    },
    brief: ["dispute_no", "status", "amount", "reason", "evidence_due_by", "trade_no"],
    facts: [
      "trade_no",
      "reason",
      "evidence_due_by",
      "funds_frozen",
      "fee",
      "processor_dispute_id",
      "processor_status",
      "opened_at",
      "closed_at"
    ],
    filters: {
      status: "Disputes in this state.",
      trade_no: "Disputes of this order: its `trade_no`, or your own `out_trade_no`."
    }
  }
)

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
