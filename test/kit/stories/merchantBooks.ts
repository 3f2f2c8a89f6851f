/**
 * Everything of a merchant that a crash or a fault must not change: no number and no time, which are new in each run.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

export const booksOf = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { merchantId }: { readonly merchantId: string }
) {
  const rows = (query: string) => Effect.map(sql.unsafe(query, [merchantId]), (found) => found.map(line))
  const ofMerchant = "where merchant_id = $1"
  const payments = `payment_id in (select payment_id from orders ${ofMerchant})`
  return {
    orders: yield* rows(`select out_trade_no, status, refunded_amount, refunding_amount, disputes_open, disputes_lost
      from orders ${ofMerchant} order by out_trade_no`),
    refunds: yield* rows(`select amount, status from refunds ${ofMerchant} and status <> 'void' order by amount`),
    disputes: yield* rows(`select amount, fee, status, processor_status from disputes ${ofMerchant}`),
    payouts: yield* rows(`select amount, fee, status from payouts ${ofMerchant}`),
    wallets: yield* rows(`select currency, available, frozen, reserved, total_revenue, total_fee, total_refund,
      total_payout from wallets ${ofMerchant}`),
    ledger: yield* rows(`select type, amount, balance_after, frozen_after from ledger ${ofMerchant} order by sequence`),
    events: yield* rows(`select type from events ${ofMerchant} order by type`),
    bankPayments: yield* rows(`select amount, state from sandbox_payments ${ofMerchant} order by amount`),
    bankRefunds: yield* rows(`select amount, state from sandbox_refunds where ${payments}`),
    bankDisputes: yield* rows(`select amount, state from sandbox_disputes ${ofMerchant}`)
  }
})

export type MerchantBooks = Effect.Success<ReturnType<typeof booksOf>>

const line = (row: object) => Object.values(row).map(String).join(" ")

/**
 * A refund that the channel settles at once freezes nothing. When its outcome is unknown, a worker finds that out, and
 * until then the amount is frozen, as for any refund that is pending: two ways to the same books.
 */
export const withoutFreeze = (books: MerchantBooks): MerchantBooks => ({
  ...books,
  ledger: books.ledger.filter((row) => !row.startsWith("refund_freeze "))
})

export const hasFreeze = ({ ledger }: MerchantBooks) => ledger.some((row) => row.startsWith("refund_freeze "))
