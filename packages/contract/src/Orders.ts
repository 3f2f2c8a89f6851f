/** Orders on the wire: the resource and its endpoints (spec: Order; Endpoints, Orders). */
import { subjectLengthMax, urlLengthMax } from "@coffer/model/Limits"
import { Mode, NewOutTradeNo } from "@coffer/model/Ids"
import { Locale } from "@coffer/model/Locale"
import { MetadataKeys, MetadataPatch } from "@coffer/model/Metadata"
import { Currency, OrderAmount } from "@coffer/model/Money"
import { CaptureMethod } from "@coffer/model/PaymentMethod"
import { optional, withoutNulls } from "@coffer/model/optional"
import { OneLine } from "@coffer/model/Text"
import { filterFields, wireFields } from "@coffer/resources/listed"
import { orders } from "@coffer/resources/orders"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Decoding, Idempotency, MerchantKey, OperatorToken, Quotas } from "./Caller.ts"
import { channelBoundsText } from "./Channels.ts"
import { enveloped, listed } from "./Envelope.ts"
import {
  Conflict,
  InvalidRequest,
  MerchantNotFound,
  OrderNotFound,
  ProcessorError,
  RateLimited,
  Unavailable
} from "./Errors.ts"
import {
  Email,
  closingNote,
  currency,
  kind,
  merchantId,
  minor,
  ofMerchant,
  orNull,
  text,
  withExample
} from "./fields.ts"
import {
  ExportableQuery,
  ListQuery,
  MetadataFilters,
  sortedField,
  sortParameter,
  timestamp,
  waitParameter,
  withMetadataFilters
} from "./Lists.ts"
import { sampleIds } from "./sampleIds.ts"

/** Same structure in create, retrieve and list responses and in `payment.*` events (silences: V3). */
export const OrderResource = withExample(
  Schema.Struct(wireFields(orders, { merchant_id: merchantId })).annotate({
    identifier: "Order",
    description: "The order."
  }),
  {
    object: "order",
    trade_no: sampleIds.order,
    out_trade_no: "cart-4711",
    merchant_id: sampleIds.merchant,
    amount: 1999,
    fee: 88,
    net_amount: 1911,
    refunded_amount: 0,
    currency: "USD",
    subject: "Two books",
    status: "paid",
    mode: "sandbox",
    payment_id: sampleIds.payment,
    payment_method: "card",
    refundable_until: null,
    checkout_url: `https://pay.example.com/checkout/c2lnbmVkLCBleHBpcmVz`,
    expires_at: "2026-11-22T09:30:00.000Z",
    notify_url: null,
    return_url: "https://shop.example.com/thanks?order={OUT_TRADE_NO}",
    metadata: { shelf: "A7" },
    paid_at: "2026-11-21T09:31:12.480Z",
    created_at: "2026-11-21T09:30:00.000Z",
    receipt_url: `https://pay.example.com/receipts/c2lnbmVkLCBsb25nLWxpdmVk`,
    receipt_number: null,
    receipt_email: "reader@example.com",
    receipt_sent_at: null,
    locale: "en",
    receipt_failure_reason: null,
    payment_failure_reason: null,
    paid_card: { brand: "visa", last4: "4242" },
    dispute_status: null
  }
)
export type OrderResource = typeof OrderResource.Encoded

/** Also of a payment link. */
export const captureText =
  "Default: `automatic`. `manual`: the buyer's bank holds the amount, and you charge it with " +
  "`POST /v1/orders/{ref}/capture` until `capture_by`. Only methods that can hold an amount are offered then."

const Url = OneLine(1, urlLengthMax)

export const CreateOrder = withoutNulls(
  withExample(
    Schema.Struct({
      amount: OrderAmount.annotate({
        description: `The amount to pay: a whole number of minor units, 1999 for $19.99. ${channelBoundsText}`
      }),
      out_trade_no: optional(
        NewOutTradeNo,
        "Your number of the order, one line. Repeating it with the same terms returns the same order."
      ),
      currency: optional(Currency, "Default: `USD`. In live, it must be enabled for you."),
      subject: optional(
        OneLine(0, subjectLengthMax),
        "The title that the buyer sees at checkout, one line of at most 255 characters."
      ),
      notify_url: optional(
        Url,
        "URL for the events of this order, instead of your endpoints. In live, public HTTPS only."
      ),
      return_url: optional(
        Url,
        "URL to which the buyer is sent after the payment; `{TRADE_NO}` and `{OUT_TRADE_NO}` are filled in."
      ),
      metadata: optional(MetadataKeys, "At most 50 keys of 1 to 40 characters, with values of at most 500."),
      receipt_email: optional(Email, "The address for the receipt, which is sent automatically after payment."),
      locale: optional(Locale, "Language of checkout and receipt. Default: the browser's."),
      capture: optional(CaptureMethod, captureText)
    }).annotate({ identifier: "CreateOrder", description: "The terms of the order." }),
    {
      amount: 1999,
      currency: "USD",
      out_trade_no: "cart-4711",
      subject: "Two books",
      return_url: "https://shop.example.com/thanks?order={OUT_TRADE_NO}",
      metadata: { shelf: "A7" },
      receipt_email: "reader@example.com",
      locale: "en"
    }
  )
)
export type CreateOrder = typeof CreateOrder.Type

