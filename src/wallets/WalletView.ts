/** A wallet and its ledger rows as merchants see them (spec: Wallet balance; Balance transaction). Pure. */
import type { BalanceResource, BalanceTransactionResource } from "@coffer/contract/Balance"
import type { Columns } from "@coffer/rules/csv"
import type { Wallet } from "@coffer/rules/wallet/Wallet"
import { DateTime } from "effect"
import type { StoredLedgerRow } from "./Wallets.ts"

export const balanceView = (wallet: Wallet): BalanceResource => ({
  merchant_id: wallet.merchantId,
  currency: wallet.currency,
  mode: wallet.mode,
  available_balance: wallet.available,
  frozen_balance: wallet.frozen,
  total_revenue: wallet.totalRevenue,
  total_fee: wallet.totalFee,
  total_payout: wallet.totalPayout,
  total_refund: wallet.totalRefund,
  updated_at: DateTime.formatIso(wallet.updatedAt)
})

export const balanceTransactionView = (row: StoredLedgerRow): BalanceTransactionResource => ({
  object: "balance_transaction",
  id: row.id,
  merchant_id: row.merchant_id,
  type: row.type,
  currency: row.currency,
  amount: row.amount,
  balance_before: row.balance_before,
  balance_after: row.balance_after,
  reference_id: row.reference_id,
  description: row.description,
  mode: row.mode,
  created_at: DateTime.formatIso(row.created_at)
})

/** The columns of an export: the fields in the order the specification lists them (spec: Balance transaction). */
export const balanceTransactionColumns: Columns<BalanceTransactionResource> = {
  id: "text",
  merchant_id: "text",
  type: "text",
  currency: "text",
  amount: "amount",
  balance_before: "amount",
  balance_after: "amount",
  reference_id: "text",
  description: "text",
  mode: "text",
  created_at: "text"
}
