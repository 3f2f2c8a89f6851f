/**
 * The wallet: one per merchant, mode and currency, and the rows its ledger is made of (spec: Wallet balance; Balance
 * transaction). Each row has a sequence number and the hash of the row before it, so that none can be removed
 * unnoticed.
 */
import { MerchantId, Mode } from "@coffer/model/Ids"
import { Currency } from "@coffer/model/Money"
import { fixedFields } from "@coffer/resources/listed"
import { ledger } from "@coffer/resources/wallets"
import { type DateTime, Schema, Struct } from "effect"

export const Wallet = Schema.Struct({
  merchantId: MerchantId,
  mode: Mode,
  currency: Currency,
  /** Minor units. Below zero only when a dispute forced it (silences: D9). */
  available: Schema.Int,
  frozen: Schema.Int,
  /**
   * Promised and not yet moved: refunds under way at the channel, fees of open payouts. Merchants see no row of it; it
   * only prevents spending the promised amount (silences: R7).
   */
  reserved: Schema.Int,
  totalRevenue: Schema.Int,
  totalFee: Schema.Int,
  totalPayout: Schema.Int,
  totalRefund: Schema.Int,
  /** How many ledger rows there are. */
  sequence: Schema.Int,
  /** Id and hash of the newest ledger row; empty before the first. */
  headId: Schema.String,
  headHash: Schema.String,
  /**
   * Fences writers. It is derived from the wallet's content, not a counter: two runners could count to the same number.
   */
  version: Schema.String,
  updatedAt: Schema.DateTimeUtc
})
export type Wallet = typeof Wallet.Type

/** A ledger row, and whose it is. Outflows are negative (spec: Balance transaction). */
export const StoredLedgerRow = Schema.Struct(fixedFields(ledger))
export type StoredLedgerRow = typeof StoredLedgerRow.Type

export const LedgerRow = StoredLedgerRow.mapFields(Struct.omit(["merchantId", "mode", "currency"]))
export type LedgerRow = typeof LedgerRow.Type

/** Which wallet it is. */
export const WalletName = Wallet.mapFields(Struct.pick(["merchantId", "mode", "currency"]))
export type WalletName = typeof WalletName.Type

/** A wallet that was never used: zeros (silences: B4). */
export const emptyWallet = (name: WalletName, updatedAt: DateTime.Utc): Wallet => ({
  ...name,
  available: 0,
  frozen: 0,
  reserved: 0,
  totalRevenue: 0,
  totalFee: 0,
  totalPayout: 0,
  totalRefund: 0,
  sequence: 0,
  headId: "",
  headHash: "",
  version: "",
  updatedAt
})

/** The wallet's unique id, which determines its owner. */
export const walletIdOf = (wallet: WalletName): string => `${wallet.merchantId}/${wallet.mode}/${wallet.currency}`
