/**
 * Writes orders that are erased, and all that belongs to them: the buyer's own lose all words, others the address
 * alone. A dry run counts the same rows, and writes none.
 */
import { isoText } from "@coffer/model/isoText"
import { buyersRows } from "@coffer/resources/buyersRows"
import * as orderTables from "@coffer/resources/orders"
import * as returnTables from "@coffer/resources/returns"
import { deliveryAttempts } from "@coffer/resources/webhooks"
import { erasedText, makeEraser } from "@coffer/rules/erasure"
import { wholeAddress } from "@coffer/rules/wholeAddress"
import { type DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { termsHashOf } from "../../money/orders/erasedTerms.ts"
import { Secrets } from "../../platform/runtime/Secrets.ts"
import { makeBuyerWords, type Row } from "./buyerWords.ts"
import type { Counts } from "./ErasureStore.ts"
import { erasing } from "./erasing.ts"
import { type Belongings, isOwnOf, type OrderRow } from "./orderRows.ts"

export interface RowsToErase {
  /** Undefined where one order is erased. */
  readonly email: string | undefined
  readonly now: DateTime.Utc
  readonly isDry: boolean
}

export const makeEraseRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const secrets = yield* Secrets
  // The texts of an order that was erased before are already gone.
  const eraseOwn = makeEraseOwn(sql, (order) => (order.is_erased ? "" : termsHashOf(secrets, order)))
  const eraseNamed = makeEraseNamed(sql)

  return Effect.fnUntraced(function* (options: RowsToErase, orders: ReadonlyArray<OrderRow>, belongings: Belongings) {
    const isOwn = isOwnOf(options.email)
    const own = orders.filter(isOwn)
    const numbers = new Set(own.map(({ trade_no }) => trade_no))
    const counts = yield* eraseOwn(
      options,
      own,
      ofOrders(belongings, (tradeNo) => numbers.has(tradeNo))
    )
    if (options.email === undefined) return counts
    const named = yield* eraseNamed({ ...options, email: options.email }, orders, belongings, numbers)
    return addCounts(counts, named)
  })
})

type Counted = Required<Pick<Counts, "orders" | "refunds" | "disputes" | "mails" | "events" | "attempts">>

const addCounts = (one: Counted, other: Counted): Counted =>
  Object.fromEntries(
    Object.entries(one).map(([name, count]) => [name, count + other[name as keyof Counted]])
  ) as unknown as Counted

/** The rows that belong to these orders. */
export const ofOrders = (
  { deliveries, disputes, events, mails, refunds }: Belongings,
  isOne: (tradeNo: string) => boolean
): Belongings => {
  const some = <A extends { readonly trade_no: string }>(rows: ReadonlyArray<A>) =>
    rows.filter(({ trade_no }) => isOne(trade_no))
  const ids = new Set(idsOf(some(events)))
  return {
    refunds: some(refunds),
    disputes: some(disputes),
    mails: some(mails),
    events: some(events),
    deliveries: deliveries.filter(({ event_id }) => ids.has(event_id))
  }
}

const idsOf = (some: ReadonlyArray<{ readonly id: string }>) => some.map(({ id }) => id)

// Orders of others, which name the buyer ----------------------------------------------------

/** Only the address is removed. In the buyer's own orders it may occur in kept texts, such as a `return_url`. */
const makeEraseNamed = (sql: SqlClient.SqlClient) => {
  const { rewrite, rewriteEvents } = makeBuyerWords(sql)
  return Effect.fnUntraced(function* (
    { email, isDry }: RowsToErase & { readonly email: string },
    orders: ReadonlyArray<OrderRow>,
    { deliveries, disputes, events, mails, refunds }: Belongings,
    own: ReadonlySet<string>
  ) {
    const address = wholeAddress(email)
    const eraser = makeEraser({ email, isErased: () => false })
    const known = new Map(orders.map(({ receipt_email, trade_no }) => [trade_no, receipt_email]))
    const knownAs = (tradeNo: string) => {
      const one = known.get(tradeNo) ?? null
      return address.is(one) ? null : one
    }
    const orderOf = new Map(events.map(({ id, trade_no }) => [id, trade_no]))
    const sent = deliveries.map(({ event_id, id }) => ({ id, trade_no: orderOf.get(event_id)! }))
    /** The buyer's own are counted already. */
    const count = Effect.fnUntraced(function* (name: Parameters<typeof rewrite>[0], rows: ReadonlyArray<Row>) {
      if (!isDry)
        yield* rewrite(
          name,
          rows.filter(({ trade_no }) => own.has(trade_no)),
          eraser,
          knownAs,
          isDry
        )
      return yield* rewrite(
        name,
        rows.filter(({ trade_no }) => !own.has(trade_no)),
        eraser,
        knownAs,
        isDry
      )
    })
    const counts: Counted = {
      orders: yield* count(
        "orders",
        orders.map(({ trade_no }) => ({ id: trade_no, trade_no }))
      ),
      refunds: yield* count("refunds", refunds),
      disputes: Math.max(yield* count("disputes", disputes), yield* count("dispute_evidence", disputes)),
      mails: yield* count("mails", mails),
      attempts: yield* count("delivery_attempts", sent),
      events: yield* rewriteEvents(
        events.filter(({ trade_no }) => !own.has(trade_no)),
        (body, tradeNo) => {
          const other = knownAs(tradeNo)
          return eraser.answer(body, false, other === null ? [] : [other])
        },
        isDry
      )
    }
    yield* count("deliveries", sent)
    return counts
  })
}

