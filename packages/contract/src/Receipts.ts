/** Sending a receipt (spec: Endpoints, Orders, send_receipt; silences: O20, O26). */
import { optional, withoutNulls } from "@coffer/model/optional"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Decoding, Idempotency, MerchantKey, Quotas } from "./Caller.ts"
import { enveloped } from "./Envelope.ts"
import { Conflict, InvalidRequest, OrderNotFound, Unavailable } from "./Errors.ts"
import { Email, text, withExample } from "./fields.ts"
import { OrderResource } from "./Orders.ts"

export const SendReceipt = withoutNulls(
  withExample(
    Schema.Struct({
      email: optional(
        Email,
        "The address for it, which also becomes the order's `receipt_email`. Default: the order's `receipt_email`."
      )
    }).annotate({ identifier: "SendReceipt", description: "Where to." }),
    { email: "reader@example.com" }
  )
)

export class ReceiptsGroup extends HttpApiGroup.make("receipts")
  .add(
    HttpApiEndpoint.post("sendReceipt", "/v1/orders/:ref/send_receipt", {
      params: { ref: text("The order's `trade_no`, or your own `out_trade_no`.") },
      payload: SendReceipt,
      success: enveloped(OrderResource),
      error: [InvalidRequest, OrderNotFound, Conflict, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Send the receipt by mail",
        description:
          "Returns 200 with the order when the mail is queued; `receipt_sent_at` is set when the mail server has " +
          "accepted it, and `receipt_failure_reason` if it cannot be sent. 409 while the order is not paid. At " +
          "most five per hour for one order; further requests are 429. The receipt that is sent automatically " +
          "after payment does not count."
      })
    )
  )
  // The middleware added first is innermost: the key is claimed before the body is decoded (silences: G10).
  .middleware(Decoding)
  .middleware(Idempotency)
  .middleware(Quotas)
  .middleware(MerchantKey)
  .annotate(OpenApi.Description, "A printable proof of payment, and its mail.") {}
