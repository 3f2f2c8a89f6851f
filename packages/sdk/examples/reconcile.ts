/** Orders that differ between the ledger and the shop's own books, by the shop's numbers. */
import type { Coffer } from "@coffer/sdk"

const kept = new Set(["payment_credit", "refund_debit", "dispute_debit"])

/** `from`: before the first payment in the books. */
export const reconcile = async (coffer: Coffer, books: ReadonlyMap<string, number>, from: Date, to: Date) => {
  const moved = new Map<string, number>()
  const decided = new Set<string>()
  for await (const row of coffer.ledger.list({ created: { gte: from, lte: to } })) {
    const { amount, out_trade_no, reference_id, type } = row
    if (out_trade_no === null || type === "fee_debit" || type === "dispute_fee") continue
    // Newest first: the last row of a payment, a refund or a dispute says whether its money moved for good.
    const isLast = !decided.has(reference_id)
    decided.add(reference_id)
    moved.set(out_trade_no, (moved.get(out_trade_no) ?? 0) + (isLast && kept.has(type) ? amount : 0))
  }
  const all = new Set([...books.keys(), ...moved.keys()])
  return [...all].filter((each) => (books.get(each) ?? 0) !== (moved.get(each) ?? 0))
}
