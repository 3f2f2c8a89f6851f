/**
 * Erases orders with all that belongs to them: refunds, evidence and its files, mails, events, and what receivers
 * answered. One slice is one transaction. The version of each row rises, so an owner that remembers the row decides
 * again on the new one. An order waits while a dispute of it is open, since its evidence is the merchant's defence, and
 * while a webhook or a mail about it is on its way, since the answer would bring the buyer back.
 */
import { isoText } from "@coffer/model/isoText"
import { erasedText, makeEraser } from "@coffer/rules/erasure"
import { type DateTime, Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { bodyOf, packed } from "../events/eventBodies.ts"
import { Files } from "../files/Files.ts"
import { Mailer } from "../mail/Mailer.ts"
import { sqlDefects } from "../platform/postgres/sqlDefect.ts"
import { jsonText, parseJson } from "../platform/runtime/codecs.ts"
import type { Counts } from "./ErasureStore.ts"

export interface OrdersToErase {
  readonly erasureNo: string
  readonly tradeNos: ReadonlyArray<string>
  /** Undefined where one order is erased. */
  readonly email: string | undefined
  /** The same for Postgres' own patterns; null where there is no address. */
  readonly pattern: string | null
  readonly now: DateTime.Utc
}

export interface ErasedOrders {
  readonly files: number
  /** Orders of which something is on its way: they are tried again soon. */
  readonly soon: number
}

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
  is_leased: Schema.Boolean,
  has_address: Schema.Boolean
})
const decodeDeliveries = Schema.decodeUnknownEffect(Schema.Array(DeliveryRow))
const MailRow = Schema.Struct({ id: Schema.String, trade_no: Schema.String, status: Schema.String })
const decodeMails = Schema.decodeUnknownEffect(Schema.Array(MailRow))

/** The rows that belong to orders. */
interface Belongings {
  readonly refunds: ReadonlyArray<typeof Belonging.Type>
  readonly disputes: ReadonlyArray<typeof Belonging.Type>
  readonly events: ReadonlyArray<typeof EventRow.Type>
  readonly deliveries: ReadonlyArray<typeof DeliveryRow.Type>
  readonly mails: ReadonlyArray<typeof MailRow.Type>
}

export const makeEraseOrders = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const files = yield* Files
  const mailer = yield* Mailer
  const reads = makeReads(sql)
  const erase = makeWrites(sql)

  const slice = Effect.fnUntraced(function* (options: OrdersToErase) {
    const { erasureNo } = options
    // One that somebody else is writing is tried again: this does not wait for a row while it holds others.
    const rows = yield* sql<{ readonly id: string }>`select trade_no as id from orders
      where trade_no = any(${options.tradeNos}::text[]) order by trade_no for update skip locked`
    const locked = new Set(rows.map(({ id }) => id))
    const belongings = yield* reads.belongings([...locked], options)
    const reasons = reasonsToWait(belongings)
    for (const tradeNo of yield* reads.there(options.tradeNos.filter((tradeNo) => !locked.has(tradeNo)))) {
      reasons.set(tradeNo, "change_under_way")
    }
    const tradeNos = [...locked].filter((tradeNo) => !reasons.has(tradeNo))
    yield* sql`with gone as (delete from erasure_orders
        where erasure_no = ${erasureNo} and trade_no = any(${options.tradeNos}::text[])
          and trade_no <> all(${[...reasons.keys()]}::text[]))
      insert into erasure_orders
      select ${erasureNo}, * from unnest(${[...reasons.keys()]}::text[], ${[...reasons.values()]}::text[])
      on conflict (erasure_no, trade_no) do update set reason = excluded.reason`
    const soon = [...reasons.values()].filter((reason) => reason !== "open_dispute").length
    if (tradeNos.length === 0) return soon
    const counts = yield* erase({ ...options, tradeNos }, freeOf(belongings, reasons))
    // With the rows: a place that is not saved is gone to again, where nothing is left to count.
    yield* sql`update erasures set fresh = fresh + ${tradeNos.length}::int4,
      counts = added_counts(counts, ${jsonText(counts)}::text::jsonb) where erasure_no = ${erasureNo}`
    return soon
  })

  return (options: OrdersToErase): Effect.Effect<ErasedOrders> =>
    Effect.gen(function* () {
      if (options.tradeNos.length === 0) return { files: 0, soon: 0 }
      const { disputes } = yield* reads.objects(options.tradeNos)
      const open = new Set(disputes.filter(({ is_open }) => is_open).map(({ trade_no }) => trade_no))
      const free = options.tradeNos.filter((tradeNo) => !open.has(tradeNo))
      const ended = disputes.filter(({ trade_no }) => !open.has(trade_no))
      // Before the rows that name them: after a crash in between they are named still, and removed again.
      const removed = yield* files.erase(yield* reads.files(idsOf(ended)), (name) => reads.isNamedElsewhere(name, free))
      yield* mailer.forget(idsOf(yield* reads.mails(free)))
      return { files: removed, soon: yield* sql.withTransaction(slice(options)) }
    }).pipe(sqlDefects)
})

