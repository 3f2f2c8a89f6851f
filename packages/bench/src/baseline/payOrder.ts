/** Pays an order at the baseline, in both variants. */
import { destinationOf } from "@coffer/rules/delivery/route"
import type { Minor } from "@coffer/model/Money"
import { feeFor } from "@coffer/rules/wallet/feeFor"
import type { Pool, PoolClient } from "pg"
import { answeredRow } from "../rivals/idempotency.ts"
import { newId } from "../rivals/ids.ts"
import type { Merchant } from "../rivals/merchants.ts"
import { storedEvent, type OrderRow, type OrderView, paid } from "../rivals/orderRows.ts"
import { type Answer, type Key, KeyTaken, Refused, replay, type Variant } from "./answers.ts"
import { post } from "./posting.ts"
import { statements } from "./statements.ts"
import { run, transaction } from "./transaction.ts"

type View = (row: OrderRow) => OrderView

export const makePay =
  (pool: Pool, view: View, variant: Variant) =>
  async (merchant: Merchant, ref: string, method: string, key: Key): Promise<Answer> => {
    // With a key the script is always used: a single statement cannot write the key's row first.
    if (variant === "at-once" && key === undefined) return payAtOnce(pool, view, merchant, ref, method)
    try {
      return await payByScript(pool, view, merchant, ref, method, key)
    } catch (cause) {
      if (cause instanceof KeyTaken) return replay(pool, answeredRow(key!, 200, {}, ""))
      throw cause
    }
  }

/** The consequences of the payment of an order. */
interface Payment {
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

const paymentOf = (merchant: Merchant, before: OrderRow, method: string, view: View): Payment => {
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
    event: storedEvent(eventId, at, after, data),
    notifyUrl: before.notify_url ?? merchant.defaultNotifyUrl
  }
}

// One statement after another ---------------------------------------------------

const payByScript = (
  pool: Pool,
  view: View,
  merchant: Merchant,
  ref: string,
  method: string,
  key: Key
): Promise<Answer> =>
  transaction(pool, async (client) => {
    const found = await run(client, statements.lockOrder, [ref, merchant.merchantId, merchant.mode])
    if (found.rowCount === 0) throw new Refused(404, "order_not_found", `No order ${ref}.`)
    const payment = paymentOf(merchant, found.rows[0], method, view)
    const { after, at, data, fee } = payment
    if (key !== undefined) {
      const { rowCount } = await run(client, statements.insertKey, answeredRow(key, 200, data, at))
      if (rowCount === 0) throw new KeyTaken()
    }
    await run(client, statements.insertPayment, bankValues(payment))
    await run(client, statements.payOrder, [after.trade_no, fee, after.payment_id, method, at])
    await run(client, statements.insertEvent, eventValues(payment))
    if (payment.notifyUrl !== null) await run(client, statements.insertDelivery, deliveryValues(payment))
    // Last, so that the lock that many payments share is held as briefly as possible.
    const posting = post(await lockWallet(client, payment), after, fee, at)
    await run(client, statements.insertLedger, posting.rows)
    await run(client, statements.updateWallet, posting.wallet)
    return { code: 200, data }
  })

const lockWallet = async (client: PoolClient, payment: Payment) => {
  const found = await run(client, statements.lockWallet, [payment.walletId])
  if (found.rowCount === 1) return found.rows[0]
  await openWallet(client, payment)
  return (await run(client, statements.lockWallet, [payment.walletId])).rows[0]
}

const openWallet = (client: Pool | PoolClient, { after, at, walletId }: Payment) =>
  run(client, statements.openWallet, [walletId, after.merchant_id, after.mode, after.currency, at])

const bankValues = ({ after, at }: Payment) => [
  after.payment_id,
  after.trade_no,
  after.merchant_id,
  after.payment_method,
  after.amount,
  after.currency,
  at
]

const eventValues = ({ after, at, event, eventId }: Payment) => [
  eventId,
  after.merchant_id,
  after.mode,
  after.trade_no,
  event,
  at
]

const deliveryValues = ({ after, at, eventId, notifyUrl }: Payment) => [
  newId("dlv_"),
  eventId,
  after.merchant_id,
  after.mode,
  notifyUrl,
  destinationOf(notifyUrl!),
  at
]

// All at once --------------------------------------------------------------------

const payAtOnce = async (pool: Pool, view: View, merchant: Merchant, ref: string, method: string): Promise<Answer> => {
  const found = await run(pool, statements.findOrder, [ref, merchant.merchantId, merchant.mode])
  if (found.rowCount === 0) throw new Refused(404, "order_not_found", `No order ${ref}.`)
  const payment = paymentOf(merchant, found.rows[0], method, view)
  const { data } = payment
  const values = atOnceValues(payment)
  if ((await run(pool, statements.payAtOnce, values)).rowCount === 1) return { code: 200, data }
  // Either this is the wallet's first payment, or the order was paid meanwhile.
  await openWallet(pool, payment)
  if ((await run(pool, statements.payAtOnce, values)).rowCount === 1) return { code: 200, data }
  throw new Refused(409, "conflict", "The order is no longer pending.")
}

const atOnceValues = ({ after, at, before, event, eventId, fee, notifyUrl, walletId }: Payment) => [
  after.trade_no,
  before.version,
  fee,
  after.payment_id,
  after.payment_method,
  at,
  walletId,
  after.merchant_id,
  after.mode,
  after.currency,
  after.amount,
  eventId,
  event,
  newId("LED_"),
  ...(notifyUrl === null ? [null, null, null] : [newId("dlv_"), notifyUrl, destinationOf(notifyUrl)]),
  at
]
