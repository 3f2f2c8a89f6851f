/** The kinds of movement that a wallet's ledger records (spec: Balance transaction). */
import { Schema } from "effect"

export const LedgerType = Schema.Literals([
  "payment_credit",
  "fee_debit",
  "refund_freeze",
  "refund_debit",
  "refund_unfreeze",
  "dispute_freeze",
  "dispute_unfreeze",
  "dispute_debit",
  "dispute_fee",
  "payout_freeze",
  "payout_unfreeze",
  "payout_success",
  "payout_fee"
])
export type LedgerType = typeof LedgerType.Type
