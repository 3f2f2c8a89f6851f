/** Refunds on the wire: the resource and its endpoints (spec: Refund; Endpoints, Refunds; silences: R1 to R13). */
import { NewOutRefundNo } from "@coffer/model/Ids"
import { refundReasonLengthMax } from "@coffer/model/Limits"
import { MetadataKeys, MetadataPatch } from "@coffer/model/Metadata"
import { OrderAmount } from "@coffer/model/Money"
import { optional, withoutNulls } from "@coffer/model/optional"
import { FreeText } from "@coffer/model/Text"
import { filterFields, wireFields } from "@coffer/resources/listed"
import { refunds } from "@coffer/resources/returns"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Decoding, Idempotency, MerchantKey, Quotas } from "./Caller.ts"
import { enveloped, listed } from "./Envelope.ts"
import {
  Conflict,
  IdempotencyInProgress,
  InsufficientBalance,
  InvalidRequest,
  OrderNotFound,
  ProcessorError,
  RateLimited,
  RefundNotFound,
  RefundWindowExpired,
  Unavailable
} from "./Errors.ts"
import { merchantId, text, withExample } from "./fields.ts"
import { ExportableQuery, sortedField, sortParameter, waitParameter } from "./Lists.ts"
import { sampleIds } from "./sampleIds.ts"

/** The same in responses and in `refund.*` events. */
export const RefundResource = withExample(
  Schema.Struct(wireFields(refunds, { merchant_id: merchantId })).annotate({
    identifier: "Refund",
    description: "The refund."
  }),
  {
    object: "refund",
    refund_no: sampleIds.refund,
    out_refund_no: "return-311",
    trade_no: sampleIds.order,
    amount: 999,
    reason: "one book came damaged",
    status: "succeeded",
    funds_frozen: false,
    settled_at: "2026-11-25T14:02:07.113Z",
    metadata: { ticket: "311" },
    currency: "USD",
    merchant_id: sampleIds.merchant,
    mode: "sandbox",
    failure_reason: null,
    created_at: "2026-11-25T14:02:07.021Z",
    updated_at: "2026-11-25T14:02:07.113Z",
    out_trade_no: "cart-4711"
  }
)
export type RefundResource = typeof RefundResource.Encoded

export const CreateRefund = withoutNulls(
  withExample(
    Schema.Struct({
      trade_no: text("The order: our number or yours."),
      out_refund_no: optional(
        NewOutRefundNo,
        "Your number of the refund, one line; required in live. Repeating it returns the same refund."
      ),
      // Null is refused: a client that has lost the amount must not refund everything.
      amount: Schema.optionalKey(
        OrderAmount.annotate({
          description:
            "Minor units. Default: everything that can still be refunded. Null is an error and does not mean " +
            "everything."
        })
      ),
      reason: optional(
        FreeText(refundReasonLengthMax),
        "For your records, at most 500 characters; line breaks are kept."
      ),
      metadata: optional(MetadataKeys, "At most 50 keys of 1 to 40 characters, with values of at most 500.")
    }).annotate({ identifier: "CreateRefund", description: "The refund to make." }),
    {
      trade_no: sampleIds.order,
      out_refund_no: "return-311",
      amount: 999,
      reason: "one book came damaged",
      metadata: { ticket: "311" }
    }
  )
)
export type CreateRefund = typeof CreateRefund.Type

export const UpdateRefund = withExample(
  Schema.Struct({
    metadata: Schema.optionalKey(
      MetadataPatch.annotate({
        description: "Keys to set; null deletes a key, and null instead of an object deletes all of them."
      })
    )
  }).annotate({ identifier: "UpdateRefund", description: "The fields to change." }),
  { metadata: { ticket: null } }
)
export type UpdateRefund = typeof UpdateRefund.Type

export const RefundQuery = Schema.Struct({
  ...ExportableQuery,
  ...sortParameter,
  ...waitParameter,
  ...filterFields(refunds)
})
export type RefundQuery = typeof RefundQuery.Type

const RefundReply = enveloped(RefundResource)

const params = { ref: text("The refund's `refund_no`, or your own `out_refund_no`.") }

export class RefundsGroup extends HttpApiGroup.make("refunds")
  .add(
    HttpApiEndpoint.post("create", "/v1/refunds", {
      payload: CreateRefund,
      success: [RefundReply.pipe(HttpApiSchema.status(201)), RefundReply.pipe(HttpApiSchema.status(202)), RefundReply],
      error: [
        InvalidRequest,
        RefundWindowExpired,
        InsufficientBalance,
        OrderNotFound,
        Conflict,
        IdempotencyInProgress,
        ProcessorError,
        Unavailable
      ]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Refund an order, in whole or in part",
        description:
          "201 if the channel refunded immediately, 202 if it settles later: poll every 10 seconds for 5 minutes, " +
          "then less often, or wait for the event. If the `out_refund_no` exists already, returns 200 with that " +
          "refund. Fees are not returned, so a full refund takes more from the wallet than the payment added. " +
          "502: no money has moved here, and `Coffer-Reason` says whether a retry can help."
      })
    ),
    HttpApiEndpoint.post("update", "/v1/refunds/:ref", {
      params,
      payload: UpdateRefund,
      success: RefundReply,
      error: [InvalidRequest, RefundNotFound, Conflict, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Update a refund's metadata",
        description: "Merges: omitted keys are unchanged. Nothing else of a refund can be changed."
      })
    )
  )
  .middleware(Decoding)
  .middleware(Idempotency)
  .add(
    HttpApiEndpoint.get("list", "/v1/refunds", {
      query: RefundQuery,
      success: [listed(RefundResource, sortedField), HttpApiSchema.StreamUint8Array({ contentType: "text/csv" })],
      error: [InvalidRequest, RateLimited, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List refunds, newest first, or export them",
        description:
          "All filters have to match. `format=csv` returns a file of at most 10,000 rows and ignores `limit` and " +
          "the cursors."
      })
    ),
    HttpApiEndpoint.get("get", "/v1/refunds/:ref", {
      params,
      success: RefundReply,
      error: RefundNotFound
    }).annotateMerge(OpenApi.annotations({ summary: "Retrieve a refund", description: "By our number or by yours." }))
  )
  .middleware(Decoding)
  .middleware(Quotas)
  .middleware(MerchantKey)
  .annotate(OpenApi.Description, "Give money back to the buyer, in whole or in part.") {}
