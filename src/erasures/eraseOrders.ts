/**
 * Erases orders with all that belongs to them: refunds, evidence and its files, mails, events, and what receivers
 * answered. One slice is one transaction. The version of each row rises, so an owner that remembers the row decides
 * again on the new one. An order waits while a dispute of it is open, since its evidence is the merchant's defence, and
 * while a webhook or a mail about it is on its way, since the answer would bring the buyer back.
 */
import { erasedText, makeEraser } from "@coffer/rules/erasure"
import { type DateTime, Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { bodyOf, packed } from "../events/eventBodies.ts"
import { Files } from "../files/Files.ts"
import { Mailer } from "../mail/Mailer.ts"
import { sqlDefects } from "../platform/postgres/sqlDefect.ts"
import { isoText, jsonText, parseJson } from "../platform/runtime/codecs.ts"
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

const OfOrder = Schema.Struct({ trade_no: Schema.String, id: Schema.String })
const decodeOfOrder = Schema.decodeUnknownEffect(Schema.Array(OfOrder))
const Held = Schema.Struct({
  trade_no: Schema.String,
  reason: Schema.Literals(["open_dispute", "mail_under_way", "webhook_under_way"])
})
const decodeHeld = Schema.decodeUnknownEffect(Schema.Array(Held))
const EventRow = Schema.Struct({
  id: Schema.String,
  body: Schema.NullOr(Schema.String),
  packed: Schema.NullOr(Schema.Uint8Array)
})
const decodeEvents = Schema.decodeUnknownEffect(Schema.Array(EventRow))
const idsOf = (some: ReadonlyArray<typeof OfOrder.Type>) => some.map(({ id }) => id)

export const makeEraseOrders = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const files = yield* Files
  const mailer = yield* Mailer
  const reads = makeReads(sql)
  const erase = makeWrites(sql, reads)

  const slice = Effect.fnUntraced(function* (options: OrdersToErase) {
    const { erasureNo, now } = options
    // One that somebody else is writing is tried again: this does not wait for a row while it holds others.
    const rows = yield* sql<{ readonly id: string }>`select trade_no as id from orders
      where trade_no = any(${options.tradeNos}::text[]) order by trade_no for update skip locked`
    const locked = new Set(rows.map(({ id }) => id))
    const reasons = new Map<string, string>()
    for (const tradeNo of options.tradeNos) if (!locked.has(tradeNo)) reasons.set(tradeNo, "change_under_way")
    for (const { reason, trade_no } of yield* reads.held([...locked], now)) reasons.set(trade_no, reason)
    const tradeNos = options.tradeNos.filter((tradeNo) => !reasons.has(tradeNo))
    yield* sql`delete from erasure_orders where erasure_no = ${erasureNo} and trade_no = any(${tradeNos}::text[])`
    yield* sql`insert into erasure_orders
      select ${erasureNo}, * from unnest(${[...reasons.keys()]}::text[], ${[...reasons.values()]}::text[])
      on conflict (erasure_no, trade_no) do update set reason = excluded.reason`
    const soon = [...reasons.values()].filter((reason) => reason !== "open_dispute").length
    if (tradeNos.length === 0) return soon
    const counts = yield* erase({ ...options, tradeNos })
    // With the rows: a place that is not saved is gone to again, where nothing is left to count.
    yield* sql`update erasures set fresh = fresh + ${tradeNos.length}::int4,
      counts = added_counts(counts, ${jsonText(counts)}::text::jsonb) where erasure_no = ${erasureNo}`
    return soon
  })

  return (options: OrdersToErase): Effect.Effect<ErasedOrders> =>
    Effect.gen(function* () {
      if (options.tradeNos.length === 0) return { files: 0, soon: 0 }
      const free = yield* reads.free(options.tradeNos)
      // Before the rows that name them: after a crash in between they are named still, and removed again.
      const removed = yield* files.erase(yield* reads.files(free), (name) => reads.isNamedElsewhere(name, free))
      yield* mailer.forget(yield* reads.mails(free))
      return { files: removed, soon: yield* sql.withTransaction(slice(options)) }
    }).pipe(sqlDefects)
})

