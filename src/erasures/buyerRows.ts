/** Which rows are a buyer's: a page of the orders of an address, and how many there are of each kind. */
import { isoText } from "@coffer/model/isoText"
import type { Account } from "@coffer/model/Account"
import { erasedText } from "@coffer/rules/erasure"
import { type DateTime, Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { sqlDefects } from "../platform/postgres/sqlDefect.ts"
import type { Counts } from "./ErasureStore.ts"

/** Orders that a dry run counts; of more it says that there are more. */
export const countedMax = 10_000

export interface BuyersOrders {
  readonly account: Account | undefined
  readonly email: string
  /** Orders that were taken later stay. */
  readonly until: DateTime.Utc
  readonly after: string
  readonly limit: number
}

const Numbered = Schema.Array(Schema.Struct({ id: Schema.String }))
const decode = Schema.decodeUnknownEffect(Numbered)
const idsOf = (rows: typeof Numbered.Type) => rows.map(({ id }) => id)

/** Which orders are meant. */
const conditions = (sql: SqlClient.SqlClient) => {
  const whose = (account: Account | undefined) =>
    account === undefined ? sql`true` : sql`merchant_id = ${account.merchantId} and mode = ${account.mode}`
  /** By the clock of the sandbox, which may have been moved. */
  const takenBy = (until: DateTime.Utc) => sql`o.created_at <= ${isoText(until)}::text::timestamptz
    + case when o.mode = 'sandbox' then coalesce((select c.offset_ms from sandbox_clocks c
        where c.merchant_id = o.merchant_id), 0) else 0 end * interval '1 millisecond'`
  const own = ({ account, email, until }: Omit<BuyersOrders, "after" | "limit">) =>
    sql`${whose(account)} and lower(o.receipt_email) = lower(${email}::text) and ${takenBy(until)}`
  return { own, takenBy, whose }
}

export const makeBuyerRows = (sql: SqlClient.SqlClient) => {
  const { own, takenBy, whose } = conditions(sql)
  return {
    order: (account: Account | undefined, ref: string) =>
      sqlDefects(
        Effect.map(
          Effect.flatMap(
            account === undefined
              ? sql`select trade_no as id from orders where trade_no = ${ref}`
              : sql`select trade_no as id from orders where ${whose(account)}
                  and (trade_no = ${ref} or out_trade_no = ${ref}) order by trade_no = ${ref} desc limit 1`,
            decode
          ),
          ([row]) => Option.fromNullishOr(row?.id)
        )
      ),

    /** By the index of `receipt_email` (`laterIndexes.ts`). */
    byAddress: (options: BuyersOrders) =>
      Effect.map(
        Effect.flatMap(
          sql`select o.trade_no as id from orders o where ${own(options)} and o.trade_no > ${options.after}
            order by o.trade_no limit ${options.limit}::int4`,
          decode
        ),
        idsOf
      ),

    /** Addresses of orders, in lower case, in their order. */
    addresses: (after: string, limit: number) =>
      Effect.map(
        Effect.flatMap(
          sql`select distinct lower(receipt_email) as id from orders
            where receipt_email is not null and lower(receipt_email) > ${after} order by 1 limit ${limit}::int4`,
          decode
        ),
        idsOf
      ),

    /**
     * Orders that have the address in another place. They are found by looking at each order: `last` is the one that
     * was looked at last, undefined at the end.
     */
    byText: Effect.fnUntraced(function* ({ account, after, limit, until }: BuyersOrders, pattern: string) {
      const rows = yield* sql<{ readonly id: string; readonly isNamed: boolean }>`select o.trade_no as id,
          o.erased_at is null and ${takenBy(until)} and concat_ws(' ', o.subject, o.notify_url, o.return_url,
            o.metadata::text, o.unapplied_payments::text, o.receipt::text) ~* ${pattern} as "isNamed"
        from orders o where ${whose(account)} and o.trade_no > ${after} order by o.trade_no limit ${limit}::int4`
      return {
        tradeNos: rows.filter(({ isNamed }) => isNamed).map(({ id }) => id),
        last: rows.length < limit ? undefined : rows.at(-1)!.id
      }
    }),

    /** Mails of other orders that went to the address: their numbers. */
    mailsTo: ({ account, email, limit, until }: BuyersOrders) =>
      Effect.map(
        Effect.flatMap(
          sql`select m.id from mails m join orders o using (trade_no)
            where lower(m.recipient) = lower(${email}::text) and ${whose(account)} and m.status <> 'sending'
              and o.receipt_email is distinct from m.recipient and ${takenBy(until)} limit ${limit}::int4`,
          decode
        ),
        idsOf
      ),
    eraseMails: (ids: ReadonlyArray<string>) =>
      sql`update mails set version = version + 1, recipient = ${erasedText}, error = null, due_at = null,
          status = case when status = 'due' then 'failed' else status end
        where id = any(${ids}::text[]) and status <> 'sending'`,

    eraseLinks: makeEraseLinks(sql),

    erasedMails: (ids: ReadonlyArray<string>) =>
      Effect.map(
        Effect.flatMap(sql`select id from mails where id = any(${ids}::text[]) and recipient = ${erasedText}`, decode),
        idsOf
      )
  }
}

/** Links whose own texts have the address. */
const makeEraseLinks = (sql: SqlClient.SqlClient) => {
  const { whose } = conditions(sql)
  const eraseLinks = ({ account, after, limit }: BuyersOrders, pattern: string) =>
    Effect.map(
      sql<{ readonly id: string; readonly isNamed: boolean }>`with looked as materialized (
          select link_id from payment_links where ${whose(account)} and link_id > ${after}
          order by link_id limit ${limit}::int4),
        erased as (update payment_links l set version = version + 1,
            subject = case when subject is not null then ${erasedText} end,
            metadata = erased_metadata(metadata, ${pattern}),
            notify_url = regexp_replace(notify_url, ${pattern}, ${erasedText}, 'gi'),
            return_url = regexp_replace(return_url, ${pattern}, ${erasedText}, 'gi')
          from looked where l.link_id = looked.link_id
            and concat_ws(' ', subject, notify_url, return_url, metadata::text) ~* ${pattern}
          returning l.link_id)
        select link_id as id, link_id in (select link_id from erased) as "isNamed" from looked order by 1`,
      (rows) => ({
        erased: rows.filter(({ isNamed }) => isNamed).length,
        last: rows.length < limit ? undefined : rows.at(-1)!.id
      })
    )
  return eraseLinks
}

/** How many rows of each kind an erasure would change; orders up to a limit. */
export const makeCount = (sql: SqlClient.SqlClient) => {
  const { own } = conditions(sql)
  const count = Effect.fnUntraced(function* ({
    account,
    email,
    now,
    tradeNo
  }: {
    readonly account: Account | undefined
    readonly email: string | undefined
    readonly now: DateTime.Utc
    readonly tradeNo: string | null
  }) {
    const which = email === undefined ? sql`o.trade_no = ${tradeNo ?? ""}` : own({ account, email, until: now })
    const [row] = yield* sql<Required<Omit<Counts, "payment_links" | "answers" | "logs">>>`with taken as materialized (
        select o.trade_no, o.merchant_id, o.mode from orders o where ${which} limit ${countedMax + 1}::int4),
      r as materialized (select r.refund_no from taken t join refunds r
        on (r.merchant_id, r.mode, r.trade_no) = (t.merchant_id, t.mode, t.trade_no)),
      d as materialized (select d.dispute_no from taken t join disputes d
        on (d.merchant_id, d.mode, d.trade_no) = (t.merchant_id, t.mode, t.trade_no)),
      e as materialized (select e.id, e.merchant_id, e.mode from events e join (select trade_no as no from taken
        union all select refund_no from r union all select dispute_no from d) as objects on e.object_id = objects.no)
      select (select count(*) from taken)::int4 as orders, (select count(*) from r)::int4 as refunds,
        (select count(*) from d)::int4 as disputes,
        (select count(*) from d join dispute_evidence v using (dispute_no), jsonb_array_elements(v.files))::int4
          as files,
        (select count(*) from taken t join mails m using (trade_no))::int4 as mails,
        (select count(*) from e)::int4 as events,
        (select count(*) from e join deliveries y on (y.merchant_id, y.mode, y.event_id) = (e.merchant_id, e.mode, e.id)
          join delivery_attempts a on a.delivery_id = y.id where a.snippet is not null)::int4 as attempts`
    const { orders, ...others } = row!
    const counts: Counts = { orders: Math.min(orders, countedMax), ...others }
    return { counts, isCapped: orders > countedMax }
  }, sqlDefects)
  return count
}
