/**
 * Payouts, which the operator asks for, reviews and reports the end of (docs/architecture.md, section 7; silences: B2).
 * Merchants see their ledger rows and their total, and no endpoint.
 */
import { Mode } from "@coffer/model/Ids"
import { outTradeNoLengthMax } from "@coffer/model/Limits"
import { OrderAmount } from "@coffer/model/Money"
import { optional, withoutNulls } from "@coffer/model/optional"
import { OneLine } from "@coffer/model/Text"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Decoding, OperatorToken } from "./Caller.ts"
import { enveloped, listed } from "./Envelope.ts"
import {
  Conflict,
  InsufficientBalance,
  InvalidRequest,
  MerchantNotFound,
  PayoutNotFound,
  Unavailable
} from "./Errors.ts"
import { currency, instant, kind, merchantId, minor, orNull, text } from "./fields.ts"
import { ListQuery } from "./Lists.ts"
import { needsApproval } from "./Operators.ts"

const mode = Mode.annotate({ description: "The environment whose wallet pays." })

export const PayoutResource = Schema.Struct({
  object: kind("payout"),
  payout_no: text("Platform payout number."),
  merchant_id: merchantId,
  mode,
  currency,
  amount: minor("What the merchant's bank gets"),
  fee: minor("Payout fee, charged beside the amount when the payout succeeds"),
  status: Schema.Literals(["requested", "approved", "succeeded", "rejected", "failed"]).annotate({
    description: "Where it is: requested, approved and then succeeded or failed; or rejected."
  }),
  reference: orNull(Schema.String, "The operator's own number for it, if one was given."),
  created_at: instant("When it was requested."),
  updated_at: instant("When it last changed.")
}).annotate({ identifier: "Payout" })
export type PayoutResource = typeof PayoutResource.Encoded

export const CreatePayout = withoutNulls(
  Schema.Struct({
    mode,
    currency,
    amount: OrderAmount,
    /** Makes the request repeatable: with the same content it is answered with the payout that it made. */
    reference: optional(OneLine(1, outTradeNoLengthMax))
  })
)
export type CreatePayout = typeof CreatePayout.Type

/** Each environment has its own list. */
export const PayoutQuery = Schema.Struct({ ...ListQuery, mode })
export type PayoutQuery = typeof PayoutQuery.Type

const ofMerchant = "/operator/v1/merchants/:merchant_id/payouts"
const params = { payout_no: Schema.String }

const step = <const Name extends "approve" | "reject" | "complete" | "fail">(name: Name, summary: string) =>
  HttpApiEndpoint.post(name, `/operator/v1/payouts/:payout_no/${name}`, {
    params,
    success: [enveloped(PayoutResource), needsApproval],
    error: [Conflict, PayoutNotFound, Unavailable]
  }).annotate(OpenApi.Summary, summary)

export class PayoutsGroup extends HttpApiGroup.make("payouts")
  .add(
    HttpApiEndpoint.post("create", ofMerchant, {
      params: { merchant_id: Schema.String },
      payload: CreatePayout,
      success: [enveloped(PayoutResource), enveloped(PayoutResource).pipe(HttpApiSchema.status(201))],
      error: [InvalidRequest, InsufficientBalance, MerchantNotFound, Conflict, Unavailable]
    }).annotate(OpenApi.Summary, "Request a payout: its amount is frozen until it has an end"),
    HttpApiEndpoint.get("list", ofMerchant, {
      params: { merchant_id: Schema.String },
      query: PayoutQuery,
      success: listed(PayoutResource),
      error: [InvalidRequest, MerchantNotFound]
    }).annotate(OpenApi.Summary, "List a merchant's payouts, newest first"),
    HttpApiEndpoint.get("retrieve", "/operator/v1/payouts/:payout_no", {
      params,
      success: enveloped(PayoutResource),
      error: PayoutNotFound
    }).annotate(OpenApi.Summary, "Read a payout"),
    step("approve", "Let a requested payout go to the bank"),
    step("reject", "Refuse a requested payout; its amount is available again"),
    step("complete", "Report that the bank has an approved payout; its fee is charged"),
    step("fail", "Report that an approved payout did not arrive; its amount is available again")
  )
  .middleware(Decoding)
  .middleware(OperatorToken) {}
