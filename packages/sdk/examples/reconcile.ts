/** Orders that differ between the ledger and the shop's own books, by the shop's numbers. */
import type { Coffer } from "@coffer/sdk"

const kinds = new Set(["payment_credit", "refund_debit", "dispute_debit"])

export const reconcile = async (coffer: Coffer, books: ReadonlyMap<string, number>, from: Date, to: Date) => {
  const moved = new Map<string, number>()
  for await (const { amount, out_trade_no, type } of coffer.ledger.list({ created: { gte: from, lte: to } })) {
    if (out_trade_no === null || !kinds.has(type)) continue
    moved.set(out_trade_no, (moved.get(out_trade_no) ?? 0) + amount)
  }
  return [...new Set([...books.keys(), ...moved.keys()])].filter((each) => books.get(each) !== moved.get(each))
}