/** No other field of an order can be updated (silences: O10). */
export const UpdateOrder = withExample(
  Schema.Struct({
    metadata: Schema.optionalKey(
      MetadataPatch.annotate({
        description: "Keys to set; null deletes a key, and null instead of an object deletes all of them."
      })
    ),
    receipt_email: Schema.optionalKey(orNull(Email, "The new address for the receipt; null for none."))
  }).annotate({ identifier: "UpdateOrder", description: "The fields to change." }),
  { metadata: { shelf: null, packed: "yes" } }
)
export type UpdateOrder = typeof UpdateOrder.Type

const CaptureOrder = withoutNulls(
  withExample(
    Schema.Struct({
      amount: optional(
        OrderAmount,
        "Minor units to charge, at most the order's amount. Default: all of it. What is not charged is released."
      )
    }).annotate({ identifier: "CaptureOrder", description: "What is charged." }),
    { amount: 1500 }
  )
)

/** For a range: a bound may be any whole number that an amount can be compared with. */
const Amount = Schema.String.check(
  Schema.isPattern(/^[0-9]{1,12}$/, { expected: "a whole number of minor units in digits, such as 1999 for 19.99" })
)

/**
 * Filters of the list; all have to match (spec: Endpoints, Orders). Those by address, method and amount are ours
 * (silences: P25).
 */
export const OrderQuery = Schema.StructWithRest(
  Schema.Struct({
    ...ExportableQuery,
    ...sortParameter,
    ...waitParameter,
    ...filterFields(orders),
    "paid_at[gte]": timestamp("Paid then or later"),
    "paid_at[lte]": timestamp("Paid then or earlier; Unix seconds include the whole second"),
    "amount[gte]": Schema.optionalKey(
      Amount.annotate({ description: "Orders of this amount, in minor units, or more." })
    ),
    "amount[lte]": Schema.optionalKey(
      Amount.annotate({ description: "Orders of this amount, in minor units, or less." })
    )
  }),
  [MetadataFilters]
)
export type OrderQuery = typeof OrderQuery.Type

/** The operator's; each environment has its own list. */
export const OperatorOrderQuery = Schema.Struct({
  ...ListQuery,
  ...sortParameter,
  mode: Mode.annotate({ description: "The environment whose orders are listed." }),
  status: filterFields(orders).status,
  out_trade_no: Schema.optionalKey(text("The order with exactly this `out_trade_no` of the merchant."))
})
export type OperatorOrderQuery = typeof OperatorOrderQuery.Type

const OrderReply = enveloped(OrderResource)

const params = { ref: text("The order's `trade_no`, or your own `out_trade_no`.") }

