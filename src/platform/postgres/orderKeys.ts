/**
 * Expressions over rows of orders: what was paid, and short keys of orders for four filters of their list, each with an
 * index (`laterIndexes.ts`). A query has to use exactly these expressions. An index by the account's own columns would
 * write three times the bytes for each order (docs/decisions/0024). Two accounts may have the same key, so a query
 * looks at the account of what it finds.
 */
import type { Account } from "@coffer/model/Account"
import type { SqlClient } from "effect/sql"

/** An account and an amount as one number, in the order of amounts: 23 bits and 40, which is more than amounts have. */
export const amountKey = "((hashtext(merchant_id || mode) & 8388607)::bigint << 40) + amount"

export const amountKeyOf = (sql: SqlClient.SqlClient, { merchantId, mode }: Account, amount: number) =>
  sql`((hashtext(${merchantId}::text || ${mode}::text) & 8388607)::bigint << 40) + ${amount}::bigint`

/** An account and a value of one of its orders' columns. An address is compared in lower case. */
export const valueKey = (column: "status" | "payment_method" | "lower(receipt_email)") =>
  `hashtext(merchant_id || mode || ${column})`

export const valueKeyOf = (sql: SqlClient.SqlClient, { merchantId, mode }: Account, value: string) =>
  sql`hashtext(${merchantId}::text || ${mode}::text || ${value}::text)`

/** What the buyer of an order has paid, in SQL (`amountPaid` in packages/rules/src/order/Hold.ts). `o`: the order. */
export const amountPaid = "coalesce((o.hold ->> 'captured')::bigint, o.amount)"

/** After its creation, but for the orders that {@link paidLate} finds. */
export const paidWithin = "25 hours"

/** Orders that were paid later: their index is nearly empty, where one of all payments would grow with each. */
export const paidLate = "paid_at - created_at > interval '25 hours'"
