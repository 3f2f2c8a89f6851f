/** Payments that differ between Stripe's books and ours (docs/architecture.md, section 7). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Decoding, OperatorToken } from "./Caller.ts"
import { enveloped, listed } from "./Envelope.ts"
import { Conflict, InvalidRequest, MerchantNotFound } from "./Errors.ts"
import {
  anyMode,
  currency,
  instant,
  kind,
  merchantId,
  minor,
  minorOrNull,
  ofMerchant,
  orNull,
  text,
  withExample
} from "./fields.ts"
import { ListQuery } from "./Lists.ts"
import { sampleIds } from "./sampleIds.ts"

export const DifferenceResource = withExample(
  Schema.Struct({
    object: kind("reconciliation_difference"),
    id: text("Number of the difference."),
    merchant_id: merchantId,
    mode: anyMode,
    channel: text("The acquirer whose books differ: `stripe` or `adyen`."),
    payment_id: text("The payment at the acquirer."),
    trade_no: orNull(Schema.String, "The order that it belongs to; null if we have no such payment."),
    currency,
    ours: minor("What remains of the payment in our books, without fees"),
    theirs: minor("The sum of the acquirer's movements of the payment, without fees"),
    channel_fee: minorOrNull("The fees charged by the acquirer", "while it is not known"),
    channel_fee_currency: orNull(Schema.String, "The currency of `channel_fee`: that of the balance there."),
    status: Schema.Literals(["open", "agreed"]).annotate({
      description:
        "`agreed`: a later comparison found the books equal, because one of them has changed. Differences are not " +
        "corrected automatically."
    }),
    created_at: instant("When it was found."),
    seen_at: instant("When the books were last found different."),
    agreed_at: orNull(Schema.String, "When they were found equal; null while they differ.")
  }).annotate({ identifier: "ReconciliationDifference", description: "A payment for which the two books differ." }),
  {
    object: "reconciliation_difference",
    id: sampleIds.difference,
    merchant_id: sampleIds.merchant,
    mode: "live",
    channel: "stripe",
    payment_id: "pi_3QExample",
    trade_no: sampleIds.order,
    currency: "USD",
    ours: 1999,
    theirs: 1499,
    channel_fee: 88,
    channel_fee_currency: "USD",
    status: "open",
    created_at: "2026-11-22T02:00:04.113Z",
    seen_at: "2026-11-22T02:00:04.113Z",
    agreed_at: null
  }
)
export type DifferenceResource = typeof DifferenceResource.Encoded

export const ReconciliationQuery = Schema.Struct({
  ...ListQuery,
  merchant_id: Schema.optionalKey(text("Differences of this merchant.")),
  status: Schema.optionalKey(
    Schema.Literals(["open", "agreed"]).annotate({ description: "Differences in this state." })
  )
})
export type ReconciliationQuery = typeof ReconciliationQuery.Type

/** The progress of comparing one account. */
export const ComparedResource = withExample(
  Schema.Struct({
    object: kind("reconciliation"),
    merchant_id: merchantId,
    mode: anyMode,
    compared_until: orNull(
      Schema.String,
      "Movements at Stripe up to this time have been compared; null before the first comparison."
    ),
    next_at: orNull(
      Schema.String,
      "When the next comparison begins; a running one ends by then. Null before the first comparison."
    )
  }).annotate({ identifier: "Reconciliation", description: "How far an account's books have been compared." }),
  {
    object: "reconciliation",
    merchant_id: sampleIds.merchant,
    mode: "live",
    compared_until: "2026-11-22T02:00:00.000Z",
    next_at: "2026-11-23T02:00:00.000Z"
  }
)
export type ComparedResource = typeof ComparedResource.Encoded

const ofAccount = "/operator/v1/merchants/:merchant_id/channels/:mode/reconciliation"
const params = { ...ofMerchant, mode: anyMode }

export class ReconciliationGroup extends HttpApiGroup.make("reconciliation")
  .add(
    HttpApiEndpoint.get("list", "/operator/v1/reconciliation", {
      query: ReconciliationQuery,
      success: listed(DifferenceResource),
      error: InvalidRequest
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Payments for which an acquirer's books and ours differ, newest first",
        description:
          "Each account is compared every night after 02:00 UTC. Differences are not corrected automatically."
      })
    ),
    HttpApiEndpoint.get("get", ofAccount, {
      params,
      success: enveloped(ComparedResource),
      error: MerchantNotFound
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Read how far an account has been compared",
        description: "Both times are null if the merchant has no Stripe account in this environment."
      })
    ),
    HttpApiEndpoint.post("begin", ofAccount, {
      params,
      success: enveloped(ComparedResource).pipe(HttpApiSchema.status(202)),
      error: [Conflict, MerchantNotFound]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Compare an account now",
        description:
          "It begins within five seconds; `compared_until` advances when it is done. While a comparison is " +
          "running, no other is started. 409: the merchant has no Stripe account in this environment."
      })
    )
  )
  .middleware(Decoding)
  .middleware(OperatorToken)
  .annotate(OpenApi.Description, "Stripe's books beside ours.") {}
