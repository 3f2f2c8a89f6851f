/** The posting of a payment to a locked wallet: two ledger rows that continue its chain, and the wallet after them. */
import { idAfter, idBody } from "../rivals/ids.ts"
import type { OrderRow } from "../rivals/orderRows.ts"
import { sha256 } from "../rivals/secrets.ts"
import { ledgerColumns, valuesOf } from "./statements.ts"

export interface WalletRow {
  readonly wallet_id: string
  readonly sequence: number
  readonly available: number
  readonly frozen: number
  readonly total_revenue: number
  readonly total_fee: number
  readonly head_id: string
  readonly head_hash: string
}

const prefix = "LED_"

export const post = (wallet: WalletRow, order: OrderRow, fee: number, at: string) => {
  const fresh = prefix + idBody()
  // Ids rise within a wallet, even if transactions took them in another order than the lock.
  const id = fresh > wallet.head_id ? fresh : prefix + idAfter(wallet.head_id.slice(prefix.length))
  const credit = row(wallet, order, at, {
    id,
    sequence: wallet.sequence + 1,
    type: "payment_credit",
    amount: order.amount,
    balance_before: wallet.available,
    description: `Payment of order ${order.trade_no}`,
    previous_hash: wallet.head_hash
  })
  const debit = row(wallet, order, at, {
    id: prefix + idAfter(id.slice(prefix.length)),
    sequence: wallet.sequence + 2,
    type: "fee_debit",
    amount: 0 - fee,
    balance_before: credit.balance_after,
    description: `Acquiring fee of order ${order.trade_no}`,
    previous_hash: credit.hash
  })
  return {
    rows: [credit, debit].flatMap((row) => valuesOf(stored(row), ledgerColumns)),
    wallet: [
      wallet.wallet_id,
      debit.sequence,
      debit.balance_after,
      wallet.total_revenue + order.amount,
      wallet.total_fee + fee,
      debit.id,
      debit.hash,
      at
    ]
  }
}

/** Hashes in Postgres' form of bytes. */
const stored = (of: ReturnType<typeof row>) => ({
  ...of,
  previous_hash: `\\x${of.previous_hash}`,
  hash: `\\x${of.hash}`
})

interface Movement {
  readonly id: string
  readonly sequence: number
  readonly type: string
  readonly amount: number
  readonly balance_before: number
  readonly description: string
  readonly previous_hash: string
}

const row = (wallet: WalletRow, order: OrderRow, at: string, movement: Movement) => {
  const balance_after = movement.balance_before + movement.amount
  const chained = [
    wallet.wallet_id,
    movement.previous_hash,
    movement.id,
    movement.sequence,
    movement.type,
    movement.amount,
    movement.balance_before,
    balance_after,
    wallet.frozen,
    order.trade_no,
    movement.description,
    at
  ].join("\n")
  return {
    ...movement,
    wallet_id: wallet.wallet_id,
    merchant_id: order.merchant_id,
    mode: order.mode,
    currency: order.currency,
    balance_after,
    frozen_after: wallet.frozen,
    reference_id: order.trade_no,
    created_at: at,
    hash: sha256(chained)
  }
}