/** The belongings of orders that need not wait. */
const freeOf = (
  { deliveries, disputes, events, mails, refunds }: Belongings,
  reasons: ReadonlyMap<string, string>
): Belongings => {
  const isFree = ({ trade_no }: { readonly trade_no: string }) => !reasons.has(trade_no)
  const free = events.filter(isFree)
  const ids = new Set(idsOf(free))
  return {
    refunds: refunds.filter(isFree),
    disputes: disputes.filter(isFree),
    mails: mails.filter(isFree),
    events: free,
    deliveries: deliveries.filter(({ event_id }) => ids.has(event_id))
  }
}

/** Which orders wait, and why. */
const reasonsToWait = ({ deliveries, disputes, events, mails }: Belongings): Map<string, string> => {
  const ofEvent = new Map(events.map(({ id, trade_no }) => [id, trade_no]))
  return new Map([
    ...deliveries
      .filter(({ is_leased }) => is_leased)
      .map(({ event_id }) => underWay(ofEvent.get(event_id)!, "webhook")),
    ...mails.filter(({ status }) => status === "sending").map(({ trade_no }) => underWay(trade_no, "mail")),
    ...disputes.filter(({ is_open }) => is_open).map(({ trade_no }) => [trade_no, "open_dispute"] as const)
  ])
}
const underWay = (tradeNo: string, what: "webhook" | "mail") => [tradeNo, `${what}_under_way`] as const

const idsOf = (some: ReadonlyArray<{ readonly id: string }>) => some.map(({ id }) => id)

