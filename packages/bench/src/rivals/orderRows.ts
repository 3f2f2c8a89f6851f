/** An order as a row and as its JSON, for the rivals. Both sides of the comparison write and answer the same. */
import { OrderResource } from "@coffer/contract/Orders"
import { SchemaAST } from "effect"
import { pack } from "../../../../src/webhooks/events/eventBodies.ts"
import { orders } from "../../../../src/money/orders/OrderStore.ts"

type Text = string | null

// A type, not an interface, so that it is also a record of columns.
export type OrderRow = {
  readonly trade_no: string
  readonly version: number
  readonly merchant_id: string
  readonly mode: string
  readonly out_trade_no: string
  readonly amount: number
  readonly currency: string
  readonly subject: Text
  readonly status: string
  readonly fee: number | null
  readonly refunded_amount: number
  readonly channel: Text
  readonly payment_id: Text
  readonly payment_method: Text
  readonly refundable_until: Text
  readonly notify_url: Text
  readonly return_url: Text
  readonly metadata: string
  readonly receipt_email: Text
  readonly locale: Text
  readonly declines: number
  readonly unapplied_payments: string
  readonly unapplied_due_at: Text
  readonly refunding_amount: number
  readonly disputes_open: number
  readonly disputes_lost: number
  readonly disputes_won: number | null
  readonly card: Text
  readonly paid_at: Text
  readonly due_at: string
  readonly expires_at: string
  readonly created_at: string
}

export interface Terms {
  readonly amount: number
  readonly currency?: string
  readonly out_trade_no?: string
  readonly subject?: string | null
  readonly notify_url?: string | null
  readonly return_url?: string | null
  readonly metadata?: Readonly<Record<string, string>> | null
  readonly receipt_email?: string | null
  readonly locale?: string | null
}

export interface Account {
  readonly merchantId: string
  readonly mode: string
}

const validityMillis = 24 * 3_600_000

// A rival writes and shows the fields that it needs. A field that it does not know is null in its rows and answers.
const blankRow = Object.fromEntries(orders.columns.map(({ name }) => [name, null]))
const blankView = Object.fromEntries(
  Object.entries(OrderResource.fields).flatMap(([name, { ast }]) => (SchemaAST.isOptional(ast) ? [] : [[name, null]]))
)

export const newOrder = (account: Account, terms: Terms, tradeNo: string, now: number): OrderRow => {
  const expires = new Date(now + validityMillis).toISOString()
  return {
    ...blankRow,
    trade_no: tradeNo,
    version: 1,
    merchant_id: account.merchantId,
    mode: account.mode,
    out_trade_no: terms.out_trade_no ?? tradeNo,
    amount: terms.amount,
    currency: terms.currency ?? "USD",
    subject: terms.subject ?? null,
    status: "pending",
    fee: null,
    refunded_amount: 0,
    channel: null,
    payment_id: null,
    payment_method: null,
    refundable_until: null,
    card: null,
    notify_url: terms.notify_url ?? null,
    return_url: terms.return_url ?? null,
    metadata: JSON.stringify(terms.metadata ?? {}),
    receipt_email: terms.receipt_email ?? null,
    locale: terms.locale ?? null,
    declines: 0,
    unapplied_payments: "[]",
    unapplied_due_at: null,
    refunding_amount: 0,
    disputes_open: 0,
    disputes_lost: 0,
    disputes_won: null,
    paid_at: null,
    due_at: expires,
    expires_at: expires,
    created_at: new Date(now).toISOString()
  }
}

/** The card that pays each order here, as the sandbox's bank has it. */
export const card = JSON.stringify({ brand: "visa", last4: "4242" })

export interface Payment {
  readonly paymentId: string
  readonly method: string
  readonly fee: number
  readonly paidAt: string
}

/** The order once it is paid. */
export const paid = (order: OrderRow, { fee, method, paidAt, paymentId }: Payment): OrderRow => ({
  ...order,
  version: order.version + 1,
  status: "paid",
  fee,
  channel: "sandbox",
  payment_id: paymentId,
  payment_method: method,
  card,
  paid_at: paidAt
})

/** A cell of JSON that was read is a value; one of a row that was made here, its text. */
const valueOf = (cell: unknown): unknown => (typeof cell === "string" ? JSON.parse(cell) : cell)

const metadataOf = (metadata: unknown): object => {
  const value = valueOf(metadata) as Record<string, string>
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

export interface Urls {
  readonly checkout: (tradeNo: string, expiresAt: string) => string
  readonly receipt: (tradeNo: string) => string
}

/** The signed addresses, as the service makes them. */
export const urlsOf = (publicUrl: string, sign: (payload: string) => string): Urls => ({
  checkout: (tradeNo, expiresAt) => {
    const payload = `${tradeNo}.${Math.floor(Date.parse(expiresAt) / 1_000)}`
    return `${publicUrl}/checkout/${payload}.${sign(payload)}`
  },
  receipt: (tradeNo) => `${publicUrl}/receipts/${tradeNo}.0.${sign(`receipt/${tradeNo}.0`)}`
})

export const orderView = (row: OrderRow, urls: Urls) => ({
  ...blankView,
  object: "order",
  trade_no: row.trade_no,
  out_trade_no: row.out_trade_no,
  merchant_id: row.merchant_id,
  amount: row.amount,
  fee: row.fee,
  net_amount: row.fee === null ? null : row.amount - row.fee,
  refunded_amount: row.refunded_amount,
  currency: row.currency,
  subject: row.subject,
  status: row.status,
  mode: row.mode,
  payment_id: row.payment_id,
  payment_method: row.payment_method,
  refundable_until: row.refundable_until,
  checkout_url: urls.checkout(row.trade_no, row.expires_at),
  expires_at: row.expires_at,
  notify_url: row.notify_url,
  return_url: row.return_url,
  metadata: metadataOf(row.metadata),
  paid_at: row.paid_at,
  created_at: row.created_at,
  receipt_url: row.paid_at === null ? null : urls.receipt(row.trade_no),
  receipt_email: row.receipt_email,
  locale: row.locale,
  paid_card: valueOf(row.card),
  dispute_status:
    row.disputes_open > 0 ? "open" : row.disputes_lost > 0 ? "lost" : row.disputes_won === null ? null : "won"
})

export type OrderView = ReturnType<typeof orderView>

/** The event of a payment as the service stores it: what Postgres takes as bytes. */
export const storedEvent = (...about: Parameters<typeof eventBody>): string => `\\x${pack(eventBody(...about))}`

const eventBody = (id: string, at: string, order: OrderRow, object: OrderView): string =>
  JSON.stringify({
    object: "event",
    id,
    type: "payment.succeeded",
    mode: order.mode,
    created_at: at,
    sequence: order.version,
    data: {
      object,
      trade_no: object.trade_no,
      out_trade_no: object.out_trade_no,
      amount: object.amount,
      currency: object.currency,
      status: object.status
    },
    event_id: id,
    event_type: "payment.succeeded"
  })
