/**
 * What a movement does to a wallet, and the ledger row that says so. Pure: the clock, the id and the hash function
 * come in. The table below is the specification's (spec: Balance transaction).
 */
import { idBodyAfter, prefixes } from "@coffer/model/Ids"
import type { LedgerType } from "@coffer/model/Ledger"
import { DateTime } from "effect"
import { type LedgerRow, type Wallet, walletIdOf } from "./Wallet.ts"

export interface Movement {
  readonly type: LedgerType
  /** Signed minor units, as the ledger shows it. */
  readonly amount: number
  readonly referenceId: string
  readonly description: string
}

export interface Posting {
  readonly wallet: Wallet
  readonly rows: ReadonlyArray<LedgerRow>
}

interface Means {
  readonly now: DateTime.Utc
  /** A fresh time-ordered body for the first row's id. */
  readonly idBody: string
  /** Hex digest of a text; the chain's link. */
  readonly digest: (text: string) => string
}

type Totals = "totalRevenue" | "totalFee" | "totalPayout" | "totalRefund"

/** Which balances one unit of `amount` moves: available, frozen (opposite when funds freeze), and a running total. */
const effects: Record<LedgerType, { readonly available: 0 | 1; readonly frozen: -1 | 0 | 1; readonly total?: Totals }> =
  {
    payment_credit: { available: 1, frozen: 0, total: "totalRevenue" },
    fee_debit: { available: 1, frozen: 0, total: "totalFee" },
    refund_freeze: { available: 1, frozen: -1 },
    refund_debit: { available: 0, frozen: 1, total: "totalRefund" },
    refund_unfreeze: { available: 1, frozen: -1 },
    dispute_freeze: { available: 1, frozen: -1 },
    dispute_unfreeze: { available: 1, frozen: -1 },
    dispute_debit: { available: 0, frozen: 1 },
    dispute_fee: { available: 1, frozen: 0, total: "totalFee" },
    payout_freeze: { available: 1, frozen: -1 },
    payout_unfreeze: { available: 1, frozen: -1 },
    payout_success: { available: 0, frozen: 1, total: "totalPayout" },
    payout_fee: { available: 1, frozen: 0, total: "totalFee" }
  }

/** Post movements in order. The wallet that comes back has the last row as its head. */
export const post = (wallet: Wallet, movements: ReadonlyArray<Movement>, means: Means): Posting => {
  const rows: Array<LedgerRow> = []
  let state = wallet
  // Ids rise within a wallet even when the clocks of two runners disagree (silences: B5).
  let body = laterOf(means.idBody, wallet.headId.slice(prefixes.ledger.length))
  for (const movement of movements) {
    const row = rowOf(state, movement, body, means)
    rows.push(row)
    state = after(state, movement, row)
    body = idBodyAfter(body)
  }
  return { wallet: state, rows }
}

const laterOf = (fresh: string, head: string): string => (fresh > head ? fresh : idBodyAfter(head))

const rowOf = (wallet: Wallet, movement: Movement, body: string, { digest, now }: Means): LedgerRow => {
  const effect = effects[movement.type]
  const row = {
    id: `${prefixes.ledger}${body}`,
    sequence: wallet.sequence + 1,
    type: movement.type,
    amount: movement.amount,
    balanceBefore: wallet.available,
    balanceAfter: wallet.available + effect.available * movement.amount,
    frozenAfter: wallet.frozen + effect.frozen * movement.amount,
    referenceId: movement.referenceId,
    description: movement.description,
    createdAt: now,
    previousHash: wallet.headHash
  }
  return { ...row, hash: digest(chainText(walletIdOf(wallet), row)) }
}

const after = (wallet: Wallet, { amount, type }: Movement, row: LedgerRow): Wallet => {
  const { total } = effects[type]
  const next = {
    ...wallet,
    available: row.balanceAfter,
    frozen: row.frozenAfter,
    sequence: row.sequence,
    headId: row.id,
    headHash: row.hash,
    updatedAt: row.createdAt
  }
  // Totals count what was taken in or paid out, without a sign (silences: B3).
  return total === undefined ? next : { ...next, [total]: wallet[total] + Math.abs(amount) }
}

/** What a row's hash covers: every column of it, the wallet it belongs to, and the hash before it. */
export const chainText = (walletId: string, row: Omit<LedgerRow, "hash">): string =>
  [
    walletId,
    row.previousHash,
    row.id,
    row.sequence,
    row.type,
    row.amount,
    row.balanceBefore,
    row.balanceAfter,
    row.frozenAfter,
    row.referenceId,
    row.description,
    DateTime.formatIso(row.createdAt)
  ].join("\n")
