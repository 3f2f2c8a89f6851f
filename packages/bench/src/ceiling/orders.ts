/**
 * Orders and wallets behind the ceiling: the same batched reads, the same decisions by the service's own rules, the
 * same rows; wallets are kept in memory and take one payment after another, as in their owners.
 */
import { destinationOf } from "@coffer/rules/delivery/route"
import { post } from "@coffer/rules/wallet/post"
import { feeFor } from "@coffer/rules/wallet/feeFor"
import type { Minor } from "@coffer/model/Money"
import { emptyWallet, type Wallet } from "@coffer/rules/wallet/Wallet"
import { DateTime, Result } from "effect"
import type { Pool } from "pg"
import type { ChangeSet } from "../../../../src/platform/commit/Change.ts"
import { deliveries, events } from "../../../../src/webhooks/events/eventRows.ts"
import { idempotencyKeys } from "../../../../src/shared/idempotency/IdempotencyClaim.ts"
import { orders } from "../../../../src/money/orders/OrderStore.ts"
import { sandboxPayments } from "../../../../src/channels/bank/sandboxPayments.ts"
import { postingChanges } from "../../../../src/money/wallets/WalletStore.ts"
import { columns, type Keyed, answeredRow } from "../rivals/idempotency.ts"
import { idBody, newId } from "../rivals/ids.ts"
import type { Merchant } from "../rivals/merchants.ts"
import {
  card,
  newOrder,
  type OrderRow,
  orderView,
  type OrderView,
  paid,
  storedEvent,
  type Terms,
  urlsOf
} from "../rivals/orderRows.ts"
import { sha256, type Secrets } from "../rivals/secrets.ts"
import { insertRow, updateRow } from "./rows.ts"

type Commit = (lane: string, changes: ChangeSet) => Promise<void>
export interface Answer {
  readonly code: number
  readonly data: object
}

export const makeOrders = (pool: Pool, commit: Commit, { sign }: Secrets, publicUrl: string) => {
  const urls = urlsOf(publicUrl, sign)
  const view = (row: OrderRow): OrderView => orderView(row, urls)
  const load = makeLoader(pool)
  const wallets = makeWallets(pool, commit)

  const create = async (merchant: Merchant, terms: Terms, key: Keyed | undefined): Promise<Answer> => {
    const order = newOrder(merchant, terms, newId("TRD_SB_"), Date.now())
    const data = view(order)
    const answered = key === undefined ? [] : [keyChange(key, 201, data, order.created_at)]
    await commit(order.trade_no, [insertRow(orders, order), ...answered])
    return { code: 201, data }
  }

  const pay = async (merchant: Merchant, ref: string, method: string): Promise<Answer | undefined> => {
    const before = await load(ref)
    if (before === undefined || before.merchant_id !== merchant.merchantId || before.status !== "pending") return
    const now = new Date()
    const at = now.toISOString()
    const payment = { mode: merchant.mode, method, currency: before.currency, amount: before.amount as Minor }
    const fee = feeFor(merchant.fees, payment as Parameters<typeof feeFor>[1])
    const after = paid(before, { paymentId: newId("pay_"), method, fee, paidAt: at })
    const data = view(after)
    const eventId = newId("evt_")
    const { amount, currency, merchant_id, mode, payment_id, trade_no } = after
    await wallets.post(after, fee, now, [
      insertRow(sandboxPayments, {
        payment_id,
        trade_no,
        merchant_id,
        method,
        card,
        amount,
        currency,
        state: "succeeded",
        created_at: at
      }),
      updateRow(orders, after, before.version),
      insertRow(events, {
        id: eventId,
        merchant_id,
        mode,
        type: "payment.succeeded",
        object_id: trade_no,
        trade_no,
        packed: storedEvent(eventId, at, after, data),
        created_at: at
      }),
      ...deliveriesOf(after, eventId, at, after.notify_url ?? merchant.defaultNotifyUrl)
    ])
    return { code: 200, data }
  }

  const retrieve = async (merchant: Merchant, ref: string): Promise<Answer | undefined> => {
    const order = await load(ref)
    return order?.merchant_id === merchant.merchantId ? { code: 200, data: view(order) } : undefined
  }

  return { create, pay, retrieve, view }
}