// The buyer's own ---------------------------------------------------------------------

const makeEraseOwn = (sql: SqlClient.SqlClient, termsHash: (order: OrderRow) => string) => {
  const { rewriteEvents } = makeBuyerWords(sql)
  const { eraseAnswers, eraseMails } = makeMessages(sql)

  const eraseReturns = Effect.fnUntraced(function* (refunds: ReadonlyArray<string>, disputes: ReadonlyArray<string>) {
    if (refunds.length > 0) {
      yield* sql`update refunds set ${erasing(sql, returnTables.refunds)} where refund_no = any(${refunds}::text[])`
    }
    if (disputes.length > 0) {
      yield* sql`update disputes set ${erasing(sql, returnTables.disputes)} where dispute_no = any(${disputes}::text[])`
      yield* sql`update dispute_evidence set ${erasing(sql, returnTables.disputeEvidence)}
        where dispute_no = any(${disputes}::text[])`
    }
  })

  /** Rows of tags follow here in one statement for all orders: the trigger would write them order by order. */
  const eraseOrders = (now: DateTime.Utc, orders: ReadonlyArray<OrderRow>) => {
    const tradeNos = orders.map(({ trade_no }) => trade_no)
    return sql`with before as materialized (
        select merchant_id, mode, trade_no, metadata from orders where trade_no = any(${tradeNos}::text[])),
      after as (update orders set ${erasing(sql, orderTables.orders)}, erased_at = ${isoText(now)}::text::timestamptz,
          terms_hash = coalesce(terms_hash, nullif(first.hash, ''))
        from unnest(${tradeNos}::text[], ${orders.map(termsHash)}::text[]) as first (number, hash)
        where trade_no = first.number returning merchant_id, mode, trade_no, metadata),
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

  return Effect.fnUntraced(function* (
    { email, isDry, now }: RowsToErase,
    orders: ReadonlyArray<OrderRow>,
    { deliveries, disputes, events, mails, refunds }: Belongings
  ) {
    const counts: Counted = {
      orders: orders.length,
      refunds: refunds.length,
      disputes: disputes.length,
      mails: mails.length,
      events: events.length,
      attempts: yield* eraseAnswers(deliveries, isDry)
    }
    if (isDry || orders.length === 0) return counts
    yield* eraseOrders(now, orders)
    for (const [resource, number] of buyersRows) {
      yield* sql`update ${sql(resource.table)} set ${erasing(sql, resource)}
        where ${sql(number)} = any(${orders.map(({ trade_no }) => trade_no)}::text[])`
    }
    yield* eraseReturns(idsOf(refunds), idsOf(disputes))
    yield* eraseMails(mails)
    const { answer } = makeEraser({ email, isErased: () => true })
    yield* rewriteEvents(events, (body) => answer(body, true), false)
    return counts
  })
}

/** Mails, and what receivers answered. */
const makeMessages = (sql: SqlClient.SqlClient) => {
  /** A mail that is due is not sent any more. */
  const eraseMails = (mails: Belongings["mails"]) =>
    mails.length === 0
      ? Effect.void
      : sql`update mails set ${erasing(sql, orderTables.mails)}, due_at = null,
          status = case when status = 'due' then 'failed' else status end
        where id = any(${idsOf(mails)}::text[])`

  /** Answers of receivers; an endpoint's health keeps the last one that was a failure. */
  const eraseAnswers = Effect.fnUntraced(function* (deliveries: Belongings["deliveries"], isDry: boolean) {
    if (deliveries.length === 0) return 0
    const ids = idsOf(deliveries)
    if (isDry) {
      return (yield* sql`select from delivery_attempts where delivery_id = any(${ids}::text[]) and snippet is not null
        and snippet <> ${erasedText}`).length
    }
    yield* sql`update endpoint_health h set answer = ${erasedText} from delivery_attempts a join deliveries d
        on d.id = a.delivery_id
      where a.delivery_id = any(${ids}::text[]) and h.endpoint_id = d.endpoint_id and h.answer = a.snippet`
    return (yield* sql`update delivery_attempts set ${erasing(sql, deliveryAttempts)}
      where delivery_id = any(${ids}::text[]) and snippet is not null and snippet <> ${erasedText} returning 1`).length
  })

  return { eraseAnswers, eraseMails }
}
