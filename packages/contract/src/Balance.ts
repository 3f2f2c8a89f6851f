/** Wallet and ledger on the wire (spec: Wallet balance; Balance transaction; Endpoints, Balance and ledger). */
import { Currency } from "@coffer/model/Money"
import { filterFields, wireFields } from "@coffer/resources/listed"
import { ledger } from "@coffer/resources/wallets"
import { Schema, Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Decoding, MerchantKey, Quotas } from "./Caller.ts"
import { enveloped, listed } from "./Envelope.ts"
import { InvalidRequest } from "./Errors.ts"
import { currency, instant, int, kind, merchantId, minor, mode, text, withExample } from "./fields.ts"
import { ExportableQuery, ListQuery } from "./Lists.ts"
import { sampleIds } from "./sampleIds.ts"

export const BalanceResource = withExample(
  Schema.Struct({
    merchant_id: merchantId,
    currency,
    mode,
    available_balance: minor("The amount available for refunds and payouts; a dispute may take it below zero"),
    frozen_balance: minor("Held by pending refunds, disputes and payouts under review"),
    total_revenue: minor("Everything that buyers have paid"),
    total_fee: minor("Everything charged for payments, disputes and payouts"),
    total_payout: minor("Everything paid out"),
    total_refund: minor("Everything refunded"),
    updated_at: instant("When the wallet last changed; when the merchant was created, if it never has.")
  }).annotate({ identifier: "Balance", description: "The wallet." }),
  {
    merchant_id: sampleIds.merchant,
    currency: "USD",
    mode: "sandbox",
    available_balance: 1911,
    frozen_balance: 0,
    total_revenue: 1999,
    total_fee: 88,
    total_payout: 0,
    total_refund: 0,
    updated_at: "2026-11-21T09:31:12.502Z"
  }
)
export type BalanceResource = typeof BalanceResource.Encoded

export const BalanceTransactionResource = withExample(
  Schema.Struct(wireFields(ledger, { merchant_id: merchantId })).annotate({
    identifier: "BalanceTransaction",
    description: "One movement of the wallet."
  }),
  {
    object: "balance_transaction",
    id: sampleIds.ledger,
    merchant_id: sampleIds.merchant,
    type: "payment_credit",
    currency: "USD",
    amount: 1999,
    balance_before: 0,
    balance_after: 1999,
    reference_id: sampleIds.order,
    description: "Payment of the order",
    mode: "sandbox",
    created_at: "2026-11-21T09:31:12.502Z",
    trade_no: sampleIds.order,
    out_trade_no: "cart-4711"
  }
)
export type BalanceTransactionResource = typeof BalanceTransactionResource.Encoded

/** The order that a movement of money is about. */
export const orderBehind = Struct.pick(BalanceTransactionResource.fields, ["trade_no", "out_trade_no"])

const hashed = [
  `${sampleIds.merchant}/sandbox/USD`,
  "",
  sampleIds.ledger,
  1,
  "payment_credit",
  1999,
  0,
  1999,
  0,
  sampleIds.order,
  "Payment of the order",
  "2026-11-21T09:31:12.502Z"
].join("\n")

/** One row of the ledger, as its hash holds it (docs/ledger.md). */
export const LedgerLinkResource = withExample(
  Schema.Struct({
    object: kind("ledger_link"),
    id: text("Number of the movement, as the ledger lists it."),
    sequence: int("Its place in the wallet, from 1 on, without a gap."),
    previous_hash: text("The hash of the row before it, in hex; empty for the first."),
    hash: text("SHA-256 of `text`, in hex."),
    text: text("The text that is hashed, as UTF-8: twelve values, one per line."),
    created_at: instant("When it was booked.")
  }).annotate({ identifier: "LedgerLink", description: "One link of the chain." }),
  {
    object: "ledger_link",
    id: sampleIds.ledger,
    sequence: 1,
    previous_hash: "",
    hash: "2b4c3b01a441bd7260f0a06e94c7c1301e0f2d4fc02148f04fb4c4e3b15c8dd7",
    text: hashed,
    created_at: "2026-11-21T09:31:12.502Z"
  }
)
export type LedgerLinkResource = typeof LedgerLinkResource.Encoded

export const ChainQuery = Schema.Struct(ListQuery)
export type ChainQuery = typeof ChainQuery.Type

/** Filters of the ledger; all have to match (spec: Endpoints, Balance and ledger). */
export const LedgerQuery = Schema.Struct({
  ...ExportableQuery,
  ...filterFields(ledger)
})
export type LedgerQuery = typeof LedgerQuery.Type

export class BalanceGroup extends HttpApiGroup.make("balance")
  .add(
    HttpApiEndpoint.get("get", "/v1/balance", {
      query: { currency: Schema.optionalKey(Currency.annotate({ description: "Which wallet. Default: `USD`." })) },
      success: enveloped(BalanceResource),
      error: InvalidRequest
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Read the wallet of one currency",
        description:
          "Each currency has its own wallet in each environment, and nothing is converted. A wallet that was " +
          "never used is all zeros, and so is that of a live currency that is not enabled for you."
      })
    ),
    HttpApiEndpoint.get("transactions", "/v1/balance_transactions", {
      query: LedgerQuery,
      success: [listed(BalanceTransactionResource), HttpApiSchema.StreamUint8Array({ contentType: "text/csv" })],
      error: InvalidRequest
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List the ledger, newest first, or export it",
        description:
          "Every movement of the wallets; rows are never changed or removed. A payment is two rows: the whole " +
          "amount in, the fee out. `format=csv` returns a file of at most 10,000 rows."
      })
    ),
    HttpApiEndpoint.get("chain", "/v1/ledger/:currency/chain", {
      params: { currency: Currency.annotate({ description: "Which wallet." }) },
      query: ChainQuery,
      success: listed(LedgerLinkResource),
      error: InvalidRequest
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List the hashes of a wallet's ledger, newest first",
        description:
          "Proves that no movement was changed, removed or inserted later: each `hash` is the hash of its `text`, " +
          "and each `previous_hash` is the `hash` of the row before it. Store the newest one and compare it later."
      })
    )
  )
  .middleware(Decoding)
  .middleware(Quotas)
  .middleware(MerchantKey)
  .annotate(OpenApi.Description, "The wallet of a currency, and every movement of it.") {}
