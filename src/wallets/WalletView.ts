/** A wallet and its ledger rows as merchants see them (spec: Wallet balance; Balance transaction). Pure. */
import type { BalanceResource, BalanceTransactionResource } from "@coffer/contract/Balance"
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
  merchant_id: row.merchantId,
  type: row.type,
  currency: row.currency,
  amount: row.amount,
  balance_before: row.balanceBefore,
  balance_after: row.balanceAfter,
  reference_id: row.referenceId,
  description: row.description,
  mode: row.mode,
  created_at: DateTime.formatIso(row.createdAt)
})
