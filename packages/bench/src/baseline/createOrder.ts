/** Creates an order at the baseline, in both variants. */
import type { Pool } from "pg"
import { answeredRow } from "../rivals/idempotency.ts"
import { newId } from "../rivals/ids.ts"
import type { Merchant } from "../rivals/merchants.ts"
import { newOrder, type OrderRow, type OrderView, type Terms } from "../rivals/orderRows.ts"
import { type Answer, type Key, KeyTaken, Refused, replay, type Variant } from "./answers.ts"
import { orderColumns, statements, valuesOf } from "./statements.ts"
import { run, transaction } from "./transaction.ts"

type Values = ReadonlyArray<unknown>

type Outcome = "created" | "number taken" | "key taken"

export const makeCreate =
  (pool: Pool, view: (row: OrderRow) => OrderView, variant: Variant) =>
  async (merchant: Merchant, terms: Terms, key: Key): Promise<Answer> => {
    const now = Date.now()
    const order = newOrder(merchant, terms, newId(merchant.mode === "live" ? "TRD_" : "TRD_SB_"), now)
    const data = view(order)
    const values = valuesOf(order, orderColumns)
    const keyRow = key === undefined ? undefined : answeredRow(key, 201, data, order.created_at!)
    const outcome =
      variant === "script"
        ? await createByScript(pool, values, keyRow)
        : await createAtOnce(pool, merchant, order, values, keyRow)
    switch (outcome) {
      case "created":
        return { code: 201, data }
      case "key taken":
        return replay(pool, keyRow!)
      case "number taken":
        return { code: 200, data: view(await sameAsBefore(pool, merchant, order)) }
    }
  }

const createByScript = async (pool: Pool, values: Values, keyRow: Values | undefined): Promise<Outcome> => {
  try {
    return await transaction(pool, async (client): Promise<Outcome> => {
      if (keyRow !== undefined) {
        const { rowCount } = await run(client, statements.insertKey, keyRow)
        if (rowCount === 0) throw new KeyTaken()
      }
      const { rowCount } = await run(client, statements.insertOrder, values)
      if (rowCount === 0) throw new NumberTaken()
      return "created"
    })
  } catch (cause) {
    if (cause instanceof KeyTaken) return "key taken"
    if (cause instanceof NumberTaken) return "number taken"
    throw cause
  }
}

class NumberTaken extends Error {}

const createAtOnce = async (
  pool: Pool,
  merchant: Merchant,
  order: OrderRow,
  values: Values,
  keyRow: Values | undefined
): Promise<Outcome> => {
  if (keyRow === undefined) {
    const { rowCount } = await run(pool, statements.insertOrder, values)
    return rowCount === 1 ? "created" : "number taken"
  }
  try {
    const { rowCount } = await run(pool, statements.insertKeyAndOrder, [...values, ...keyRow])
    return rowCount === 1 ? "created" : "key taken"
  } catch (cause) {
    // The order's number is taken, so neither the order nor the key was written.
    if ((cause as { code?: string }).code !== "23505") throw cause
    const { rowCount } = await findByNumber(pool, merchant, order)
    return rowCount === 1 ? "number taken" : "key taken"
  }
}

/** The earlier order with this number, if its terms are the same. */
const sameAsBefore = async (pool: Pool, merchant: Merchant, wanted: OrderRow): Promise<OrderRow> => {
  const { rows } = await findByNumber(pool, merchant, wanted)
  const before: OrderRow = rows[0]
  for (const term of ["amount", "currency", "subject", "notify_url"] as const) {
    if (before[term] !== wanted[term]) throw new Refused(409, "conflict", `The number was used with another ${term}.`)
  }
  return before
}

const findByNumber = (pool: Pool, { merchantId, mode }: Merchant, order: OrderRow) =>
  run(pool, statements.findByOutTradeNo, [merchantId, mode, order.out_trade_no])
