/**
 * Rows of orders: found one by one or as a page, and written as changes with the version that they replace. Never
 * decides anything.
 */
import { isoText } from "@coffer/model/isoText"
import { TradeNo } from "@coffer/model/Ids"
import { heldOf } from "@coffer/rules/order/Hold"
import { Order, terms } from "@coffer/rules/order/Order"
import { Context, DateTime, Duration, Effect, Layer, Option, Schema, Struct } from "effect"
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
    /** Authorized orders whose hold has run out, or whose capture or release is under way. */
    readonly holds: DueRows<TradeNo>
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
    unappliedDueAt: Schema.NullOr(Schema.DateTimeUtc),
    /** When a worker has to look at the hold: null for an order without one. */
    holdDueAt: Schema.NullOr(Schema.DateTimeUtc)
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
  unappliedDueAt: order.unappliedPayments.some(({ state }) => state === "due") ? now : null,
  holdDueAt: holdDueAt(order)
}))

/** The request that asks the channel gets this long; then a worker asks it again. */
const requestTakes = Duration.seconds(30)
/** When the hold runs out, or when the channel's answer is overdue. */
const holdDueAt = (order: Order): DateTime.Utc | null => {
  const held = heldOf(order)
  const request = held && order.hold?.request
  return request ? DateTime.addDuration(request.at, requestTakes) : (held?.captureBy ?? null)
}

export const layer = Layer.effect(
  OrderStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const ofOrders = { table: "orders", key: "trade_no", isOwned: true }
    // Each try doubles the wait for the next: 30 s, 1 min … at most an hour (silences: O14).
    const lease = backOff(sql, "due_attempts", { soon: 30, late: 3_600 })
    const only = sql`status = 'pending' and hold_due_at is null`
    const pending = { dueAt: "due_at", only, attempts: "due_attempts", lease }
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

    const held = { dueAt: "hold_due_at", error: "hold_error", attempts: "hold_attempts" }
    const holdLease = backOff(sql, "hold_attempts", { soon: 30, late: 3_600 })
    const holds = leasedRows(sql, { ...ofOrders, ...held, lease: holdLease }, numbered, tradeNoOf)

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
      holds,
      parkedInSandboxes: (before) => sqlDefects(parkedInSandboxes(before))
    })
  })
)

const numbered = Schema.Struct({ trade_no: TradeNo })
const decodeNumbered = Schema.decodeUnknownEffect(Schema.Array(numbered))
/** Orders of sandboxes whose parked payments a round closes. */
const sandboxesAtOnce = 100

const tradeNoOf = ({ trade_no }: typeof numbered.Type) => trade_no
