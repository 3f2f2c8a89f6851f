/**
 * Drops rows that are older than the operator's retention (`Settings.ts`): deliveries with their attempts, mails,
 * events, and orders of sandboxes that ended without a payment. Without a setting they stay for ever. The time up to
 * which rows were dropped is written with them: the auditor expects none from before, and a list still accepts the
 * number of a dropped row as a cursor (`Pages.ts`). API logs and answers have workers of their own.
 *
 * A delivery names its event. So an event is dropped when no delivery of it is left, and a delivery an hour after it
 * can no longer be resent (`Deliveries.ts`): by then a request that has read it has ended.
 */
import { isoText } from "@coffer/model/isoText"
import { firstIdBody, prefixes } from "@coffer/model/Ids"
import { DateTime, Duration, Effect, Layer } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { hourly, Workers } from "../../platform/jobs/Workers.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { Settings } from "../../platform/runtime/Settings.ts"

/** Rows of one transaction, and orders with all that belongs to them. */
const batchMax = 500
const ordersMax = 100

/** How long after the last possible resend a delivery is dropped. No request lasts this long. */
const requestsEnd = Duration.hours(1)

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { supervise } = yield* Workers
    const sql = yield* SqlClient.SqlClient
    const { keep } = yield* Settings
    const drop = makeDrop(sql)
    const kept = (kind: Drop["kind"], keep: Duration.Duration | undefined, of: (before: DateTime.Utc) => Statements) =>
      keep === undefined
        ? Effect.void
        : supervise(() =>
            hourly(`${kind.replaceAll("_", " ")} that are kept no longer`, (now) => {
              const before = DateTime.subtractDuration(now, keep)
              return drop({ kind, before, dropped: of(before) })
            })
          )

    const { deliveries, events, mails } = makeDrops(sql)
    yield* kept("deliveries", keep.deliveries && Duration.sum(keep.deliveries, requestsEnd), deliveries)
    yield* kept("mails", keep.mails, mails)
    yield* kept("events", keep.events && Duration.sum(keep.events, requestsEnd), events)
    yield* kept("sandbox_orders", keep.sandboxOrders, dropOrders(sql))
  })
)

/** One transaction: how many rows it has dropped. */
type Statements = Effect.Effect<number, SqlError.SqlError>

interface Drop {
  readonly kind: "deliveries" | "mails" | "events" | "sandbox_orders"
  readonly before: DateTime.Utc
  readonly dropped: Statements
}

const makeDrop =
  (sql: SqlClient.SqlClient) =>
  ({ before, dropped, kind }: Drop) =>
    sqlDefects(
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`insert into retention as r values (${kind}, ${isoText(before)}::text::timestamptz)
            on conflict (kind) do update set dropped_before = greatest(r.dropped_before, excluded.dropped_before)`
          return yield* dropped
        })
      )
    )

/** The lowest number of this moment: numbers are in the order of their times. */
const first = (prefix: string, before: DateTime.Utc) => prefix + firstIdBody(DateTime.toEpochMillis(before))
const countRows = (statement: Statement.Statement<object>) => Effect.map(statement, ({ length }) => length)

const makeDrops = (sql: SqlClient.SqlClient) => ({
  deliveries: (before: DateTime.Utc) =>
    countRows(sql`with old as materialized (select id from deliveries
        where id < ${first(prefixes.delivery, before)} and status <> 'pending'
        order by id limit ${batchMax}::int4 for update skip locked),
      attempts as (delete from delivery_attempts a using old where a.delivery_id = old.id)
      delete from deliveries d using old where d.id = old.id returning 1`),

  mails: (before: DateTime.Utc) =>
    countRows(sql`delete from mails where id in (select id from mails
      where created_at < ${isoText(before)}::text::timestamptz and due_at is null
      order by created_at limit ${batchMax}::int4 for update skip locked) returning 1`),

  events: (before: DateTime.Utc) =>
    countRows(sql`delete from events where id in (select id from events e
      where id < ${first(prefixes.event, before)} and not exists (select from deliveries d
        where (d.merchant_id, d.mode, d.event_id) = (e.merchant_id, e.mode, e.id))
      order by id limit ${batchMax}::int4 for update skip locked) returning 1`)
})

/**
 * Unpaid orders have no row of the ledger, no refund and no dispute. Orders at an acquirer stay, since the acquirer may
 * still name them. An order with a younger event or delivery, or with a waiting delivery, stays, too.
 */
const dropOrders = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (before: DateTime.Utc) {
    const [event, delivery] = [first(prefixes.event, before), first(prefixes.delivery, before)]
    const found = yield* sql<{ readonly id: string }>`select trade_no as id from orders o
      where mode = 'sandbox' and paid_at is null and status in ('failed', 'expired')
        and trade_no < ${first(prefixes.tradeNo.sandbox, before)}
        and coalesce(channel, 'sandbox') = 'sandbox' and unapplied_payments = '[]'
        and not exists (select from events e where e.object_id = o.trade_no and (e.id >= ${event}
          or exists (select from deliveries d
            where (d.merchant_id, d.mode, d.event_id) = (e.merchant_id, e.mode, e.id)
              and (d.id >= ${delivery} or d.status = 'pending'))))
      order by trade_no limit ${ordersMax}::int4 for update skip locked`
    if (found.length === 0) return 0
    const tradeNos = found.map(({ id }) => id)
    yield* sql`with o as materialized (select merchant_id, mode, trade_no, metadata from orders
        where trade_no = any(${tradeNos}::text[])),
      e as (delete from events where object_id = any(${tradeNos}::text[]) returning id, merchant_id, mode),
      d as (delete from deliveries d using e
        where (d.merchant_id, d.mode, d.event_id) = (e.merchant_id, e.mode, e.id) returning d.id),
      a as (delete from delivery_attempts a using d where a.delivery_id = d.id),
      m as (delete from mails where trade_no = any(${tradeNos}::text[])),
      p as (delete from sandbox_payments where trade_no = any(${tradeNos}::text[])),
      w as (delete from erasure_orders where trade_no = any(${tradeNos}::text[])),
      -- One by one: Postgres expects a hundred pairs of each order, and would read all tags that there are.
      t as (delete from order_tags where ctid = any(array(select t.ctid
        from o, jsonb_each_text(o.metadata) as pair cross join lateral (select ctid from order_tags
          where tag = order_tag(o.merchant_id, o.mode, pair.key, pair.value) and trade_no = o.trade_no offset 0) t)))
      delete from orders where trade_no = any(${tradeNos}::text[])`
    return found.length
  })
