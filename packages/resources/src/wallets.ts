/**
 * Wallets, their ledger and payouts. Rows of the ledger are hashed and never change, so they may have no buyer's word.
 */
import { archived, each, forNobody, ownTable, resource, shown } from "./Resource.ts"

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

export const payouts = resource("payouts", {
  payout_no: shown("none"),
  version: forNobody("none"),
  merchant_id: shown("none"),
  mode: shown("none"),
  currency: shown("none"),
  amount: shown("none"),
  fee: shown("none"),
  status: shown("none"),
  reference: shown("none"),
  created_at: shown("none"),
  updated_at: shown("none")
})
/** Payouts of which an operator approved the first of two acts alone. */
export const payoutsAlone = ownTable("payouts_alone", ["payout_no", "mode", "amount", "currency", "approved_at"])
