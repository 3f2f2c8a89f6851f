/** The shop's sales beside Coffer's ledger, order by order. Fees are rows of their own, and no buyer's money. */
import type { Coffer } from "@coffer/sdk"
import type { Sale } from "./shop.ts"

export interface Line {
  readonly number: string
  /** Minor units: what was paid, less what went back. */
  readonly ours: number
  readonly ledger: number
}

const kinds = new Set(["payment_credit", "refund_debit", "dispute_debit"])

export const compare = async (coffer: Coffer, sales: ReadonlyMap<string, Sale>): Promise<ReadonlyArray<Line>> => {
  const moved = new Map<string, number>()
  for await (const { amount, out_trade_no, type } of coffer.ledger.list({ currency: "USD" })) {
    if (out_trade_no === null || !kinds.has(type)) continue
    moved.set(out_trade_no, (moved.get(out_trade_no) ?? 0) + amount)
  }
  // Another shop may have the same account.
  return [...sales].map(([number, { amount, refunded, status }]) => ({
    number,
    ours: status === "paid" ? amount - refunded : 0,
    ledger: moved.get(number) ?? 0
  }))
}
