/** The orders of an erasure with the rows that belong to them, and whether an order is the buyer's own. */
import { isoText } from "@coffer/model/isoText"
import { orders } from "@coffer/resources/orders"
import { erasedText, makeEraser } from "@coffer/rules/erasure"
import { wholeAddress } from "@coffer/rules/wholeAddress"
import { type DateTime, Effect, Option, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { jsonText, parseJson } from "../../platform/runtime/codecs.ts"
import { searchedIn } from "./searchedIn.ts"

const OrderRow = Schema.Struct({
  trade_no: Schema.String,
  receipt_email: Schema.NullOr(Schema.String),
  subject: Schema.NullOr(Schema.String),
  notify_url: Schema.NullOr(Schema.String),
  is_erased: Schema.Boolean,
  words: Schema.String
})
export type OrderRow = typeof OrderRow.Type
const decodeOrders = Schema.decodeUnknownEffect(Schema.Array(OrderRow))
const Belonging = Schema.Struct({
  kind: Schema.Literals(["refund", "dispute"]),
  trade_no: Schema.String,
  id: Schema.String,
  is_open: Schema.Boolean
})
const decodeBelongings = Schema.decodeUnknownEffect(Schema.Array(Belonging))
const EventRow = Schema.Struct({
  id: Schema.String,
  merchant_id: Schema.String,
  mode: Schema.String,
  trade_no: Schema.String,
  body: Schema.NullOr(Schema.String),
  packed: Schema.NullOr(Schema.Uint8Array)
})
const decodeEvents = Schema.decodeUnknownEffect(Schema.Array(EventRow))
const DeliveryRow = Schema.Struct({
  id: Schema.String,
  event_id: Schema.String,
  is_leased: Schema.Boolean
})
const decodeDeliveries = Schema.decodeUnknownEffect(Schema.Array(DeliveryRow))
const MailRow = Schema.Struct({
  id: Schema.String,
  trade_no: Schema.String,
  status: Schema.String,
  recipient: Schema.String
})
const decodeMails = Schema.decodeUnknownEffect(Schema.Array(MailRow))

/** The rows that belong to orders. */
export interface Belongings {
  readonly refunds: ReadonlyArray<typeof Belonging.Type>
  readonly disputes: ReadonlyArray<typeof Belonging.Type>
  readonly events: ReadonlyArray<typeof EventRow.Type>
  readonly deliveries: ReadonlyArray<typeof DeliveryRow.Type>
  readonly mails: ReadonlyArray<typeof MailRow.Type>
}

/**
 * Whose order it is. An order with an address is that buyer's. One without belongs to the buyer that its texts name, if
 * they name no other person. If no address is sought, each order counts as the buyer's own.
 */
export const isOwnOf = (email: string | undefined): ((order: OrderRow) => boolean) => {
  if (email === undefined) return () => true
  const address = wholeAddress(email)
  const { answer } = makeEraser({ email, isErased: () => false })
  return ({ receipt_email, words }) => {
    if (receipt_email !== null) return address.is(receipt_email)
    const value = Option.getOrNull(parseJson(words))
    return jsonText(answer(value)) !== jsonText(value) && !address.isBesideOthers(jsonText(value))
  }
}

/** The rows that belong to orders, each kind by one index. */
export const makeOrderRows = (sql: SqlClient.SqlClient) => {
  const objects = Effect.fnUntraced(function* (tradeNos: ReadonlyArray<string>) {
    const found = yield* decodeBelongings(
      yield* sql`with o as materialized (
          select merchant_id, mode, trade_no from orders where trade_no = any(${tradeNos}::text[]))
        select 'refund' as kind, r.trade_no, r.refund_no as id, false as is_open from o join refunds r
          on (r.merchant_id, r.mode, r.trade_no) = (o.merchant_id, o.mode, o.trade_no)
        union all select 'dispute', d.trade_no, d.dispute_no, d.status in ('needs_response', 'under_review')
          from o join disputes d on (d.merchant_id, d.mode, d.trade_no) = (o.merchant_id, o.mode, o.trade_no)`
    )
    return {
      refunds: found.filter(({ kind }) => kind === "refund"),
      disputes: found.filter(({ kind }) => kind === "dispute")
    }
  })
  const mails = (tradeNos: ReadonlyArray<string>, locked = sql``) =>
    Effect.flatMap(
      sql`select id, trade_no, status, recipient from mails
        where trade_no = any(${tradeNos}::text[]) and recipient <> ${erasedText} ${locked}`,
      decodeMails
    )
  /** Deliveries and mails are locked, so that none is leased until the commit. */
  const deliveries = (events: ReadonlyArray<typeof EventRow.Type>, now: DateTime.Utc, locked: Statement.Fragment) =>
    Effect.flatMap(
      sql`select d.id, d.event_id, coalesce(d.status = 'pending'
            and d.leased_until > ${isoText(now)}::text::timestamptz, false) as is_leased
        from unnest(${events.map(({ merchant_id }) => merchant_id)}::text[],
          ${events.map(({ mode }) => mode)}::text[], ${idsOf(events)}::text[]) as e (merchant_id, mode, id)
        join deliveries d on (d.merchant_id, d.mode, d.event_id) = (e.merchant_id, e.mode, e.id)
        order by d.id ${locked}`,
      decodeDeliveries
    )

  return {
    /** `locked` may say that the rows are locked. */
    orders: (tradeNos: ReadonlyArray<string>, locked: Statement.Fragment) =>
      Effect.flatMap(
        sql`select trade_no, receipt_email, subject, notify_url, erased_at is not null as is_erased,
            ${searchedIn(sql, orders).json} as words
          from orders where trade_no = any(${tradeNos}::text[]) order by trade_no ${locked}`,
        decodeOrders
      ),
    objects,
    mails,
    /** Those that are there: one may have gone since it was found (RetentionJobs.ts). */
    there: (tradeNos: ReadonlyArray<string>) =>
      tradeNos.length === 0
        ? Effect.succeed([])
        : Effect.map(
            sql<{ readonly id: string }>`select trade_no as id from orders where trade_no = any(${tradeNos}::text[])`,
            idsOf
          ),
    belongings: Effect.fnUntraced(function* (tradeNos: ReadonlyArray<string>, now: DateTime.Utc, isDry = false) {
      const { disputes, refunds } = yield* objects(tradeNos)
      const events = yield* decodeEvents(
        yield* sql`select id, merchant_id, mode, trade_no, body, packed from events
          where object_id = any(${[...tradeNos, ...idsOf(refunds), ...idsOf(disputes)]}::text[])`
      )
      const belongings: Belongings = {
        refunds,
        disputes,
        events,
        deliveries: events.length === 0 ? [] : yield* deliveries(events, now, isDry ? sql`` : sql`for update of d`),
        mails: yield* mails(tradeNos, isDry ? sql`` : sql`order by id for update`)
      }
      return belongings
    }),
    files: Effect.fnUntraced(function* (disputes: ReadonlyArray<string>) {
      if (disputes.length === 0) return []
      const urls = yield* sql<{ readonly url: string }>`select distinct file ->> 'url' as url
        from dispute_evidence, jsonb_array_elements(files || coalesce(submitting -> 'files', '[]')) as file
        where dispute_no = any(${disputes}::text[])`
      return urls.map(({ url }) => url.slice(url.lastIndexOf("/") + 1))
    }),
    isNamedElsewhere: makeIsNamedElsewhere(sql)
  }
}

const idsOf = (some: ReadonlyArray<{ readonly id: string }>) => some.map(({ id }) => id)

/** Whether evidence of another order names the file. */
const makeIsNamedElsewhere = (sql: SqlClient.SqlClient) => (name: string, tradeNos: ReadonlyArray<string>) =>
  Effect.map(
    sql`select from files f join disputes d on (d.merchant_id, d.mode) = (f.merchant_id, f.mode)
          join dispute_evidence e using (dispute_no) where f.name = ${name} and d.trade_no <> all(${tradeNos}::text[])
            and (position(f.name in e.files::text) > 0 or position(f.name in e.submitting::text) > 0) limit 1`,
    ({ length }) => length > 0
  ).pipe(sqlDefects)
