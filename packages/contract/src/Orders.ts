/** Orders on the wire: the resource and its endpoints (spec: Order; Endpoints, Orders). */
import { emailLengthMax, subjectLengthMax, urlLengthMax } from "@coffer/model/Limits"
import { Mode, OutTradeNo, Text } from "@coffer/model/Ids"
import { MetadataPatch, Metadata } from "@coffer/model/Metadata"
import { Currency, OrderAmount, PaymentMethod } from "@coffer/model/Money"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Decoding, Idempotency, MerchantKey, Quotas } from "./Caller.ts"
import { enveloped, listed } from "./Envelope.ts"
import { Conflict, InvalidRequest, OrderNotFound, ProcessorError, Unavailable } from "./Errors.ts"
import { ExportableQuery, MetadataFilters } from "./Lists.ts"

const Instant = Schema.String.annotate({ format: "date-time" })

const OrderStatus = Schema.Literals(["pending", "paid", "partially_refunded", "refunded", "failed", "expired"])

/** Same structure in create, retrieve and list responses and in `payment.*` events (silences: V3). */
export const OrderResource = Schema.Struct({
  object: Schema.tag("order"),
  trade_no: Schema.String,
  out_trade_no: Schema.String,
  merchant_id: Schema.String,
  amount: Schema.Int,
  /** Has a value only after the payment is credited. */
  fee: Schema.NullOr(Schema.Int),
  net_amount: Schema.NullOr(Schema.Int),
  refunded_amount: Schema.Int,
  currency: Currency,
  subject: Schema.NullOr(Schema.String),
  status: OrderStatus,
  mode: Mode,
  payment_id: Schema.NullOr(Schema.String),
  payment_method: Schema.NullOr(PaymentMethod),
  refundable_until: Schema.NullOr(Instant),
  /** Signed, expires; send the buyer there, do not store it. */
  checkout_url: Schema.String,
  expires_at: Instant,
  notify_url: Schema.NullOr(Schema.String),
  return_url: Schema.NullOr(Schema.String),
  metadata: Metadata,
  paid_at: Schema.NullOr(Instant),
  created_at: Instant,
  receipt_url: Schema.NullOr(Schema.String),
  receipt_number: Schema.NullOr(Schema.String),
  receipt_email: Schema.NullOr(Schema.String),
  receipt_sent_at: Schema.NullOr(Instant),
  locale: Schema.NullOr(Schema.Literals(["zh", "en"]))
}).annotate({ identifier: "Order" })
export type OrderResource = typeof OrderResource.Encoded

const Url = Text(1, urlLengthMax)

/** One address, as far as a pattern can tell; only a delivered mail proves it. */
export const Email = Text(3, emailLengthMax).check(
  Schema.isPattern(/^[^\s@<>(),;:"]+@[^\s@<>(),;:"]+\.[^\s@<>(),;:".]+$/, { expected: "an e-mail address" })
)

export const CreateOrder = Schema.Struct({
  amount: OrderAmount,
  out_trade_no: Schema.optionalKey(
    OutTradeNo.check(Schema.isPattern(/^(?!plink_)/, { expected: "a number that does not begin with plink_" }))
  ),
  currency: Schema.optionalKey(Currency),
  subject: Schema.optionalKey(Schema.NullOr(Text(0, subjectLengthMax))),
  notify_url: Schema.optionalKey(Schema.NullOr(Url)),
  return_url: Schema.optionalKey(Schema.NullOr(Url)),
  metadata: Schema.optionalKey(MetadataPatch),
  receipt_email: Schema.optionalKey(Schema.NullOr(Email)),
  locale: Schema.optionalKey(Schema.NullOr(Schema.Literals(["zh", "en"])))
}).annotate({ identifier: "CreateOrder" })
export type CreateOrder = typeof CreateOrder.Type

/** Nothing else of an order can be updated (silences: O10). */
export const UpdateOrder = Schema.Struct({
  metadata: Schema.optionalKey(MetadataPatch),
  receipt_email: Schema.optionalKey(Schema.NullOr(Email))
}).annotate({ identifier: "UpdateOrder" })
export type UpdateOrder = typeof UpdateOrder.Type

/** Filters of the list; all have to match (spec: Endpoints, Orders). */
export const OrderQuery = Schema.StructWithRest(
  Schema.Struct({
    ...ExportableQuery,
    status: Schema.optionalKey(OrderStatus),
    out_trade_no: Schema.optionalKey(Schema.String)
  }),
  [MetadataFilters]
)
export type OrderQuery = typeof OrderQuery.Type

const OrderReply = enveloped(OrderResource)

/** The path accepts the platform's number or the merchant's own. */
const params = { ref: Schema.String }

export class OrdersGroup extends HttpApiGroup.make("orders")
  .add(
    HttpApiEndpoint.post("create", "/v1/orders", {
      payload: CreateOrder,
      success: [OrderReply.pipe(HttpApiSchema.status(201)), OrderReply],
      error: [InvalidRequest, Conflict, Unavailable]
    }).annotate(OpenApi.Summary, "Create an order"),
    HttpApiEndpoint.post("update", "/v1/orders/:ref", {
      params,
      payload: UpdateOrder,
      success: OrderReply,
      error: [InvalidRequest, OrderNotFound, Conflict, Unavailable]
    }).annotate(OpenApi.Summary, "Update metadata or receipt_email"),
    HttpApiEndpoint.post("expire", "/v1/orders/:ref/expire", {
      params,
      success: OrderReply,
      error: [OrderNotFound, Conflict, ProcessorError, Unavailable]
    }).annotate(OpenApi.Summary, "Close a pending order now")
  )
  // What is added first is innermost: the key is claimed before the body is decoded (silences: G10).
  .middleware(Decoding)
  .middleware(Idempotency)
  .add(
    HttpApiEndpoint.get("list", "/v1/orders", {
      query: OrderQuery,
      success: [listed(OrderResource), HttpApiSchema.StreamUint8Array({ contentType: "text/csv" })],
      error: InvalidRequest
    }).annotate(OpenApi.Summary, "List orders, newest first, or export them"),
    HttpApiEndpoint.get("retrieve", "/v1/orders/:ref", {
      params,
      success: OrderReply,
      error: OrderNotFound
    }).annotate(OpenApi.Summary, "Retrieve an order by trade_no or out_trade_no")
  )
  .middleware(Decoding)
  .middleware(Quotas)
  .middleware(MerchantKey)
  .annotate(OpenApi.Description, "Collect a payment: create, read, list, annotate and close orders.") {}
