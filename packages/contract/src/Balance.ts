/** Wallet and ledger on the wire (spec: Wallet balance; Balance transaction; Endpoints, Balance and ledger). */
import { Mode } from "@coffer/model/Ids"
import { LedgerType } from "@coffer/model/Ledger"
import { Currency } from "@coffer/model/Money"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Decoding, MerchantKey, Quotas } from "./Caller.ts"
import { enveloped, listed } from "./Envelope.ts"
import { InvalidRequest } from "./Errors.ts"
import { ExportableQuery } from "./Lists.ts"

const Instant = Schema.String.annotate({ format: "date-time" })

export const BalanceResource = Schema.Struct({
  merchant_id: Schema.String,
  currency: Currency,
  mode: Mode,
  available_balance: Schema.Int,
  frozen_balance: Schema.Int,
  total_revenue: Schema.Int,
  total_fee: Schema.Int,
  total_payout: Schema.Int,
  total_refund: Schema.Int,
  updated_at: Instant
}).annotate({ identifier: "Balance" })
export type BalanceResource = typeof BalanceResource.Encoded

export const BalanceTransactionResource = Schema.Struct({
  object: Schema.tag("balance_transaction"),
  id: Schema.String,
  merchant_id: Schema.String,
  type: LedgerType,
  currency: Currency,
  /** Signed; outflows are negative. */
  amount: Schema.Int,
  /** Available balance; equal when the movement deducts from frozen funds. */
  balance_before: Schema.Int,
  balance_after: Schema.Int,
  reference_id: Schema.String,
  description: Schema.String,
  mode: Mode,
  created_at: Instant
}).annotate({ identifier: "BalanceTransaction" })
export type BalanceTransactionResource = typeof BalanceTransactionResource.Encoded

/** Filters of the ledger; all have to match (spec: Endpoints, Balance and ledger). */
export const LedgerQuery = Schema.Struct({
  ...ExportableQuery,
  type: Schema.optionalKey(LedgerType),
  reference_id: Schema.optionalKey(Schema.String),
  currency: Schema.optionalKey(Currency)
})
export type LedgerQuery = typeof LedgerQuery.Type

export class BalanceGroup extends HttpApiGroup.make("balance")
  .add(
    HttpApiEndpoint.get("retrieve", "/v1/balance", {
      query: { currency: Schema.optionalKey(Currency) },
      success: enveloped(BalanceResource),
      error: InvalidRequest
    }).annotate(OpenApi.Summary, "Read the wallet of one currency"),
    HttpApiEndpoint.get("transactions", "/v1/balance_transactions", {
      query: LedgerQuery,
      success: [listed(BalanceTransactionResource), HttpApiSchema.StreamUint8Array({ contentType: "text/csv" })],
      error: InvalidRequest
    }).annotate(OpenApi.Summary, "List the ledger, newest first, or export it")
  )
  .middleware(Decoding)
  .middleware(Quotas)
  .middleware(MerchantKey)
  .annotate(OpenApi.Description, "The wallet of a currency, and every movement of it.") {}
