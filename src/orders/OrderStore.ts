/**
 * Rows of orders: found one by one or as a page, and written as changes that carry the version they replace. Never
 * decides anything.
 */
import { MerchantId, Mode, OutTradeNo, PaymentId, TradeNo } from "@coffer/model/Ids"
import { Metadata } from "@coffer/model/Metadata"
import { Currency, Minor, PaymentMethod } from "@coffer/model/Money"
import { Locale, Order, UnappliedPayment } from "@coffer/rules/order/Order"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import { sqlDefects } from "../platform/postgres/sqlDefect.ts"
import { type Change, insert, update } from "../platform/commit/Change.ts"
import { isoText, isoTextOrNull, jsonText, TimeColumn } from "../platform/runtime/codecs.ts"
import { leasedRows } from "../platform/postgres/leasedRows.ts"
import { batchedById } from "../platform/postgres/batchedById.ts"
import { isOwnedBy, isStorable, type Owner } from "../platform/postgres/Pages.ts"
import type { RowOf } from "../platform/commit/Tables.ts"

/** An order and the version of its row. */
export interface StoredOrder {
  readonly order: Order
  readonly version: number
}

export class OrderStore extends Context.Service<
  OrderStore,
  {
    readonly load: (tradeNo: TradeNo) => Effect.Effect<Option.Option<StoredOrder>>
    /** By platform number, then by the merchant's own; only among the owner's orders (silences: O4, G11). */
    readonly resolve: (owner: Owner, ref: string) => Effect.Effect<Option.Option<StoredOrder>>
    readonly byOutTradeNo: (owner: Owner, outTradeNo: string) => Effect.Effect<Option.Option<StoredOrder>>
    /** Pending orders whose deadline is due, claimed until `lease` by pushing `due_at` ahead. */
    readonly claimDue: (now: DateTime.Utc, limit: number) => Effect.Effect<ReadonlyArray<TradeNo>>
    /** Orders with money that must go back to the buyer, claimed likewise. */
    readonly claimUnapplied: (now: DateTime.Utc, limit: number) => Effect.Effect<ReadonlyArray<TradeNo>>
    /** When the next of either is due. */
    readonly nextDue: (kind: "due_at" | "stray_due_at") => Effect.Effect<Option.Option<DateTime.Utc>>
  }
>()("@coffer/orders/OrderStore") {}

/** A new order as a change. */
export const insertion = (order: Order): Change => insert("orders", rowOf({ order, version: 1 }, order.createdAt))

/** The order after a decision, replacing the version that was read. */
export const replacement = (before: StoredOrder, after: Order, now: DateTime.Utc): Change =>
  update("orders", rowOf({ order: after, version: before.version + 1 }, now), before.version)

export const layer = Layer.effect(
  OrderStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const byTradeNo = batchedById({
      row: OrderRow,
      idOf: ({ trade_no }) => trade_no,
      select: (ids) => sql`select * from orders where trade_no = any(${ids})`
    })
    const load = (tradeNo: string) => Effect.map(byTradeNo(tradeNo), Option.map(storedOf))

    const findByOutTradeNo = SqlSchema.findOneOption({
      Request: Schema.Struct({ merchantId: Schema.String, mode: Schema.String, outTradeNo: Schema.String }),
      Result: OrderRow,
      execute: ({ merchantId, mode, outTradeNo }) =>
        sql`select * from orders where merchant_id = ${merchantId} and mode = ${mode} and out_trade_no = ${outTradeNo}`
    })
    const byOutTradeNo = (owner: Owner, outTradeNo: string) =>
      sqlDefects(Effect.map(findByOutTradeNo({ ...owner, outTradeNo }), Option.map(storedOf)))

    const resolve = Effect.fnUntraced(function* (owner: Owner, ref: string) {
      if (isTradeNo(ref)) {
        const found = yield* load(ref)
        if (Option.isSome(found) && isOwnedBy(owner)(found.value.order)) return found
      }
      return isStorable(ref) ? yield* byOutTradeNo(owner, ref) : Option.none<StoredOrder>()
    })

    const numbered = Schema.Struct({ trade_no: TradeNo })
    const ofOrders = { table: "orders", key: "trade_no" }
    const deadlines = leasedRows(sql, { ...ofOrders, dueAt: "due_at", only: sql`status = 'pending'` }, numbered)
    const unapplied = leasedRows(sql, { ...ofOrders, dueAt: "stray_due_at" }, numbered)

    // Each try doubles the wait for the next: 30 s, 1 min … at most an hour (silences: O14).
    const putOff = (now: Statement.Fragment) => sql`due_attempts = due_attempts + 1,
      due_at = ${now} + least(30 * power(2, least(due_attempts, 10)), 3600) * interval '1 second'`
    const putOffReturn = (now: Statement.Fragment) => sql`stray_due_at = ${now} + interval '1 minute'`

    return OrderStore.of({
      load,
      resolve,
      byOutTradeNo,
      claimDue: (now, limit) => sqlDefects(Effect.map(deadlines.claim(putOff, now, limit), tradeNosOf)),
      claimUnapplied: (now, limit) => sqlDefects(Effect.map(unapplied.claim(putOffReturn, now, limit), tradeNosOf)),
      nextDue: (kind) => sqlDefects(kind === "due_at" ? deadlines.next : unapplied.next)
    })
  })
)

