/** A wallet and its ledger rows as merchants see them (spec: Wallet balance; Balance transaction). Pure. */
import { isoText } from "@coffer/model/isoText"
import type { BalanceResource, BalanceTransactionResource, LedgerLinkResource } from "@coffer/contract/Balance"
import { chainText } from "@coffer/rules/wallet/post"
import { type Wallet, walletIdOf } from "@coffer/rules/wallet/Wallet"
import type { LedgerEntry, StoredLedgerRow } from "./Wallets.ts"

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
  updated_at: isoText(wallet.updatedAt)
})

export const balanceTransactionView = (row: LedgerEntry): BalanceTransactionResource => ({
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
  created_at: isoText(row.createdAt),
  trade_no: row.order?.tradeNo ?? null,
  out_trade_no: row.order?.outTradeNo ?? null
})

/** The text is made of the stored row, so a changed row does not match its hash. */
export const ledgerLinkView = (row: StoredLedgerRow): LedgerLinkResource => ({
  object: "ledger_link",
  id: row.id,
  sequence: row.sequence,
  previous_hash: row.previousHash,
  hash: row.hash,
  text: chainText(walletIdOf(row), row),
  created_at: isoText(row.createdAt)
})