const deliveriesOf = ({ merchant_id, mode }: OrderRow, eventId: string, at: string, url: string | null) =>
  url === null
    ? []
    : [
        insertRow(deliveries, {
          id: newId("dlv_"),
          event_id: eventId,
          merchant_id,
          mode,
          endpoint_id: null,
          url,
          destination: destinationOf(url),
          status: "pending",
          attempts: 0,
          next_attempt_at: at,
          created_at: at
        })
      ]

const keyChange = (key: Keyed, status: number, data: object, now: string) => {
  const values = answeredRow(key, status, data, now)
  const row = Object.fromEntries(columns.split(", ").map((column, index) => [column, values[index]]))
  return insertRow(idempotencyKeys, row)
}

/** All orders requested in one turn of the event loop are one query. */
const makeLoader = (pool: Pool) => {
  let gathered: Map<string, Array<(row: OrderRow | undefined) => void>> | undefined

  const flush = async () => {
    const waiting = gathered!
    gathered = undefined
    const { rows } = await pool.query({
      name: "load",
      text: "select * from orders where trade_no = any($1)",
      values: [[...waiting.keys()]]
    })
    const byNo = new Map<string, OrderRow>(rows.map((row: OrderRow) => [row.trade_no, textual(row)]))
    for (const [tradeNo, resolvers] of waiting) for (const resolve of resolvers) resolve(byNo.get(tradeNo))
  }

  return (tradeNo: string) =>
    new Promise<OrderRow | undefined>((resolve) => {
      if (gathered === undefined) {
        gathered = new Map()
        setImmediate(() => void flush())
      }
      gathered.set(tradeNo, [...(gathered.get(tradeNo) ?? []), resolve])
    })
}

/** JSON columns as they are written again. */
const textual = ({ due_attempts: _, ...row }: OrderRow & { readonly due_attempts?: number }): OrderRow => ({
  ...row,
  metadata: JSON.stringify(row.metadata),
  unapplied_payments: JSON.stringify(row.unapplied_payments)
})

const makeWallets = (pool: Pool, commit: Commit) => {
  const known = new Map<string, { wallet: Wallet } | Promise<{ wallet: Wallet }>>()

  const open = async (id: string, order: OrderRow, now: Date) => {
    const name = { merchantId: order.merchant_id, mode: order.mode, currency: order.currency } as Wallet
    await pool.query(
      `insert into wallets (wallet_id, sequence, merchant_id, mode, currency, available, frozen, reserved,
         total_revenue, total_fee, total_payout, total_refund, head_id, head_hash, version, updated_at)
       values ($1, 0, $2, $3, $4, 0, 0, 0, 0, 0, 0, 0, '', '', '', $5) on conflict do nothing`,
      [id, order.merchant_id, order.mode, order.currency, now]
    )
    const { rows } = await pool.query("select * from wallets where wallet_id = $1", [id])
    const [row] = rows
    const held = {
      wallet: {
        ...emptyWallet(name, DateTime.fromDateUnsafe(now)),
        available: row.available,
        frozen: row.frozen,
        reserved: row.reserved,
        totalRevenue: row.total_revenue,
        totalFee: row.total_fee,
        totalPayout: row.total_payout,
        totalRefund: row.total_refund,
        sequence: row.sequence,
        headId: row.head_id,
        headHash: row.head_hash,
        version: row.version
      }
    }
    known.set(id, held)
    return held
  }

  return {
    post: async (order: OrderRow, fee: number, now: Date, changes: ChangeSet) => {
      const id = `${order.merchant_id}/${order.mode}/${order.currency}`
      if (!known.has(id)) known.set(id, open(id, order, now))
      const found = known.get(id)!
      const held = found instanceof Promise ? await found : found
      const movements = [
        {
          type: "payment_credit" as const,
          amount: order.amount,
          referenceId: order.trade_no,
          description: `Payment of order ${order.trade_no}`
        },
        {
          type: "fee_debit" as const,
          amount: 0 - fee,
          referenceId: order.trade_no,
          description: `Acquiring fee of order ${order.trade_no}`
        }
      ]
      const means = { now: DateTime.fromDateUnsafe(now), idBody: idBody(now.getTime()), digest: sha256 }
      const { rows, wallet } = Result.getOrThrow(post(held.wallet, { movements, reserve: 0 }, means))
      const written = postingChanges(held.wallet, wallet, rows)
      held.wallet = wallet
      await commit(id, [...changes, ...written])
    }
  }
}