/** The rows that belong to orders, each kind by one index. */
const makeReads = (sql: SqlClient.SqlClient) => {
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
      sql`select id, trade_no, status from mails
        where trade_no = any(${tradeNos}::text[]) and recipient <> ${erasedText} ${locked}`,
      decodeMails
    )
  /** Deliveries and mails are locked, so that none is leased until the commit. */
  const deliveries = (events: ReadonlyArray<typeof EventRow.Type>, { now, pattern }: OrdersToErase) =>
    Effect.flatMap(
      sql`select d.id, d.event_id, coalesce(d.url ~* ${pattern}::text, false) as has_address,
          coalesce(d.status = 'pending' and d.leased_until > ${isoText(now)}::text::timestamptz, false) as is_leased
        from unnest(${events.map(({ merchant_id }) => merchant_id)}::text[],
          ${events.map(({ mode }) => mode)}::text[], ${idsOf(events)}::text[]) as e (merchant_id, mode, id)
        join deliveries d on (d.merchant_id, d.mode, d.event_id) = (e.merchant_id, e.mode, e.id)
        order by d.id for update of d`,
      decodeDeliveries
    )

  return {
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
    belongings: Effect.fnUntraced(function* (tradeNos: ReadonlyArray<string>, options: OrdersToErase) {
      const { disputes, refunds } = yield* objects(tradeNos)
      const events = yield* decodeEvents(
        yield* sql`select id, merchant_id, mode, trade_no, body, packed from events
          where object_id = any(${[...tradeNos, ...idsOf(refunds), ...idsOf(disputes)]}::text[])`
      )
      const belongings: Belongings = {
        refunds,
        disputes,
        events,
        deliveries: events.length === 0 ? [] : yield* deliveries(events, options),
        mails: yield* mails(tradeNos, sql`order by id for update`)
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
    isNamedElsewhere: (name: string, tradeNos: ReadonlyArray<string>) =>
      Effect.map(
        sql`select from files f join disputes d on (d.merchant_id, d.mode) = (f.merchant_id, f.mode)
          join dispute_evidence e using (dispute_no) where f.name = ${name} and d.trade_no <> all(${tradeNos}::text[])
            and (position(f.name in e.files::text) > 0 or position(f.name in e.submitting::text) > 0) limit 1`,
        ({ length }) => length > 0
      ).pipe(sqlDefects)
  }
}

/** Writes orders that are erased, and all that belongs to them. */
const makeWrites = (sql: SqlClient.SqlClient) => {
  const { eraseDeliveries, eraseEvents, eraseMails } = makeMessages(sql)

  const eraseReturns = Effect.fnUntraced(function* (
    refunds: ReadonlyArray<string>,
    disputes: ReadonlyArray<string>,
    pattern: string | null
  ) {
    const { blank, metadata, without } = textsOf(sql, pattern)
    if (refunds.length > 0) {
      yield* sql`update refunds set version = version + 1, reason = ${blank("reason")}, metadata = ${metadata},
          failure_reason = ${without("failure_reason")}, notify_url = ${without("notify_url")}, check_error = null
        where refund_no = any(${refunds}::text[])`
    }
    if (disputes.length > 0) {
      yield* sql`update disputes set version = version + 1, notify_url = ${without("notify_url")}, check_error = null
        where dispute_no = any(${disputes}::text[])`
      yield* sql`update dispute_evidence set version = version + 1, files = '[]', submitting = null,
          evidence = coalesce((select jsonb_object_agg(key, ${erasedText}::text) from jsonb_each(evidence)), '{}')
        where dispute_no = any(${disputes}::text[])`
    }
  })

  /** Rows of tags follow here in one statement for all orders: the trigger would write them order by order. */
  const eraseOrders = ({ now, pattern, tradeNos }: OrdersToErase) => {
    const { blank, metadata, without } = textsOf(sql, pattern)
    const unapplied = ["note", "problem"].map(
      (name) => sql`case when p ? ${name} then jsonb_build_object(${name}::text, ${erasedText}::text) else '{}' end`
    )
    return sql`with before as materialized (
        select merchant_id, mode, trade_no, metadata from orders where trade_no = any(${tradeNos}::text[])),
      after as (update orders set version = version + 1, erased_at = ${isoText(now)}::text::timestamptz,
          receipt_email = null, card = null, subject = ${blank("subject")}, metadata = ${metadata},
          notify_url = ${without("notify_url")}, return_url = ${without("return_url")}, unapplied_error = null,
          receipt = case when receipt ? 'failure'
            then jsonb_set(receipt, '{failure}', to_jsonb(${erasedText}::text)) else receipt end,
          unapplied_payments = case when unapplied_payments = '[]' then unapplied_payments else (
            select jsonb_agg(p || ${unapplied[0]!} || ${unapplied[1]!} order by place)
            from jsonb_array_elements(unapplied_payments) with ordinality as listed (p, place)) end
        where trade_no = any(${tradeNos}::text[]) returning merchant_id, mode, trade_no, metadata),
      old_tags as (select order_tag(b.merchant_id, b.mode, pair.key, pair.value) as tag, trade_no
        from before b join after a using (trade_no), jsonb_each_text(b.metadata) as pair
        where a.metadata ->> pair.key is distinct from pair.value),
      new_tags as (select order_tag(merchant_id, mode, pair.key, pair.value) as tag, trade_no
        from after, jsonb_each_text(metadata) as pair),
      -- One by one: Postgres expects a hundred pairs of each order, and would read all tags that there are.
      untagged as (delete from order_tags where ctid = any(array(select t.ctid from old_tags o
        cross join lateral (select ctid from order_tags where tag = o.tag and trade_no = o.trade_no offset 0) t)))
      insert into order_tags select tag, trade_no from new_tags on conflict do nothing`
  }

  const erase = Effect.fnUntraced(function* (options: OrdersToErase, belongings: Belongings) {
    const { email, pattern, tradeNos } = options
    const { deliveries, disputes, events, mails, refunds } = belongings
    yield* eraseOrders(options)
    yield* sql`update sandbox_payments set card = null where trade_no = any(${tradeNos}::text[]) and card is not null`
    yield* eraseReturns(idsOf(refunds), idsOf(disputes), pattern)
    yield* eraseMails(mails)
    yield* eraseEvents(events, email)
    const counts: Counts = {
      orders: tradeNos.length,
      refunds: refunds.length,
      disputes: disputes.length,
      mails: mails.length,
      events: events.length,
      attempts: yield* eraseDeliveries(deliveries, pattern)
    }
    return counts
  })

  return erase
}

/** How columns are written without the buyer. */
const textsOf = (sql: SqlClient.SqlClient, pattern: string | null) => ({
  without: (column: string) =>
    pattern === null ? sql`${sql(column)}` : sql`regexp_replace(${sql(column)}, ${pattern}, ${erasedText}, 'gi')`,
  blank: (column: string) => sql`case when ${sql(column)} is not null then ${erasedText}::text end`,
  // As `erased_metadata` (migration 0103), which Postgres starts anew for each row.
  metadata: sql`case when metadata = '{}' then metadata else (select coalesce(jsonb_object_agg(
      ${pattern === null ? sql`key` : sql`regexp_replace(key, ${pattern}, ${erasedText}, 'gi')`},
      case when key = 'svc_payment_link' then value else to_jsonb(${erasedText}::text) end), '{}')
    from jsonb_each(metadata)) end`
})

/** Mails, events, and what receivers answered. */
const makeMessages = (sql: SqlClient.SqlClient) => {
  /** A mail that is due goes to nobody any more. */
  const eraseMails = (mails: Belongings["mails"]) =>
    mails.length === 0
      ? Effect.void
      : sql`update mails set version = version + 1, recipient = ${erasedText}, error = null, due_at = null,
          status = case when status = 'due' then 'failed' else status end
        where id = any(${idsOf(mails)}::text[])`

  const eraseEvents = Effect.fnUntraced(function* (events: Belongings["events"], email: string | undefined) {
    if (events.length === 0) return
    const { answer } = makeEraser({ email, isErased: () => true })
    const bodies = events.map((row) => packed(jsonText(answer(Option.getOrNull(parseJson(bodyOf(row))), true))))
    yield* sql`update events e set body = null, packed = decode(erased.packed, 'hex')
      from unnest(${idsOf(events)}::text[], ${bodies}::text[]) as erased (id, packed)
      where e.id = erased.id`
  })

  const eraseDeliveries = Effect.fnUntraced(function* (deliveries: Belongings["deliveries"], pattern: string | null) {
    if (deliveries.length === 0) return 0
    const { without } = textsOf(sql, pattern)
    const answers = yield* sql`update delivery_attempts set snippet = ${erasedText}
      where delivery_id = any(${idsOf(deliveries)}::text[]) and snippet is not null returning 1`
    const named = idsOf(deliveries.filter(({ has_address }) => has_address))
    if (named.length > 0) {
      yield* sql`update deliveries set url = ${without("url")}, destination = ${without("destination")}
        where id = any(${named}::text[])`
    }
    return answers.length
  })

  return { eraseDeliveries, eraseEvents, eraseMails }
}
