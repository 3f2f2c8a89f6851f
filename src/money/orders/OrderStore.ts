/**
 * Rows of orders: found one by one or as a page, and written as changes with the version that they replace. Never
 * decides anything.
 */
import { isoText } from "@coffer/model/isoText"
import { TradeNo } from "@coffer/model/Ids"
import { Order, terms } from "@coffer/rules/order/Order"
import { Context, type DateTime, Effect, Layer, Option, Schema, Struct } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { type Change, insert, update } from "../../platform/commit/Change.ts"
import {
  type Backlog,
  backOff,
  type DueSandbox,
  leasedRows,
  type Outcomes
} from "../../platform/postgres/leasedRows.ts"
import { batchedById } from "../../platform/postgres/batched.ts"
import { belongsTo, type Account } from "@coffer/model/Account"
import { isStorable } from "../../platform/postgres/scans.ts"
import { table } from "../../platform/commit/Table.ts"

/** An order and the version of its row. */
export interface StoredOrder {
  readonly order: Order
  readonly version: number
}

type LeaseDue = (now: DateTime.Utc, limit: number, merchantId?: string) => Effect.Effect<ReadonlyArray<TradeNo>>

export class OrderStore extends Context.Service<
  OrderStore,
  {
    readonly load: (tradeNo: TradeNo) => Effect.Effect<Option.Option<StoredOrder>>
    /** By platform number, then by the merchant's own; only among the account's orders (silences: O4, G11). */
    readonly resolve: (account: Account, ref: string) => Effect.Effect<Option.Option<StoredOrder>>
    /** The hash of an erased order's texts (`erasedTerms.ts`). */
    readonly erasedTerms: (tradeNo: TradeNo) => Effect.Effect<Option.Option<string>>
    readonly byOutTradeNo: (account: Account, outTradeNo: string) => Effect.Effect<Option.Option<StoredOrder>>
    /** Pending orders whose deadline is due, leased until `lease` by pushing `due_at` ahead. */
    readonly leaseDue: LeaseDue
    /** Orders with money that must go back to the buyer, leased likewise. */
    readonly leaseUnapplied: LeaseDue
    /** Notes how the work on those orders ended. */
    readonly noteUnapplied: (outcomes: Outcomes) => Effect.Effect<void>
    /** Orders of sandboxes with a parked payment that were made before; no more than a round takes. */
    readonly parkedInSandboxes: (before: DateTime.Utc) => Effect.Effect<ReadonlyArray<TradeNo>>
    /** When the next of either is due. */
    readonly nextDue: (kind: "due_at" | "unapplied_due_at") => Effect.Effect<Option.Option<DateTime.Utc>>
    /** The same for each of these sandboxes. */
    readonly nextDueOf: (
      kind: "due_at" | "unapplied_due_at",
      merchantIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<DueSandbox>>
    readonly backlog: (kind: "due_at" | "unapplied_due_at", now: DateTime.Utc) => Effect.Effect<Backlog>
  }
>()("@coffer/orders/OrderStore") {}

export const orders = table("orders", {
  place: 20,
  listed: true,
  of: Order,
  extra: {
    version: Schema.Int,
    /** When a worker has to check whether the order has expired. Only that worker pushes it ahead. */
    dueAt: Schema.DateTimeUtc,
    unappliedDueAt: Schema.NullOr(Schema.DateTimeUtc)
  },
  key: "tradeNo",
  version: "version",
  fixed: [...Struct.keys(terms), "dueAt"],
  number: { field: "outTradeNo" },
  called: { method: "payment_method" },
  absent: { refundedAmount: 0, refundingAmount: 0, disputesOpen: 0, disputesLost: 0 }
})

const storedOf = (row: typeof orders.row.Type): StoredOrder => ({ version: row.version, order: orders.read(row) })

const extraColumnsOf = (order: Order, version: number, now: DateTime.Utc) => ({
  version,
  dueAt: order.expiresAt,
  unappliedDueAt: order.unappliedPayments.some(({ state }) => state === "due") ? now : null
})

/** A new order as a change. */
export const insertion = (order: Order): Change => insert(orders, order, extraColumnsOf(order, 1, order.createdAt))

/** The order after a decision, replacing the version that was read. */
export const replacement = (before: StoredOrder, after: Order, now: DateTime.Utc): Change =>
  update(orders, before.version, after, extraColumnsOf(after, before.version + 1, now))

export const layer = Layer.effect(
  OrderStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const byTradeNo = batchedById(sql, {
      row: orders.row,
      idOf: (row) => String(row[orders.key]),
      select: (ids) => sql`select * from orders where trade_no = any(${ids})`
    })
    const load = (tradeNo: string) => Effect.map(byTradeNo(tradeNo), Option.map(storedOf))

    const findByOutTradeNo = SqlSchema.findOneOption({
      Request: Schema.Struct({ merchantId: Schema.String, mode: Schema.String, outTradeNo: Schema.String }),
      Result: orders.row,
      execute: ({ merchantId, mode, outTradeNo }) =>
        sql`select * from orders where merchant_id = ${merchantId} and mode = ${mode} and out_trade_no = ${outTradeNo}`
    })
    const byOutTradeNo = (account: Account, outTradeNo: string) =>
      sqlDefects(Effect.map(findByOutTradeNo({ ...account, outTradeNo }), Option.map(storedOf)))

    const resolve = Effect.fnUntraced(function* (account: Account, ref: string) {
      if (isTradeNo(ref)) {
        const found = yield* load(ref)
        if (Option.isSome(found) && belongsTo(account)(found.value.order)) return found
      }
      return isStorable(ref) ? yield* byOutTradeNo(account, ref) : Option.none<StoredOrder>()
    })

    const numbered = Schema.Struct({ trade_no: TradeNo })
    const ofOrders = { table: "orders", key: "trade_no" }
    // Each try doubles the wait for the next: 30 s, 1 min … at most an hour (silences: O14).
    const lease = backOff(sql, "due_attempts", { soon: 30, late: 3_600 })
    const pending = { dueAt: "due_at", only: sql`status = 'pending'`, attempts: "due_attempts", lease }
    const deadlines = leasedRows(sql, { ...ofOrders, ...pending }, numbered)
    // 1 min, 2 min … an hour (silences: O38).
    const returnLease = backOff(sql, "unapplied_attempts", { soon: 60, late: 3_600 })
    const returns = {
      dueAt: "unapplied_due_at",
      error: "unapplied_error",
      attempts: "unapplied_attempts",
      lease: returnLease
    }
    const unapplied = leasedRows(sql, { ...ofOrders, ...returns }, numbered)

    // By the partial index of objects that need attention (laterIndexes.ts).
    const parkedInSandboxes = Effect.fnUntraced(function* (before: DateTime.Utc) {
      const rows = yield* sql`select trade_no from orders where mode = 'sandbox'
        and (unapplied_due_at is not null or unapplied_payments @> '[{"state": "parked"}]')
        and unapplied_payments @> '[{"state": "parked"}]' and created_at < ${isoText(before)}::text::timestamptz
        order by trade_no limit ${sandboxesAtOnce}::int4`
      return tradeNosOf(yield* decodeNumbered(rows))
    })

    const queueOf = (kind: "due_at" | "unapplied_due_at") => (kind === "due_at" ? deadlines : unapplied)

    return OrderStore.of({
      load,
      resolve,
      byOutTradeNo,
      erasedTerms: Effect.fnUntraced(function* (tradeNo) {
        const [row] = yield* sql<{ readonly terms_hash: string | null }>`select terms_hash from orders
          where trade_no = ${tradeNo}`
        return Option.fromNullishOr(row?.terms_hash)
      }, sqlDefects),
      leaseDue: (...args) => sqlDefects(Effect.map(deadlines.lease(...args), tradeNosOf)),
      leaseUnapplied: (...args) => sqlDefects(Effect.map(unapplied.lease(...args), tradeNosOf)),
      noteUnapplied: unapplied.note,
      parkedInSandboxes: (before) => sqlDefects(parkedInSandboxes(before)),
      nextDue: (kind) => sqlDefects(queueOf(kind).next),
      nextDueOf: (kind, merchantIds) => sqlDefects(queueOf(kind).nextOf(merchantIds)),
      backlog: (kind, now) => sqlDefects(queueOf(kind).backlog(now))
    })
  })
)

const decodeNumbered = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ trade_no: TradeNo })))
/** Orders of sandboxes whose parked payments a round closes. */
const sandboxesAtOnce = 100

const tradeNosOf = (rows: ReadonlyArray<{ readonly trade_no: TradeNo }>) => rows.map(({ trade_no }) => trade_no)

const isTradeNo = Schema.is(TradeNo)