/** The rows that belong to orders, and those that hold them back. */
const makeReads = (sql: SqlClient.SqlClient) => {
  const refundsOf = (tradeNos: ReadonlyArray<string>) =>
    Effect.flatMap(
      sql`select r.trade_no, r.refund_no as id from orders o join refunds r
        on (r.merchant_id, r.mode, r.trade_no) = (o.merchant_id, o.mode, o.trade_no)
        where o.trade_no = any(${tradeNos}::text[])`,
      decodeOfOrder
    )
  const disputesOf = (tradeNos: ReadonlyArray<string>) =>
    Effect.flatMap(
      sql`select d.trade_no, d.dispute_no as id from orders o join disputes d
        on (d.merchant_id, d.mode, d.trade_no) = (o.merchant_id, o.mode, o.trade_no)
        where o.trade_no = any(${tradeNos}::text[])`,
      decodeOfOrder
    )
  const openDisputes = (tradeNos: ReadonlyArray<string>) =>
    sql`select d.trade_no, 'open_dispute' as reason from orders o join disputes d
      on (d.merchant_id, d.mode, d.trade_no) = (o.merchant_id, o.mode, o.trade_no)
      where o.trade_no = any(${tradeNos}::text[]) and d.status in ('needs_response', 'under_review')`

  /** Why some of them wait. Deliveries are locked, so that none is leased until the commit. */
  const held = Effect.fnUntraced(function* (tradeNos: ReadonlyArray<string>, now: DateTime.Utc) {
    const objects = [...tradeNos, ...idsOf(yield* refundsOf(tradeNos)), ...idsOf(yield* disputesOf(tradeNos))]
    const posts = sql`select e.trade_no, 'webhook_under_way' as reason, d.leased_until from events e join deliveries d
      on (d.merchant_id, d.mode, d.event_id) = (e.merchant_id, e.mode, e.id)
      where e.object_id = any(${objects}::text[]) and d.status = 'pending' order by d.id for update of d`
    const at = sql`${isoText(now)}::text::timestamptz`
    return yield* decodeHeld(
      yield* sql`with posts as materialized (${posts})
        select trade_no, reason from posts where leased_until > ${at}
        union all select m.trade_no, 'mail_under_way' from mails m
          where m.trade_no = any(${tradeNos}::text[]) and m.status = 'sending'
        union all ${openDisputes(tradeNos)}`
    )
  })

  return {
    refundsOf,
    disputesOf,
    held,
    /** Those without an open dispute. */
    free: Effect.fnUntraced(function* (tradeNos: ReadonlyArray<string>) {
      const open = new Set((yield* decodeHeld(yield* openDisputes(tradeNos))).map(({ trade_no }) => trade_no))
      return tradeNos.filter((tradeNo) => !open.has(tradeNo))
    }),
    files: Effect.fnUntraced(function* (tradeNos: ReadonlyArray<string>) {
      const disputes = idsOf(yield* disputesOf(tradeNos))
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
      ).pipe(sqlDefects),
    mails: (tradeNos: ReadonlyArray<string>) =>
      Effect.map(
        sql<{ readonly id: string }>`select id from mails
          where trade_no = any(${tradeNos}::text[]) and recipient <> ${erasedText}`,
        (found) => found.map(({ id }) => id)
      )
  }
}

/** Writes orders that are erased, and all that belongs to them. */
const makeWrites = (sql: SqlClient.SqlClient, reads: ReturnType<typeof makeReads>) => {
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

  const erase = Effect.fnUntraced(function* ({ email, now, pattern, tradeNos }: OrdersToErase) {
    const [refunds, disputes] = [idsOf(yield* reads.refundsOf(tradeNos)), idsOf(yield* reads.disputesOf(tradeNos))]
    const objects = [...tradeNos, ...refunds, ...disputes]
    const { blank, metadata, without } = textsOf(sql, pattern)
    const unapplied = ["note", "problem"].map(
      (name) => sql`case when p ? ${name} then jsonb_build_object(${name}::text, ${erasedText}::text) else '{}' end`
    )
    yield* sql`update orders set version = version + 1, erased_at = ${isoText(now)}::text::timestamptz,
        receipt_email = null, subject = ${blank("subject")}, metadata = ${metadata},
        notify_url = ${without("notify_url")}, return_url = ${without("return_url")}, unapplied_error = null,
        receipt = case when receipt ? 'failure'
          then jsonb_set(receipt, '{failure}', to_jsonb(${erasedText}::text)) else receipt end,
        unapplied_payments = case when unapplied_payments = '[]' then unapplied_payments else (
          select jsonb_agg(p || ${unapplied[0]!} || ${unapplied[1]!} order by place)
          from jsonb_array_elements(unapplied_payments) with ordinality as listed (p, place)) end
      where trade_no = any(${tradeNos}::text[])`
    yield* eraseReturns(refunds, disputes, pattern)
    const mails = yield* eraseMails(tradeNos)
    const events = yield* eraseEvents(objects, email)
    const attempts = yield* eraseDeliveries(objects, pattern)
    const counts: Counts = {
      orders: tradeNos.length,
      refunds: refunds.length,
      disputes: disputes.length,
      mails,
      events,
      attempts
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
  metadata: sql`erased_metadata(metadata, ${pattern}::text)`
})

/** Mails, events, and what receivers answered. */
const makeMessages = (sql: SqlClient.SqlClient) => {
  /** A mail that is due goes to nobody any more. */
  const eraseMails = (tradeNos: ReadonlyArray<string>) =>
    Effect.map(
      sql`update mails set version = version + 1, recipient = ${erasedText}, error = null, due_at = null,
          status = case when status = 'due' then 'failed' else status end
        where trade_no = any(${tradeNos}::text[]) and recipient <> ${erasedText} returning 1`,
      ({ length }) => length
    )

  const eraseEvents = Effect.fnUntraced(function* (objects: ReadonlyArray<string>, email: string | undefined) {
    const found = yield* decodeEvents(
      yield* sql`select id, body, packed from events where object_id = any(${objects}::text[])`
    )
    const { answer } = makeEraser({ email, isErased: () => true })
    const bodies = found.map((row) => packed(jsonText(answer(Option.getOrNull(parseJson(bodyOf(row))), true))))
    if (found.length > 0) {
      yield* sql`update events e set body = null, packed = decode(erased.packed, 'hex')
        from unnest(${found.map(({ id }) => id)}::text[], ${bodies}::text[]) as erased (id, packed)
        where e.id = erased.id`
    }
    return found.length
  })

  const eraseDeliveries = Effect.fnUntraced(function* (objects: ReadonlyArray<string>, pattern: string | null) {
    const { without } = textsOf(sql, pattern)
    const answers = yield* sql`update delivery_attempts a set snippet = ${erasedText}
      from events e join deliveries d on (d.merchant_id, d.mode, d.event_id) = (e.merchant_id, e.mode, e.id)
      where e.object_id = any(${objects}::text[]) and a.delivery_id = d.id and a.snippet is not null returning 1`
    if (pattern !== null) {
      yield* sql`update deliveries d set url = ${without("url")}, destination = ${without("destination")}
        from events e where e.object_id = any(${objects}::text[])
          and (d.merchant_id, d.mode, d.event_id) = (e.merchant_id, e.mode, e.id) and d.url ~* ${pattern}`
    }
    return answers.length
  })

  return { eraseDeliveries, eraseEvents, eraseMails }
}
