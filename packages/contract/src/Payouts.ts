/**
 * Payouts, which the operator requests, reviews and completes (docs/architecture.md, section 7; silences: B2).
 * Merchants see their ledger rows and their total, but have no endpoint for them.
 */
import { Mode } from "@coffer/model/Ids"
import { outTradeNoLengthMax } from "@coffer/model/Limits"
import { OrderAmount } from "@coffer/model/Money"
import { optional, withoutNulls } from "@coffer/model/optional"
import { OneLine } from "@coffer/model/Text"
import { wireFields } from "@coffer/resources/listed"
import { payouts } from "@coffer/resources/wallets"
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
import { currency, merchantId, ofMerchant, text, withExample } from "./fields.ts"
import { ListQuery, sortedField, sortParameter } from "./Lists.ts"
import { needsApproval } from "./Operators.ts"
import { sampleIds } from "./sampleIds.ts"

const mode = Mode.annotate({ description: "The environment whose wallet pays." })

export const PayoutResource = withExample(
  Schema.Struct(wireFields(payouts, { merchant_id: merchantId })).annotate({
    identifier: "Payout",
    description: "A transfer to a merchant's bank."
  }),
  {
    object: "payout",
    payout_no: sampleIds.payout,
    merchant_id: sampleIds.merchant,
    mode: "live",
    currency: "USD",
    amount: 50_000,
    fee: 0,
    status: "requested",
    reference: "2026-11",
    created_at: "2026-11-22T09:00:00.000Z",
    approved_at: null,
    updated_at: "2026-11-22T09:00:00.000Z"
  }
)
export type PayoutResource = typeof PayoutResource.Encoded

export const CreatePayout = withoutNulls(
  Schema.Struct({
    mode,
    currency,
    amount: OrderAmount.annotate({ description: "The amount sent to the merchant's bank, in minor units." }),
    reference: optional(
      OneLine(1, outTradeNoLengthMax),
      "Your own number for it. Repeating the same request returns the payout that it created."
    )
  }).annotate({
    examples: [{ mode: "live", currency: "USD", amount: OrderAmount.make(50_000), reference: "2026-11" }]
  })
)
export type CreatePayout = typeof CreatePayout.Type

/** Each environment has its own list. */
export const PayoutQuery = Schema.Struct({ ...ListQuery, ...sortParameter, mode })
export type PayoutQuery = typeof PayoutQuery.Type

const collection = "/operator/v1/merchants/:merchant_id/payouts"
const params = { payout_no: text("The payout's number.") }

const again = "Repeating the request changes nothing. 409: the payout is in another state."

const step = <const Name extends "approve" | "reject" | "complete" | "fail">(
  name: Name,
  summary: string,
  description: string
) =>
  HttpApiEndpoint.post(name, `/operator/v1/payouts/:payout_no/${name}`, {
    params,
    success: [enveloped(PayoutResource), needsApproval],
    error: [Conflict, PayoutNotFound, Unavailable]
  }).annotateMerge(OpenApi.annotations({ summary, description }))

export class PayoutsGroup extends HttpApiGroup.make("payouts")
  .add(
    HttpApiEndpoint.post("create", collection, {
      params: ofMerchant,
      payload: CreatePayout,
      success: [enveloped(PayoutResource), enveloped(PayoutResource).pipe(HttpApiSchema.status(201))],
      error: [InvalidRequest, InsufficientBalance, MerchantNotFound, Conflict, Unavailable]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Request a payout",
        description: "Its amount is frozen until the payout is final."
      })
    ),
    HttpApiEndpoint.get("list", collection, {
      params: ofMerchant,
      query: PayoutQuery,
      success: listed(PayoutResource, sortedField),
      error: [InvalidRequest, MerchantNotFound]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List a merchant's payouts, newest first",
        description: "In the environment that `mode` names."
      })
    ),
    HttpApiEndpoint.get("get", "/operator/v1/payouts/:payout_no", {
      params,
      success: enveloped(PayoutResource),
      error: PayoutNotFound
    }).annotateMerge(OpenApi.annotations({ summary: "Read a payout", description: "Where it is now." })),
    step("approve", "Approve a requested payout", `${again} 202: its amount needs two operators.`),
    step("reject", "Refuse a requested payout", `Its amount is available again. ${again}`),
    step("complete", "Report that an approved payout has arrived", `Its fee is charged. ${again}`),
    step("fail", "Report that an approved payout did not arrive", `Its amount is available again. ${again}`)
  )
  .middleware(Decoding)
  .middleware(OperatorToken)
  .annotate(OpenApi.Description, "A transfer to a merchant's bank.") {}
