/**
 * The shop's sales beside Coffer's ledger, order by order. Fees are rows of their own, and no buyer's money. What is
 * held by a pending refund or an open dispute has not moved yet.
 */
import type { Coffer } from "@coffer/sdk"
import type { Sale } from "./shop.ts"

export interface Line {
  readonly number: string
  /** Minor units: what was paid, less what went back and what disputes took. */
  readonly ours: number
  readonly ledger: number
}

const kept = new Set(["payment_credit", "refund_debit", "dispute_debit"])

export const compare = async (coffer: Coffer, sales: ReadonlyMap<string, Sale>): Promise<ReadonlyArray<Line>> => {
  const moved = new Map<string, number>()
  const decided = new Set<string>()
  for await (const { amount, out_trade_no, reference_id, type } of coffer.ledger.list({ currency: "USD" })) {
    if (out_trade_no === null || type === "fee_debit" || type === "dispute_fee") continue
    // Newest first: the last row of a payment, a refund or a dispute says whether its money moved for good.
    if (!decided.has(reference_id) && kept.has(type)) {
      moved.set(out_trade_no, (moved.get(out_trade_no) ?? 0) + amount)
    }
    decided.add(reference_id)
  }
  // Other orders of the account are no sales of this shop, such as the sample orders of a new sandbox.
  return [...sales].map(([number, { amount, lost, refunded, status }]) => ({
    number,
    ours: status === "paid" ? amount - refunded - lost : 0,
    ledger: moved.get(number) ?? 0
  }))
}
