/**
 * The baseline's writes, twice. `script` is the transaction script: begin, lock the rows, read, decide, write, commit,
 * one statement after another on one connection. `at-once` is what an engineer does next: the same rows in as few
 * statements as Postgres allows.
 */
import { feeFor } from "@coffer/rules/wallet/feeFor"
import type { Minor } from "@coffer/model/Money"
import type { Pool, PoolClient } from "pg"
import { answeredRow, type Keyed } from "../rivals/idempotency.ts"
import { newId } from "../rivals/ids.ts"
import type { Merchant } from "../rivals/merchants.ts"
import { eventBody, newOrder, type OrderRow, orderView, type OrderView, paid, type Terms } from "../rivals/orderRows.ts"
import type { Secrets } from "../rivals/secrets.ts"
import { post } from "./posting.ts"
import { orderColumns, statements, valuesOf } from "./statements.ts"

/** What the caller is told instead of an order. */
export class Refused extends Error {
  readonly code: number
  readonly error: string
  constructor(code: number, error: string, message: string) {
    super(message)
    this.code = code
    this.error = error
  }
}

export interface Answer {
  readonly code: number
  readonly data: object
  readonly replayed?: boolean
}

/** A request's key, when it has one. */
export type Key = Keyed | undefined

/** Somebody has used this key: whatever the transaction did goes away. */
class KeyTaken extends Error {}

