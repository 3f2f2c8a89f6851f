/** A wallet and its ledger rows as merchants see them (spec: Wallet balance; Balance transaction). Pure. */
import { isoText } from "@coffer/model/isoText"
import type { BalanceResource, BalanceTransactionResource, LedgerLinkResource } from "@coffer/contract/Balance"
import { makeView } from "@coffer/resources/view"
import { ledger } from "@coffer/resources/wallets"
import { chainText } from "@coffer/rules/wallet/post"
import { type StoredLedgerRow, type Wallet, walletIdOf } from "@coffer/rules/wallet/Wallet"
import type { LedgerEntry } from "./Wallets.ts"

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

export const balanceTransactionView: (row: LedgerEntry) => BalanceTransactionResource = makeView<LedgerEntry>()(
  ledger,
  {
    trade_no: ({ order }) => order?.tradeNo ?? null,
    out_trade_no: ({ order }) => order?.outTradeNo ?? null
  }
)

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
