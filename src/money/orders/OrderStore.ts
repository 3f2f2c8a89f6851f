/**
 * Rows of orders: found one by one or as a page, and written as changes with the version that they replace. Never
 * decides anything.
 */
import { isoText } from "@coffer/model/isoText"
import { TradeNo } from "@coffer/model/Ids"
import { Order, terms } from "@coffer/rules/order/Order"
import { Context, type DateTime, Effect, Layer, Option, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { backOff, type DueRows, leasedRows } from "../../platform/postgres/leasedRows.ts"
import { table } from "../../platform/commit/Table.ts"
import { makeObjectChanges, makeObjectRows, type ObjectRows } from "../aggregate/objectRows.ts"

export class OrderStore extends Context.Service<
  OrderStore,
  ObjectRows<Order> & {
    /** The hash of an erased order's texts (`erasedTerms.ts`). */
    readonly erasedTerms: (tradeNo: TradeNo) => Effect.Effect<Option.Option<string>>
    /** Pending orders, when their deadline is due. */
    readonly deadlines: DueRows<TradeNo>
    /** Orders with money that must go back to the buyer. */
    readonly returns: DueRows<TradeNo>
    /** Orders of sandboxes with a parked payment that were made before; no more than a round takes. */
    readonly parkedInSandboxes: (before: DateTime.Utc) => Effect.Effect<ReadonlyArray<TradeNo>>
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

export const { insertion, replacement } = makeObjectChanges(orders, (order, version, now) => ({
  version,
  dueAt: order.expiresAt,
  unappliedDueAt: order.unappliedPayments.some(({ state }) => state === "due") ? now : null
}))

export const layer = Layer.effect(
  OrderStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const ofOrders = { table: "orders", key: "trade_no", isOwned: true }
    // Each try doubles the wait for the next: 30 s, 1 min … at most an hour (silences: O14).
    const lease = backOff(sql, "due_attempts", { soon: 30, late: 3_600 })
    const pending = { dueAt: "due_at", only: sql`status = 'pending'`, attempts: "due_attempts", lease }
    const deadlines = leasedRows(sql, { ...ofOrders, ...pending }, numbered, tradeNoOf)
    // 1 min, 2 min … an hour (silences: O38).
    const returnLease = backOff(sql, "unapplied_attempts", { soon: 60, late: 3_600 })
    const unapplied = {
      dueAt: "unapplied_due_at",
      error: "unapplied_error",
      attempts: "unapplied_attempts",
      lease: returnLease
    }
    const returns = leasedRows(sql, { ...ofOrders, ...unapplied }, numbered, tradeNoOf)

    // By the partial index of objects that need attention (laterIndexes.ts).
    const parkedInSandboxes = Effect.fnUntraced(function* (before: DateTime.Utc) {
      const rows = yield* sql`select trade_no from orders where mode = 'sandbox'
        and (unapplied_due_at is not null or unapplied_payments @> '[{"state": "parked"}]')
        and unapplied_payments @> '[{"state": "parked"}]' and created_at < ${isoText(before)}::text::timestamptz
        order by trade_no limit ${sandboxesAtOnce}::int4`
      return (yield* decodeNumbered(rows)).map(tradeNoOf)
    })

    return OrderStore.of({
      ...makeObjectRows(sql, orders, { isId: Schema.is(TradeNo), isBatched: true }),
      erasedTerms: Effect.fnUntraced(function* (tradeNo) {
        const [row] = yield* sql<{ readonly terms_hash: string | null }>`select terms_hash from orders
          where trade_no = ${tradeNo}`
        return Option.fromNullishOr(row?.terms_hash)
      }, sqlDefects),
      deadlines,
      returns,
      parkedInSandboxes: (before) => sqlDefects(parkedInSandboxes(before))
    })
  })
)

const numbered = Schema.Struct({ trade_no: TradeNo })
const decodeNumbered = Schema.decodeUnknownEffect(Schema.Array(numbered))
/** Orders of sandboxes whose parked payments a round closes. */
const sandboxesAtOnce = 100

const tradeNoOf = ({ trade_no }: typeof numbered.Type) => trade_no