export const makeOrders = (pool: Pool, secrets: Secrets, publicUrl: string, variant: "script" | "at-once") => {
  const run = (client: PoolClient | Pool, statement: { name: string; text: string }, values: ReadonlyArray<unknown>) =>
    client.query({ ...statement, values: values as Array<unknown> })

  const urlOf = (tradeNo: string, expiresAt: string) => {
    const payload = `${tradeNo}.${Math.floor(Date.parse(expiresAt) / 1_000)}`
    return `${publicUrl}/checkout/${payload}.${secrets.sign(payload)}`
  }
  const view = (row: OrderRow): OrderView => orderView(row, urlOf)

  const transaction = async <A>(work: (client: PoolClient) => Promise<A>): Promise<A> => {
    const client = await pool.connect()
    try {
      await client.query("begin")
      const result = await work(client)
      await client.query("commit")
      return result
    } catch (cause) {
      await client.query("rollback")
      throw cause
    } finally {
      client.release()
    }
  }

  const replay = async (row: ReadonlyArray<unknown>): Promise<Answer> => {
    const { rows } = await run(pool, statements.findKey, [row[0]])
    if (rows.length === 0) throw new Refused(409, "idempotency_in_progress", "The first request has not ended.")
    if (rows[0].fingerprint !== row[4]) throw new Refused(422, "idempotency_error", "The key came with another body.")
    return { code: rows[0].status, data: JSON.parse(rows[0].data), replayed: true }
  }

  // Create ----------------------------------------------------------------------

  const create = async (merchant: Merchant, terms: Terms, key: Key): Promise<Answer> => {
    const now = Date.now()
    const order = newOrder(merchant, terms, newId(merchant.mode === "live" ? "TRD_" : "TRD_SB_"), now)
    const data = view(order)
    const values = valuesOf(order, orderColumns)
    const keyRow = key === undefined ? undefined : answeredRow(key, 201, data, order.created_at!)
    const made =
      variant === "script" ? await createScript(values, keyRow) : await createAtOnce(merchant, order, values, keyRow)
    if (made === "key taken") return replay(keyRow!)
    return made ? { code: 201, data } : sameAsBefore(merchant, order)
  }

  const createScript = async (
    values: ReadonlyArray<unknown>,
    keyRow: ReadonlyArray<unknown> | undefined
  ): Promise<boolean | "key taken"> => {
    try {
      return await transaction(async (client) => {
        if (keyRow !== undefined) {
          const { rowCount } = await run(client, statements.insertKey, keyRow)
          if (rowCount === 0) throw new KeyTaken()
        }
        const { rowCount } = await run(client, statements.insertOrder, values)
        if (rowCount === 0) throw new Refused(409, "conflict", "taken")
        return true
      })
    } catch (cause) {
      if (cause instanceof KeyTaken) return "key taken"
      if (cause instanceof Refused) return false
      throw cause
    }
  }

  const createAtOnce = async (
    merchant: Merchant,
    order: OrderRow,
    values: ReadonlyArray<unknown>,
    keyRow: ReadonlyArray<unknown> | undefined
  ): Promise<boolean | "key taken"> => {
    if (keyRow === undefined) {
      const { rowCount } = await run(pool, statements.insertOrder, values)
      return rowCount === 1
    }
    try {
      const { rowCount } = await run(pool, statements.insertKeyAndOrder, [...values, ...keyRow])
      return rowCount === 1 ? true : "key taken"
    } catch (cause) {
      // The order's number is taken: the whole statement, key and all, did not happen.
      if ((cause as { code?: string }).code !== "23505") throw cause
      const there = await run(pool, statements.findByOutTradeNo, [
        merchant.merchantId,
        merchant.mode,
        order.out_trade_no
      ])
      return there.rowCount === 1 ? false : "key taken"
    }
  }

  const sameAsBefore = async (merchant: Merchant, wanted: OrderRow): Promise<Answer> => {
    const { rows } = await run(pool, statements.findByOutTradeNo, [
      merchant.merchantId,
      merchant.mode,
      wanted.out_trade_no
    ])
    const before: OrderRow = rows[0]
    for (const term of ["amount", "currency", "subject", "notify_url"] as const) {
      if (before[term] !== wanted[term]) throw new Refused(409, "conflict", `The number was used with another ${term}.`)
    }
    return { code: 200, data: view(before) }
  }

  // Pay -------------------------------------------------------------------------

  interface Paying {
    readonly before: OrderRow
    readonly after: OrderRow
    readonly data: OrderView
    readonly fee: number
    readonly at: string
    readonly walletId: string
    readonly eventId: string
    readonly event: string
    readonly notifyUrl: string | null
  }

  /** What follows from a payment of the order as it was read. */
  const paying = (merchant: Merchant, before: OrderRow, method: string): Paying => {
    if (before.status !== "pending") throw new Refused(409, "conflict", "The order is no longer pending.")
    const at = new Date().toISOString()
    const payment = { mode: merchant.mode, method, currency: before.currency, amount: before.amount as Minor }
    const fee = feeFor(merchant.fees, payment as Parameters<typeof feeFor>[1])
    const after = paid(before, { paymentId: newId("pay_"), method, fee, paidAt: at })
    const data = view(after)
    const eventId = newId("evt_")
    return {
      before,
      after,
      data,
      fee,
      at,
      walletId: `${merchant.merchantId}/${merchant.mode}/${before.currency}`,
      eventId,
      event: eventBody(eventId, at, after, data),
      notifyUrl: before.notify_url ?? merchant.defaultNotifyUrl
    }
  }

  const payScript = (merchant: Merchant, ref: string, method: string, key: Key): Promise<Answer> =>
    transaction(async (client) => {
      const found = await run(client, statements.lockOrder, [ref, merchant.merchantId, merchant.mode])
      if (found.rowCount === 0) throw new Refused(404, "order_not_found", `No order ${ref}.`)
      const made = paying(merchant, found.rows[0], method)
      const { after, at, data, fee, walletId } = made
      if (key !== undefined) {
        const { rowCount } = await run(client, statements.insertKey, answeredRow(key, 200, data, at))
        if (rowCount === 0) throw new KeyTaken()
      }
      await run(client, statements.insertPayment, [
        after.payment_id,
        after.trade_no,
        after.merchant_id,
        method,
        after.amount,
        after.currency,
        at
      ])
      await run(client, statements.payOrder, [after.trade_no, fee, after.payment_id, method, at])
      await run(client, statements.insertEvent, [
        made.eventId,
        after.merchant_id,
        after.mode,
        after.trade_no,
        made.event,
        at
      ])
      if (made.notifyUrl !== null) await run(client, statements.insertDelivery, deliveryOf(made))
      // Last, so that the lock on what many payments share is held for the shortest time.
      const wallet = await lockedWallet(client, walletId, after, at)
      const posting = post(wallet, after, fee, at)
      await run(client, statements.insertLedger, posting.rows)
      await run(client, statements.updateWallet, posting.wallet)
      return { code: 200, data }
    })

  const lockedWallet = async (client: PoolClient | Pool, walletId: string, order: OrderRow, at: string) => {
    const found = await run(client, statements.lockWallet, [walletId])
    if (found.rowCount === 1) return found.rows[0]
    await run(client, statements.openWallet, [walletId, order.merchant_id, order.mode, order.currency, at])
    return (await run(client, statements.lockWallet, [walletId])).rows[0]
  }

  const payAtOnce = async (merchant: Merchant, ref: string, method: string): Promise<Answer> => {
    const found = await run(pool, statements.findOrder, [ref, merchant.merchantId, merchant.mode])
    if (found.rowCount === 0) throw new Refused(404, "order_not_found", `No order ${ref}.`)
    const made = paying(merchant, found.rows[0], method)
    const values = atOnceValues(made)
    if ((await run(pool, statements.payAtOnce, values)).rowCount === 1) return { code: 200, data: made.data }
    // The wallet's first payment; or somebody else has paid.
    const { currency, merchant_id, mode } = made.after
    await run(pool, statements.openWallet, [made.walletId, merchant_id, mode, currency, made.at])
    if ((await run(pool, statements.payAtOnce, values)).rowCount === 1) return { code: 200, data: made.data }
    throw new Refused(409, "conflict", "The order is no longer pending.")
  }

  const pay = async (merchant: Merchant, ref: string, method: string, key: Key): Promise<Answer> => {
    // A key needs its own row first, which the one statement has no room for.
    if (variant === "at-once" && key === undefined) return payAtOnce(merchant, ref, method)
    try {
      return await payScript(merchant, ref, method, key)
    } catch (cause) {
      if (cause instanceof KeyTaken) return replay(answeredRow(key!, 200, {}, ""))
      throw cause
    }
  }

  const deliveryOf = ({ after, at, eventId, notifyUrl }: Paying) => [
    newId("dlv_"),
    eventId,
    after.merchant_id,
    after.mode,
    notifyUrl,
    new URL(notifyUrl!).host,
    at
  ]

  const atOnceValues = (made: Paying) => [
    made.after.trade_no,
    made.before.version,
    made.fee,
    made.after.payment_id,
    made.after.payment_method,
    made.at,
    made.walletId,
    made.after.merchant_id,
    made.after.mode,
    made.after.currency,
    made.after.amount,
    made.eventId,
    made.event,
    newId("LED_"),
    ...(made.notifyUrl === null ? [null, null, null] : [newId("dlv_"), made.notifyUrl, new URL(made.notifyUrl).host]),
    made.at
  ]

  return { create, pay, view }
}
