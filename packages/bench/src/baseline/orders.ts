/**
 * The baseline's writes, in two variants. `script` is the transaction script: begin, lock the rows, read, decide,
 * write, commit, one statement after another on one connection. `at-once` is what an engineer does next: the same rows
 * in as few statements as Postgres allows.
 */
import type { Pool } from "pg"
import { type OrderRow, orderView, type OrderView, urlsOf } from "../rivals/orderRows.ts"
import type { Secrets } from "../rivals/secrets.ts"
import type { Variant } from "./answers.ts"
import { makeCreate } from "./createOrder.ts"
import { makePay } from "./payOrder.ts"

export const makeOrders = (pool: Pool, secrets: Secrets, publicUrl: string, variant: Variant) => {
  const urls = urlsOf(publicUrl, secrets.sign)
  const view = (row: OrderRow): OrderView => orderView(row, urls)
  return { create: makeCreate(pool, view, variant), pay: makePay(pool, view, variant), view }
}
