/** The lists of random programs: pages, filters and cursors, sometimes wrong ones. */
import { maybe, type Numbered, orderRef } from "./inputs.ts"
import type { Maker } from "./makers.ts"

const listPaths: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
  ["orders", ["status=paid", "status=open", "metadata[cart]=1", "out_trade_no=no-1"]],
  ["refunds", ["status=failed", "status=x"]],
  ["disputes", ["status=lost", "status=under_review"]],
  ["balance_transactions", ["type=fee_debit", "currency=HKD", "type=none"]],
  ["events", []],
  ["payment_links", []],
  ["webhook_endpoints", []]
]

export const listed: Maker = (account, draw, oracle) => {
  const [name, filters] = draw.of(listPaths)
  const query = [maybe(draw, 2, `limit=${draw.of([1, 2, 3, 100, 0, 101, "x"])}`)]
  if (filters.length > 0 && draw.once(2)) query.push(draw.of(filters))
  if (draw.once(20)) query.push("staus=paid")
  if (draw.once(4) && /refunds|disputes/.test(name)) query.push(`trade_no=${orderRef(account, draw, oracle)}`)
  if (draw.once(4) && name === "balance_transactions") query.push(`reference_id=${orderRef(account, draw, oracle)}`)
  if (draw.once(4) && name === "events") query.push(`object_id=${orderRef(account, draw, oracle)}`)
  const things: Readonly<Record<string, ReadonlyArray<Numbered>>> = {
    orders: account.orders,
    refunds: account.refunds,
    disputes: account.disputes,
    balance_transactions: account.rows,
    events: account.events
  }
  const rows = things[name] ?? []
  if (rows.length > 0 && draw.once(2)) {
    query.push(`${draw.of(["starting_after", "ending_before"])}=${draw.of(rows).no.value}`)
  }
  if (draw.once(5)) query.push(`created[${draw.of(["gte", "lte"])}]=${Math.floor(oracle.now / 1000) - draw.int(5000)}`)
  if (draw.once(30)) query.push("created[gte]=soon")
  return {
    method: "GET",
    path: `/v1/${name}?${query.filter((part) => part !== undefined).join("&")}`.replace(/\?$/, "")
  }
}