export class OrdersGroup extends HttpApiGroup.make("orders")
  .add(
    HttpApiEndpoint.post("create", "/v1/orders", {
      payload: CreateOrder,
      success: [OrderReply.pipe(HttpApiSchema.status(201)), OrderReply],
      error: [InvalidRequest, Conflict, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Create an order",
        description:
          "Returns 201 with the new order; send the buyer to its `checkout_url`. If the `out_trade_no` exists " +
          "already, returns 200 with that order if amount, currency, subject and notify_url are the same, and 409 " +
          "if they are not."
      })
    ),
    HttpApiEndpoint.post("update", "/v1/orders/:ref", {
      params,
      payload: UpdateOrder,
      success: OrderReply,
      error: [InvalidRequest, OrderNotFound, Conflict, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Update metadata or receipt_email",
        description: "Merges: omitted keys are unchanged. Nothing else of an order can be changed."
      })
    ),
    HttpApiEndpoint.post("expire", "/v1/orders/:ref/expire", {
      params,
      success: OrderReply,
      error: [OrderNotFound, Conflict, ProcessorError, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Close a pending order now",
        description:
          "For when the buyer has left. An expired order is returned unchanged. An authorized order is canceled: its " +
          "hold is released. If the channel takes longer, it is returned as `authorized`, and `payment.canceled` " +
          "follows. `Coffer-Reason` says why it is 409: `just_paid`, the order was paid just now; `buyer_busy`, the " +
          "buyer is in the middle of paying, and the order stays pending; `other_payment`, a payment of another " +
          "amount was set aside, and the order stays pending; `not_pending`, it had already ended, paid or not: " +
          "`paid_at` tells; `capturing`, its hold is being captured. 502 if the channel cannot be reached: the order " +
          "is unchanged, and the same request may be retried."
      })
    ),
    HttpApiEndpoint.post("capture", "/v1/orders/:ref/capture", {
      params,
      payload: CaptureOrder,
      success: OrderReply,
      error: [InvalidRequest, OrderNotFound, Conflict, ProcessorError, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Charge an authorized order",
        description:
          'Once, for an order with `capture: "manual"`: it is paid with the amount that you name, and the rest ' +
          "of the hold is released. The same amount again returns the order unchanged. If the channel takes longer, " +
          "the order is returned as `authorized` with its `capturing_amount`, and `payment.captured` follows. " +
          "`Coffer-Reason` says why it is 409: `not_authorized`, the buyer has not agreed, or the order was created " +
          "without it; `capturing`, another amount is being captured; `captured`, another amount was; `canceling`, " +
          "the hold is being released; `authorization_expired`, the bank holds nothing any more, and the order has " +
          "expired. 502 if the channel refuses or cannot be reached: the order stays authorized."
      })
    )
  )
  // The middleware added first is innermost: the key is claimed before the body is decoded (silences: G10).
  .middleware(Decoding)
  .middleware(Idempotency)
  .add(
    HttpApiEndpoint.get("list", "/v1/orders", {
      query: OrderQuery,
      success: [listed(OrderResource, sortedField), HttpApiSchema.StreamUint8Array({ contentType: "text/csv" })],
      error: [InvalidRequest, RateLimited, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List orders, newest first, or export them",
        description:
          "All filters have to match. `format=csv` returns a file of at most 10,000 rows and ignores `limit` and " +
          "the cursors.",
        transform: withMetadataFilters
      })
    ),
    HttpApiEndpoint.get("get", "/v1/orders/:ref", {
      params,
      success: OrderReply,
      error: OrderNotFound
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Retrieve an order",
        description: "By our number or by yours. Its `checkout_url` is signed again each time."
      })
    )
  )
  .middleware(Decoding)
  .middleware(Quotas)
  .middleware(MerchantKey)
  .annotate(OpenApi.Description, "Collect a payment: create, read, list, annotate and close orders.") {}

const ClosePayment = Schema.Struct({ note: closingNote }).annotate({
  examples: [{ note: "Paid back by bank transfer." }]
})

const ClosedPayment = withExample(
  Schema.Struct({
    object: kind("unapplied_payment"),
    trade_no: text("The order to which it was not applied."),
    payment_id: text("The channel's number of the payment."),
    amount: minor("The amount that was paid"),
    currency,
    status: Schema.Literal("closed").annotate({ description: "No decision is needed any more." }),
    note: text("A note on what was done about it. The first note is kept.")
  }).annotate({ identifier: "UnappliedPayment", description: "An unmatched payment." }),
  {
    object: "unapplied_payment",
    trade_no: sampleIds.order,
    payment_id: sampleIds.payment,
    amount: 1999,
    currency: "USD",
    status: "closed",
    note: "Paid back by bank transfer."
  }
)
export type ClosedPayment = typeof ClosedPayment.Encoded

export class OperatorOrdersGroup extends HttpApiGroup.make("orders")
  .add(
    HttpApiEndpoint.get("list", "/operator/v1/merchants/:merchant_id/orders", {
      params: ofMerchant,
      query: OperatorOrderQuery,
      success: listed(OrderResource, sortedField),
      error: [InvalidRequest, MerchantNotFound]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List a merchant's orders, newest first",
        description: "In the environment that `mode` names, without the tokens of their pages."
      })
    ),
    HttpApiEndpoint.post("closePayment", "/operator/v1/orders/:trade_no/payments/:payment_id/close", {
      params: { trade_no: text("The order's number."), payment_id: text("The payment's number at the channel.") },
      payload: ClosePayment,
      success: enveloped(ClosedPayment),
      error: [InvalidRequest, OrderNotFound, Conflict, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Close a parked payment that has been dealt with",
        description:
          "The note says how. No money moves. Repeating the request changes nothing. 409: the payment is not parked."
      })
    )
  )
  .middleware(Decoding)
  .middleware(OperatorToken)
  .annotate(OpenApi.Description, "Orders of any merchant.") {}
