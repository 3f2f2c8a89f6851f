/**
 * The wallet: one per merchant, mode and currency, and the rows its ledger is made of (spec: Wallet balance; Balance
 * transaction). Each row carries a sequence number and the hash of the row before it, so that nobody can take one out.
 */
import type { MerchantId, Mode } from "@coffer/model/Ids"
import type { LedgerType } from "@coffer/model/Ledger"
import type { Currency } from "@coffer/model/Money"
import type { DateTime } from "effect"

export interface Wallet {
  readonly merchantId: MerchantId
  readonly mode: Mode
  readonly currency: Currency
  /** Minor units. Below zero only when a dispute forced it (silences: D9). */
  readonly available: number
  readonly frozen: number
  /**
   * Promised and not yet moved: refunds that the channel is being asked for, fees of open payouts. Merchants see no
   * row of it; it only keeps others from spending what is promised (silences: R7).
   */
  readonly reserved: number
  readonly totalRevenue: number
  readonly totalFee: number
  readonly totalPayout: number
  readonly totalRefund: number
  /** How many ledger rows there are. */
  readonly sequence: number
  /** Id and hash of the newest ledger row; empty before the first. */
  readonly headId: string
  readonly headHash: string
  /** Fences writers. It says what the wallet holds, not how often it was written: two runners count to one number. */
  readonly version: string
  readonly updatedAt: DateTime.Utc
}

export interface LedgerRow {
  readonly id: string
  readonly sequence: number
  readonly type: LedgerType
  /** Signed minor units; outflows are negative (spec: Balance transaction). */
  readonly amount: number
  readonly balanceBefore: number
  readonly balanceAfter: number
  readonly frozenAfter: number
  readonly referenceId: string
  readonly description: string
  readonly createdAt: DateTime.Utc
  readonly previousHash: string
  readonly hash: string
}

export type WalletName = Pick<Wallet, "merchantId" | "mode" | "currency">

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

/** What identifies a wallet among all: the address of its actor. */
export const walletIdOf = (wallet: WalletName): string => `${wallet.merchantId}/${wallet.mode}/${wallet.currency}`
