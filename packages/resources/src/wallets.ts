/**
 * Wallets, their ledger and payouts. Rows of the ledger are hashed and never change, so they may have no buyer's word.
 */
import { Mode, PayoutNo } from "@coffer/model/Ids"
import { Minor } from "@coffer/model/Money"
import { Schema } from "effect"
import { code, field, fixed, listed, money } from "./listed.ts"
import { archived, each, forNobody, ownTable, resource, shown } from "./Resource.ts"
import { currency, merchantId } from "./shared.ts"

export const wallets = resource("wallets", {
  ...each(forNobody("none"), ["wallet_id", "version", "head_id", "head_hash"]),
  ...each(shown("none"), ["merchant_id", "mode", "currency", "sequence", "available", "frozen", "reserved"]),
  ...each(shown("none"), ["total_revenue", "total_fee", "total_payout", "total_refund", "updated_at"])
})

export const ledger = resource("ledger", {
  id: shown("none"),
  wallet_id: archived("none"),
  sequence: shown("none"),
  merchant_id: shown("none"),
  mode: shown("none"),
  currency: shown("none"),
  type: shown("none"),
  amount: shown("none"),
  balance_before: shown("none"),
  balance_after: shown("none"),
  frozen_after: shown("none"),
  reference_id: shown("none"),
  /** Made of our own words and numbers. */
  description: shown("none"),
  created_at: shown("none"),
  previous_hash: shown("none"),
  hash: shown("none")
})
const sums = ["frozen", "moved", "revenue", "fee", "refund", "payout", "lost"] as const
export const ledgerSums = ownTable("ledger_sums", ["wallet_id", "row_id", ...sums])
export const anchors = ownTable("anchors", ["chain", "sequence", "row_id", "hash", "is_first", "anchored_at"])

export const payouts = listed(
  "payouts",
  {
    payout_no: field(PayoutNo, shown("none"), ["Payout ID", "提现号", "Platform payout number."], {
      ...fixed,
      ...code
    }),
    merchant_id: merchantId,
    mode: field(Mode, shown("none"), ["Environment", "环境", "The environment whose wallet pays."], fixed),
    currency,
    amount: field(
      Minor,
      shown("none"),
      ["Amount", "金额", "The amount that the merchant's bank gets, in minor units."],
      { ...fixed, ...money }
    ),
    /** As the merchant's settings had it when the payout was asked for: what was promised is what is charged. */
    fee: field(
      Minor,
      shown("none"),
      ["Fee", "手续费", "Payout fee, charged beside the amount when the payout succeeds, in minor units."],
      { ...fixed, ...money }
    ),
    status: field(
      Schema.Literals(["requested", "approved", "succeeded", "rejected", "failed"]),
      shown("none"),
      ["Status", "状态", "Where it is: requested, approved and then succeeded or failed; or rejected."],
      { look: "state" }
    ),
    /** Two requests with one number are one payout. */
    reference: field(
      Schema.NullOr(Schema.String),
      shown("none"),
      ["Reference", "参考号", "The operator's own number for it, if one was given."],
      fixed
    ),
    created_at: field(Schema.DateTimeUtc, shown("none"), ["Requested", "申请时间", "When it was requested."], fixed),
    updated_at: field(Schema.DateTimeUtc, shown("none"), ["Updated", "更新时间", "When it last changed."]),
    version: forNobody("none")
  },
  {
    object: "payout",
    label: { en: "Payouts", zh: "提现" },
    list: {
      amount: "shown",
      status: "shown",
      fee: "wide",
      reference: "wide",
      payout_no: "hidden",
      updated_at: "hidden",
      created_at: "shown"
    },
    // The command line works on many at once, as they wait.
    brief: [],
    facts: ["fee", "reference", "created_at", "updated_at"],
    filters: {}
  }
)
/** Payouts of which an operator approved the first of two acts alone. */
export const payoutsAlone = ownTable("payouts_alone", ["payout_no", "mode", "amount", "currency", "approved_at"])
