/** The baseline's reads: one prepared statement each, on the service's own indexes. */
import type { Pool } from "pg"
import type { Merchant } from "../rivals/merchants.ts"
import type { OrderRow, OrderView } from "../rivals/orderRows.ts"
import { Refused } from "./answers.ts"
import { statements } from "./statements.ts"

export const makeReads = (pool: Pool, view: (row: OrderRow) => OrderView) => {
  const rowsOf = async (statement: { name: string; text: string }, values: Array<unknown>) =>
    (await pool.query({ ...statement, values })).rows

  const retrieve = async ({ merchantId, mode }: Merchant, ref: string) => {
    if (ref.startsWith("TRD_")) {
      const [found] = await rowsOf(statements.findOrder, [ref, merchantId, mode])
      if (found !== undefined) return view(found)
    }
    const [found] = await rowsOf(statements.findByOutTradeNo, [merchantId, mode, ref])
    if (found === undefined) throw new Refused(404, "order_not_found", `No order ${ref}.`)
    return view(found)
  }

  const list = async (merchant: Merchant, query: Readonly<Record<string, string>>) => {
    const { starting_after: after } = query
    const limit = Number(query["limit"] ?? 20)
    const account = [merchant.merchantId, merchant.mode, limit + 1]
    const filter = Object.entries(query).find(([name]) => name.startsWith("metadata["))
    const rows: Array<OrderRow> = await (filter !== undefined
      ? rowsOf(statements.taggedPage, [...account, filter[0].slice("metadata[".length, -1), filter[1]])
      : after === undefined
        ? rowsOf(statements.firstPage, account)
        : rowsOf(statements.pageAfter, [...account, after]))
    return {
      object: "list",
      resource: "order",
      has_more: rows.length > limit,
      url: "/v1/orders",
      data: rows.slice(0, limit).map(view)
    }
  }

  const balance = async ({ createdAt, merchantId, mode }: Merchant, currency: string) => {
    const [wallet] = await rowsOf(statements.balance, [`${merchantId}/${mode}/${currency}`])
    return {
      merchant_id: merchantId,
      currency,
      mode,
      available_balance: wallet?.available ?? 0,
      frozen_balance: wallet?.frozen ?? 0,
      total_revenue: wallet?.total_revenue ?? 0,
      total_fee: wallet?.total_fee ?? 0,
      total_payout: wallet?.total_payout ?? 0,
      total_refund: wallet?.total_refund ?? 0,
      updated_at: wallet?.updated_at ?? createdAt
    }
  }

  return { retrieve, list, balance }
}
