/** Orders, and the mails about them. */
import { OutTradeNo, PaymentId, TradeNo } from "@coffer/model/Ids"
import { Locale } from "@coffer/model/Locale"
import { Metadata } from "@coffer/model/Metadata"
import { Minor, OrderAmount } from "@coffer/model/Money"
import { PaymentMethod, walletNames, withRefundDays } from "@coffer/model/PaymentMethod"
import { Schema } from "effect"
import { code, field, fixed, listed, money } from "./listed.ts"
import { archived, forNobody, forOperators, listWith, objectWith, ownTable, resource, shown } from "./Resource.ts"
import { currency, merchantId, mode } from "./shared.ts"

export const orders = listed(
  "orders",
  {
    // In the order of the specification.
    trade_no: field(
      TradeNo,
      shown("none"),
      ["Order", "订单号", "Our number of the order; begins with `TRD_SB_` in the sandbox, `TRD_` in live."],
      { ...fixed, ...code }
    ),
    out_trade_no: field(
      OutTradeNo,
      shown("none"),
      ["Order reference", "商户订单号", "Your number of the order; equal to `trade_no` when you gave none."],
      { ...fixed, ...code }
    ),
    merchant_id: merchantId,
    amount: field(OrderAmount, shown("none"), ["Amount", "金额", "The amount that the buyer pays, in minor units."], {
      ...fixed,
      ...money
    }),
    fee: field(
      Minor,
      shown("none"),
      ["Fee", "手续费", "The acquiring fee, in minor units; null until the payment is credited."],
      { ...money, absent: true }
    ),
    net_amount: field(
      Schema.NullOr(Schema.Int),
      shown("none"),
      ["Net", "净额", "`amount` less `fee`, in minor units; null until the payment is credited."],
      { ...money, made: "unstored" }
    ),
    refunded_amount: field(
      Minor,
      shown("none"),
      ["Refunded", "已退款", "The sum of the refunds that have succeeded, in minor units."],
      { ...money, made: "stored" }
    ),
    currency,
    subject: field(
      Schema.NullOr(Schema.String),
      shown("words"),
      ["Subject", "商品标题", "The title that the buyer reads at checkout."],
      fixed
    ),
    status: field(
      Schema.Literals([
        "pending",
        "paid",
        "partially_refunded",
        "refunded",
        "failed",
        "expired",
        "authorized",
        "canceled"
      ]),
      shown("none"),
      [
        "Status",
        "状态",
        "`pending` may still be paid. `failed` and `expired` are final; money that comes then goes back. Only orders " +
          'with `capture: "manual"` are `authorized`, when the amount is held and not charged, or `canceled`, ' +
          "when you have given the hold up."
      ],
      { look: "state", made: "stored" }
    ),
    mode,
    /** By the channel's number. */
    payment_id: field(
      PaymentId,
      shown("none"),
      [
        "Payment",
        "付款单号",
        "The channel's number of the payment; null until paid. Reconcile by `trade_no`: this one may change."
      ],
      { ...code, absent: true }
    ),
    payment_method: field(
      Schema.NullOr(PaymentMethod),
      shown("none"),
      ["Method", "支付方式", "How the buyer paid; null until then."],
      { look: "method", made: "stored" }
    ),
    refundable_until: field(
      Schema.NullOr(Schema.DateTimeUtc),
      shown("none"),
      [
        "Refundable until",
        "可退款至",
        "The last moment for a refund, where the payment method has one " +
          `(${withRefundDays.map((method) => `\`${method}\``).join(", ")}); otherwise null.`
      ],
      { absent: true }
    ),
    checkout_url: field(
      Schema.String,
      shown("none"),
      ["Checkout", "收银台", "Send the buyer there. It is signed and expires: do not store or log it."],
      { made: "unstored" }
    ),
    expires_at: field(
      Schema.DateTimeUtc,
      shown("none"),
      ["Expires", "过期时间", "When checkout stops accepting payment: 24 hours after creation."],
      fixed
    ),
    notify_url: field(
      Schema.NullOr(Schema.String),
      shown("mentions"),
      ["Events sent to", "事件发送至", "Where the events of this order go, instead of to your endpoints."],
      fixed
    ),
    return_url: field(
      Schema.NullOr(Schema.String),
      shown("mentions"),
      ["Return URL", "返回 URL", "Where the buyer goes after the payment."],
      fixed
    ),
    metadata: field(Metadata, shown("words", "map"), ["Metadata", "元数据", "Your own keys and values."]),
    paid_at: field(
      Schema.DateTimeUtc,
      shown("none"),
      ["Paid", "付款时间", "When the payment succeeded; null until then."],
      { absent: true }
    ),
    created_at: field(Schema.DateTimeUtc, shown("none"), ["Created", "创建时间", "When the order was created."], fixed),
    receipt_url: field(
      Schema.NullOr(Schema.String),
      shown("none"),
      ["Receipt page", "收据页面", "The printable receipt; null until paid. It shows what was refunded, too."],
      { made: "unstored" }
    ),
    receipt_number: field(
      Schema.NullOr(Schema.String),
      shown("none"),
      ["Receipt", "收据", "The receipt's number; null until it is first viewed or sent."],
      { made: "unstored" }
    ),
    receipt_email: field(Schema.NullOr(Schema.String), shown("address"), [
      "Receipt email",
      "收据邮箱",
      "The address for the receipt."
    ]),
    receipt_sent_at: field(
      Schema.NullOr(Schema.DateTimeUtc),
      shown("none"),
      ["Receipt sent", "收据发送时间", "When a receipt was last sent; null before."],
      { made: "unstored" }
    ),
    locale: field(
      Schema.NullOr(Locale),
      shown("none"),
      ["Buyer's language", "买家语言", "The buyer's language; null follows the browser."],
      fixed
    ),
    receipt_failure_reason: field(
      Schema.NullOr(Schema.String),
      shown("words"),
      [
        "Receipt not sent",
        "收据发送失败",
        "Why the last mail with the receipt did not go out, such as the mail server's words; null when it did."
      ],
      { made: "unstored" }
    ),
    payment_failure_reason: field(
      Schema.NullOr(Schema.String),
      shown("none"),
      [
        "Payment failure reason",
        "付款失败原因",
        "Why the last attempt to pay did not succeed, in the channel's code, such as `insufficient_funds`; null when " +
          "there was none, and once the order is paid. The timeline has all attempts."
      ],
      { made: "unstored" }
    ),
    /** The column `card`: API logs redact whatever is called so. */
    paid_card: field(
      Schema.NullOr(
        Schema.Struct({
          brand: Schema.String.annotate({
            description: "In the channel's word: `visa`, `mastercard`, `amex`, `unionpay`, `jcb`, `discover`, `diners`."
          }),
          last4: Schema.String.annotate({ description: "The last four digits of its number." })
        })
      ),
      shown("address", "value"),
      [
        "Card",
        "银行卡",
        `The card that was charged, also behind ${walletNames("en", " or ")}; ` +
          "null until paid, and where it was no card."
      ],
      { made: "unstored" }
    ),

    dispute_status: field(
      Schema.NullOr(Schema.Literals(["open", "won", "lost"])),
      shown("none"),
      [
        "Dispute",
        "争议",
        "What disputes have done to the payment. `open`: an amount is frozen, and nothing is refunded until the bank " +
          "decides. `lost`: the bank has kept an amount. `won`: all that was frozen has come back, because the bank " +
          "decided for you or withdrew. Null: no amount was ever frozen. `GET /disputes?trade_no=` has each dispute."
      ],
      { look: "state", made: "unstored" }
    ),
    capture: field(
      Schema.Literals(["manual"]),
      shown("none"),
      ["Capture", "扣款", "`manual`: you charge the held amount yourself. Only orders that were created so have it."],
      { look: "state", made: "unstored", omitted: "hold" }
    ),
    capture_by: field(
      Schema.NullOr(Schema.DateTimeUtc),
      shown("none"),
      [
        "Capture by",
        "扣款截止",
        'With `capture: "manual"`: when the hold runs out, and the order expires. Null until it is authorized.'
      ],
      { made: "unstored", omitted: "hold" }
    ),
    captured_amount: field(
      Schema.NullOr(Minor),
      shown("none"),
      [
        "Captured",
        "已扣款",
        'With `capture: "manual"`: the amount that the buyer has paid, in minor units; null until you capture.'
      ],
      { ...money, made: "unstored", omitted: "hold" }
    ),
    capturing_amount: field(
      Schema.NullOr(Minor),
      shown("none"),
      [
        "Being captured",
        "扣款中",
        'With `capture: "manual"`: an amount that the channel is capturing, in minor units; null otherwise.'
      ],
      { ...money, made: "unstored", omitted: "hold" }
    ),

    hold: archived("words", objectWith({ refusal: shown("words") })),
    hold_due_at: forNobody("none"),
    hold_attempts: forNobody("none"),
    hold_error: forOperators("words"),
    version: forNobody("none"),
    refunding_amount: archived("none"),
    channel: archived("none"),
    card: archived("address", "value"),
    attempts: archived("none", listWith({ card: archived("address", "value") })),
    declines: archived("none"),
    receipt: archived("words", objectWith({ failure: shown("words") })),
    unapplied_payments: archived("words", listWith({ note: forOperators("words"), problem: shown("words") })),
    unapplied_error: forOperators("words"),
    unapplied_attempts: forOperators("none"),
    unapplied_due_at: forOperators("none"),
    disputes_open: archived("none"),
    disputes_lost: archived("none"),
    disputes_won: archived("none"),
    due_at: forNobody("none"),
    due_attempts: forNobody("none"),
    /** A repeat of a create is compared with it after the texts are gone. */
    terms_hash: forNobody("none"),
    erased_at: archived("none")
  },
  {
    object: "order",
    label: { en: "Orders", zh: "订单" },
    list: {
      amount: "shown",
      status: "shown",
      subject: "wide",
      out_trade_no: "shown",
      trade_no: "hidden",
      payment_method: "wide",
      refunded_amount: "hidden",
      dispute_status: "hidden",
      receipt_email: "hidden",
      created_at: "shown",
      paid_at: "hidden"
    },
    brief: ["trade_no", "status", "amount", "refunded_amount", "created_at", "out_trade_no"],
    facts: [
      "subject",
      "out_trade_no",
      "fee",
      "net_amount",
      "refunded_amount",
      "payment_method",
      "paid_card",
      "payment_id",
      "created_at",
      "paid_at",
      "expires_at",
      "refundable_until",
      "capture",
      "capture_by",
      "captured_amount",
      "capturing_amount",
      "receipt_email",
      "receipt_number",
      "receipt_sent_at",
      "receipt_failure_reason",
      "notify_url",
      "locale",
      "metadata"
    ],
    filters: {
      status: "Orders in this state.",
      out_trade_no: "The order with exactly this number of yours.",
      receipt_email: "Orders whose receipt goes to this address, in any capitals.",
      payment_method: "Orders that were paid so."
    }
  }
)

export const orderTags = ownTable("order_tags", ["tag", "trade_no"])
const route = ["trade_no", "channel", "attempts", "unanswered", "may_be_paid", "asked_at"] as const
export const orderRoutes = ownTable("order_routes", route)

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
