/** Payments of which Stripe's books and ours differ (docs/architecture.md, section 7). */
import { Mode } from "@coffer/model/Ids"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Decoding, OperatorToken } from "./Caller.ts"
import { listed } from "./Envelope.ts"
import { InvalidRequest } from "./Errors.ts"
import { currency, instant, kind, merchantId, minor, minorOrNull, orNull, text } from "./fields.ts"
import { ListQuery } from "./Lists.ts"

export const DifferenceResource = Schema.Struct({
  object: kind("reconciliation_difference"),
  id: text("Number of the difference."),
  merchant_id: merchantId,
  mode: Mode.annotate({ description: "The environment." }),
  payment_id: text("The payment at Stripe."),
  trade_no: orNull(Schema.String, "The order that it belongs to; null for a payment that is none of ours."),
  currency,
  ours: minor("What our books say is left of the payment, without fees"),
  theirs: minor("What Stripe's balance transactions of the payment add up to, without fees"),
  channel_fee: minorOrNull("What Stripe has kept as its own fees", "while that is not known"),
  channel_fee_currency: orNull(Schema.String, "The currency of `channel_fee`: that in which Stripe keeps the balance."),
  status: Schema.Literals(["open", "agreed"]).annotate({
    description: "`agreed`: the books were found equal later, because one of them moved. Nothing is mended by itself."
  }),
  created_at: instant("When it was found."),
  seen_at: instant("When the books were last found different."),
  agreed_at: orNull(Schema.String, "When they were found equal; null while they differ.")
}).annotate({ identifier: "ReconciliationDifference" })
export type DifferenceResource = typeof DifferenceResource.Encoded

export const ReconciliationQuery = Schema.Struct({
  ...ListQuery,
  merchant_id: Schema.optionalKey(text("Differences of this merchant.")),
  status: Schema.optionalKey(
    Schema.Literals(["open", "agreed"]).annotate({ description: "Differences in this state." })
  )
})
export type ReconciliationQuery = typeof ReconciliationQuery.Type

export class ReconciliationGroup extends HttpApiGroup.make("reconciliation")
  .add(
    HttpApiEndpoint.get("list", "/operator/v1/reconciliation", {
      query: ReconciliationQuery,
      success: listed(DifferenceResource),
      error: InvalidRequest
    }).annotate(OpenApi.Summary, "Payments of which Stripe's books and ours differ, newest first")
  )
  .middleware(Decoding)
  .middleware(OperatorToken) {}