const tradeNosOf = (rows: ReadonlyArray<{ readonly trade_no: TradeNo }>) => rows.map(({ trade_no }) => trade_no)

const isTradeNo = Schema.is(TradeNo)
// Rows ------------------------------------------------------------------------

/** A row as Postgres gives it; for this room alone. */
export const OrderRow = Schema.Struct({
  trade_no: TradeNo,
  version: Schema.Int,
  merchant_id: MerchantId,
  mode: Mode,
  out_trade_no: OutTradeNo,
  amount: Minor,
  currency: Currency,
  subject: Schema.NullOr(Schema.String),
  status: Schema.Literals([...Order.discriminants]),
  fee: Schema.NullOr(Minor),
  refunded_amount: Minor,
  refunding_amount: Minor,
  disputes_open: Schema.Int,
  disputes_lost: Minor,
  payment_id: Schema.NullOr(PaymentId),
  payment_method: Schema.NullOr(PaymentMethod),
  refundable_until: Schema.NullOr(TimeColumn),
  notify_url: Schema.NullOr(Schema.String),
  return_url: Schema.NullOr(Schema.String),
  metadata: Metadata,
  receipt_email: Schema.NullOr(Schema.String),
  locale: Schema.NullOr(Locale),
  declines: Schema.Int,
  stray_payments: Schema.Array(UnappliedPayment),
  paid_at: Schema.NullOr(TimeColumn),
  expires_at: TimeColumn,
  created_at: TimeColumn
})
export type OrderRow = typeof OrderRow.Type

const storedOf = (row: OrderRow): StoredOrder => ({ version: row.version, order: orderOf(row) })

export const orderOf = (row: OrderRow): Order => {
  const terms = {
    tradeNo: row.trade_no,
    outTradeNo: row.out_trade_no,
    merchantId: row.merchant_id,
    mode: row.mode,
    amount: row.amount,
    currency: row.currency,
    subject: row.subject,
    notifyUrl: row.notify_url,
    returnUrl: row.return_url,
    metadata: row.metadata,
    receiptEmail: row.receipt_email,
    locale: row.locale,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    declines: row.declines,
    unappliedPayments: row.stray_payments
  }
  switch (row.status) {
    case "pending":
    case "failed":
    case "expired":
      return { status: row.status, ...terms }
    case "paid":
    case "partially_refunded":
    case "refunded":
      return { status: row.status, ...terms, ...paymentOf(row) }
  }
}

// A paid order's row has its payment: they were written by one change.
const paymentOf = (row: OrderRow) => ({
  paymentId: row.payment_id!,
  method: row.payment_method!,
  fee: row.fee!,
  paidAt: row.paid_at!,
  refundableUntil: row.refundable_until,
  refundedAmount: row.refunded_amount,
  refundingAmount: row.refunding_amount,
  disputesOpen: row.disputes_open,
  disputesLost: row.disputes_lost
})

const rowOf = ({ order, version }: StoredOrder, now: DateTime.Utc): RowOf<"orders"> => {
  const payment = "paymentId" in order ? order : undefined
  const expiresAt = isoText(order.expiresAt)
  return {
    trade_no: order.tradeNo,
    version,
    merchant_id: order.merchantId,
    mode: order.mode,
    out_trade_no: order.outTradeNo,
    amount: order.amount,
    currency: order.currency,
    subject: order.subject,
    status: order.status,
    fee: payment?.fee ?? null,
    refunded_amount: payment?.refundedAmount ?? 0,
    refunding_amount: payment?.refundingAmount ?? 0,
    disputes_open: payment?.disputesOpen ?? 0,
    disputes_lost: payment?.disputesLost ?? 0,
    payment_id: payment?.paymentId ?? null,
    payment_method: payment?.method ?? null,
    refundable_until: isoTextOrNull(payment?.refundableUntil ?? null),
    notify_url: order.notifyUrl,
    return_url: order.returnUrl,
    metadata: jsonText(order.metadata),
    receipt_email: order.receiptEmail,
    locale: order.locale,
    declines: order.declines,
    stray_payments: jsonText(order.unappliedPayments),
    stray_due_at: order.unappliedPayments.some(({ state }) => state === "due") ? isoText(now) : null,
    paid_at: isoTextOrNull(payment?.paidAt ?? null),
    due_at: expiresAt,
    expires_at: expiresAt,
    created_at: isoText(order.createdAt)
  }
}
