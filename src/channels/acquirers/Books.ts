/**
 * An acquirer's movements of money, and the same payments in our books (migrations 0196 and 0227). Each acquirer has a
 * table of movements; the differences are in one.
 */
import { isoText } from "@coffer/model/isoText"
import type { Account } from "@coffer/model/Account"
import { type ChannelName, createdAtOf, firstIdBody, MerchantId, Mode, prefixes } from "@coffer/model/Ids"
import { Currency } from "@coffer/model/Money"
import type { InvalidField } from "@coffer/rules/InvalidField"
import type { Page, PageRequest } from "@coffer/rules/lists/pageRequest"
import { DateTime, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import * as numbersInOrder from "../../platform/postgres/numbersInOrder.ts"
import * as Pages from "../../platform/postgres/Pages.ts"
import { isStorable } from "../../platform/postgres/scans.ts"
import { amountPaid } from "../../platform/postgres/orderKeys.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { TimeColumn } from "../../platform/runtime/codecs.ts"
import type { NewIds } from "../../platform/runtime/NewIds.ts"
import { ChannelFee, type FeeOf, type OwnedPayment } from "../../shared/channel/fees.ts"

/** Whose books, and the table of their movements. */
export interface Kept {
  readonly channel: ChannelName
  readonly movements: string
  /** Whether the acquirer moves a disputed amount otherwise than we do until the bank has decided. */
  readonly isCompared: "always" | "once decided"
}

export interface Movement {
  readonly id: string
  readonly paymentId: string
  readonly tradeNo: string | null
  readonly type: string
  readonly amount: number
  readonly fee: number
  readonly currency: string
  /** The amount before the acquirer exchanged it, in the currency that the buyer was charged in. */
  readonly exchanged: { readonly amount: number; readonly currency: string } | null
  readonly createdAt: DateTime.Utc
}

/** A payment in both books, in minor units: what is left of it, without fees. */
const Compared = Schema.Struct({
  payment_id: Schema.String,
  trade_no: Schema.NullOr(Schema.String),
  currency: Schema.String,
  theirs: Schema.Int,
  ours: Schema.Int,
  /** Whether all movements at the acquirer are known in our currency. */
  is_same_currency: Schema.Boolean,
  /** The last movement in either books, as far as known. */
  moved_at: Schema.NullOr(TimeColumn)
})
export type Compared = typeof Compared.Type

/** A payment, and the order that it names. */
const Named = Schema.Struct({ payment_id: Schema.String, trade_no: Schema.NullOr(Schema.String) })
export type Named = typeof Named.Type

export const Difference = Schema.Struct({
  id: Schema.String,
  channel: Schema.String,
  merchant_id: MerchantId,
  mode: Mode,
  payment_id: Schema.String,
  trade_no: Schema.NullOr(Schema.String),
  currency: Currency,
  ours: Schema.Int,
  theirs: Schema.Int,
  created_at: TimeColumn,
  seen_at: TimeColumn,
  agreed_at: Schema.NullOr(TimeColumn)
})
export type Difference = typeof Difference.Type

interface Filters {
  readonly merchant_id?: string
  readonly open?: boolean
}

export interface Books {
  readonly insert: (account: Account, movements: ReadonlyArray<Movement>) => Effect.Effect<void>
  /** Payments with movements that were not compared yet, all of them older than `until`. */
  readonly unchecked: (account: Account, until: DateTime.Utc, limit: number) => Effect.Effect<ReadonlyArray<Named>>
  /** Payments of ours that were made in this time, and that the acquirer has no movement of. */
  readonly missing: (
    account: Account,
    from: DateTime.Utc,
    to: DateTime.Utc,
    limit: number
  ) => Effect.Effect<ReadonlyArray<Named>>
  readonly compare: (account: Account, payments: ReadonlyArray<Named>) => Effect.Effect<ReadonlyArray<Compared>>
  /** Whether the difference is new. */
  readonly note: (account: Account, compared: Compared, now: DateTime.Utc) => Effect.Effect<boolean>
  readonly agree: (account: Account, paymentIds: ReadonlyArray<string>, now: DateTime.Utc) => Effect.Effect<void>
  readonly checked: (account: Account, paymentIds: ReadonlyArray<string>, now: DateTime.Utc) => Effect.Effect<void>
  readonly openPayments: (account: Account, limit: number) => Effect.Effect<ReadonlyArray<Named>>
  readonly openCounts: Effect.Effect<ReadonlyMap<Mode, number>>
  /** Newest first. */
  readonly page: (request: PageRequest, filters: Filters) => Effect.Effect<Page<Difference>, InvalidField>
}

interface ModeCount {
  readonly mode: Mode
  readonly count: number
}

const prefix = "rec_"

const decodeNamed = Schema.decodeUnknownEffect(Schema.Array(Named))
const decodeCompared = Schema.decodeUnknownEffect(Schema.Array(Compared))

export const makeBooks = (sql: SqlClient.SqlClient, ids: NewIds["Service"], kept: Kept): Books => ({
  ...makeMovements(sql, kept),
  ...makeDifferences(sql, ids, kept)
})

const at = (sql: SqlClient.SqlClient, time: DateTime.Utc) => sql`${isoText(time)}::text::timestamptz`
const own = (sql: SqlClient.SqlClient, { merchantId, mode }: Account) =>
  sql`merchant_id = ${merchantId} and mode = ${mode}`
const decodeRows = <E>(rows: Effect.Effect<ReadonlyArray<unknown>, E>) => sqlDefects(Effect.flatMap(rows, decodeNamed))

const makeMovements = (sql: SqlClient.SqlClient, kept: Kept) =>
  ({
    insert: ({ merchantId, mode }, movements) =>
      sqlDefects(
        Effect.forEach(
          movements,
          (
            each
          ) => sql`insert into ${sql(kept.movements)} as m (id, merchant_id, mode, payment_id, trade_no, type, amount,
                fee,
                currency, source_amount, source_currency, created_at)
              values (${each.id}, ${merchantId}, ${mode}, ${each.paymentId}, ${each.tradeNo}, ${each.type},
                ${each.amount}, ${each.fee}, ${each.currency}, ${each.exchanged?.amount ?? null}::bigint,
                ${each.exchanged?.currency ?? null}::text, ${at(sql, each.createdAt)})
              on conflict (id) do update set source_amount = excluded.source_amount,
                source_currency = excluded.source_currency
              where m.source_currency is null and excluded.source_currency is not null`,
          { discard: true }
        )
      ),
    unchecked: (account, until, limit) =>
      decodeRows(sql`select payment_id, max(trade_no) as trade_no from ${sql(kept.movements)} m
          where ${own(sql, account)} and checked_at is null and not exists (select 1 from ${sql(kept.movements)} n
            where n.payment_id = m.payment_id and n.merchant_id = m.merchant_id and n.mode = m.mode
              and n.created_at > ${at(sql, until)})
          group by payment_id limit ${limit}`),
    missing: (account, from, to, limit) =>
      decodeRows(sql`select payment_id, trade_no from (
            select * from orders where ${own(sql, account)} and hold is null
              and trade_no >= ${firstNo(account, from)} and trade_no < ${firstNo(account, to)}
            union all select * from orders where ${own(sql, account)} and hold is not null
              and trade_no >= ${firstNo(account, DateTime.subtract(from, longestHold))}
              and paid_at >= ${at(sql, from)} and paid_at < ${at(sql, to)}
          ) o where channel = ${kept.channel} and payment_id is not null
            and not exists (select 1 from ${sql(kept.movements)} m
              where m.payment_id = o.payment_id and m.merchant_id = o.merchant_id and m.mode = o.mode)
          limit ${limit}`),
    compare: (account, payments) =>
      sqlDefects(Effect.flatMap(compareStatement(sql, kept, account, payments), decodeCompared)),
    checked: (account, paymentIds, now) =>
      sqlDefects(
        Effect.asVoid(sql`update ${sql(kept.movements)} set checked_at = ${at(sql, now)}
            where ${own(sql, account)} and payment_id = any(${paymentIds}::text[]) and checked_at is null`)
      )
  }) satisfies Partial<Books>

const makeDifferences = (sql: SqlClient.SqlClient, ids: NewIds["Service"], { channel }: Kept) => {
  const pages = Pages.make(sql, {
    table: { name: "reconciliation", key: "id", row: Difference, read: (row) => row },
    prefixOf: () => prefix,
    called: "a difference"
  })
  const numbered = numbersInOrder.make(sql, ids, { table: "reconciliation", key: "id", prefix })
  return {
    note: ({ merchantId, mode }, compared, now) => {
      const write = (id: string) => sql<{
        readonly fresh: boolean
      }>`insert into reconciliation (id, channel, merchant_id, mode, payment_id, trade_no,
            currency, ours, theirs, created_at, seen_at)
          values (${id}, ${channel}, ${merchantId}, ${mode}, ${compared.payment_id}, ${compared.trade_no},
            ${compared.currency},
            ${compared.ours}, ${compared.theirs}, ${at(sql, createdAtOf(id))}, ${at(sql, now)})
          on conflict (merchant_id, mode, payment_id) where agreed_at is null do update
            set ours = excluded.ours, theirs = excluded.theirs, seen_at = excluded.seen_at
          returning id = ${id} as fresh`
      return sqlDefects(Effect.map(numbered(write), ([row]) => row!.fresh))
    },
    agree: (account, paymentIds, now) =>
      sqlDefects(
        Effect.asVoid(sql`update reconciliation set agreed_at = ${at(sql, now)}
            where ${own(sql, account)} and payment_id = any(${paymentIds}::text[]) and agreed_at is null`)
      ),
    openPayments: (account, limit) =>
      decodeRows(sql`select payment_id, trade_no from reconciliation
          where ${own(sql, account)} and agreed_at is null and channel = ${channel} limit ${limit}`),
    openCounts: sqlDefects(
      Effect.map(
        sql`select mode, count(*)::int4 as count from reconciliation where agreed_at is null group by mode`,
        (rows) =>
          new Map((rows as unknown as ReadonlyArray<ModeCount>).map(({ count, mode }) => [mode, count] as const))
      )
    ),
    page: (request, { merchant_id, open }) =>
      pages.page("installation", request, {
        filters: [
          ...(merchant_id === undefined
            ? []
            : [isStorable(merchant_id) ? sql`merchant_id = ${merchant_id}` : sql`false`]),
          ...(open === undefined ? [] : [open ? sql`agreed_at is null` : sql`agreed_at is not null`])
        ]
      })
  } satisfies Partial<Books>
}

/** The amount that a dispute has taken of an unapplied payment. */
const takenBack = (sql: SqlClient.SqlClient) => sql`coalesce((s->'dispute'->>'taken')::bigint, 0)`

/** Taken back by a return; a dispute may take more (`@coffer/rules/order/unapplied`). */
const wentBack = (sql: SqlClient.SqlClient) => sql`s->'problem' is null and (s->>'wasReturned' = 'true'
  or (s->>'state' = 'returned' and ${takenBack(sql)} = 0))`

/** How long before its capture an order may have been made: no card is held for longer. */
const longestHold = { days: 40 }

/** Numbers of orders begin with the time at which they were made. */
const firstNo = ({ mode }: Account, time: DateTime.Utc) =>
  prefixes.tradeNo[mode] + firstIdBody(DateTime.toEpochMillis(time))

/** The currency of our side. */
const ownCurrency = (sql: SqlClient.SqlClient) => sql`case when o.payment_id = a.payment_id then o.currency
  else coalesce((select s->>'currency' from jsonb_array_elements(o.unapplied_payments) s
    where s->>'paymentId' = a.payment_id limit 1), o.currency) end`

/**
 * Our side: the paid amount, less refunds that are done or pending, and less what disputes have taken. An inquiry takes
 * nothing. An unapplied payment counts until it has gone back, by a return that reached the buyer or by a
 * dispute. The acquirer's side: in our
 * currency, before its exchange.
 */
const compareStatement = (
  sql: SqlClient.SqlClient,
  { isCompared, movements }: Kept,
  { merchantId, mode }: Account,
  payments: ReadonlyArray<Named>
) => {
  const undecided = sql`exists (select 1 from disputes d where d.merchant_id = ${merchantId} and d.mode = ${mode}
    and d.trade_no = order_no and d.status in ('needs_response', 'under_review'))`
  const own = sql`merchant_id = ${merchantId} and mode = ${mode}`
  return sql`with wanted as (
      select * from unnest(${payments.map(({ payment_id }) => payment_id)}::text[],
        ${payments.map(({ trade_no }) => trade_no ?? "")}::text[]) as wanted (payment_id, trade_no)),
    found as (
      select a.payment_id, o.trade_no as order_no, ${sql.literal(amountPaid)} as paid,
        o.payment_id = a.payment_id as is_orders,
        o.unapplied_payments, lower(${ownCurrency(sql)}) as own_currency
      from wanted a left join orders o on o.trade_no = a.trade_no
        and o.merchant_id = ${merchantId} and o.mode = ${mode})
    select payment_id, order_no as trade_no, upper(coalesce(own_currency, theirs.currency)) as currency,
      coalesce(theirs.amount, 0)::bigint as theirs, coalesce(theirs.is_same, true) as is_same_currency,
      greatest(theirs.moved_at,
        (select max(r.updated_at) from refunds r where is_orders and ${own} and r.trade_no = order_no),
        (select max(d.updated_at) from disputes d where is_orders and ${own} and d.trade_no = order_no)) as moved_at,
      (case when is_orders then paid
        - coalesce((select sum(r.amount) from refunds r where ${own} and r.trade_no = order_no
            and r.status in ('reserved', 'pending', 'succeeded')), 0)
        - coalesce((select sum(d.amount) from disputes d where ${own} and d.trade_no = order_no
            and d.status in ('needs_response', 'under_review', 'lost') and d.processor_status not like 'warning%'), 0)
      else coalesce((select sum(case when ${wentBack(sql)} then 0 else (s->>'amount')::bigint end - ${takenBack(sql)})
          from jsonb_array_elements(unapplied_payments) s
          where s->>'paymentId' = found.payment_id), 0) end)::bigint as ours
    from found cross join lateral (
      select max(m.currency) as currency, max(m.created_at) as moved_at,
        sum(case when m.source_currency = own_currency then m.source_amount else m.amount end) as amount,
        bool_and(own_currency is null or own_currency = m.currency
          or own_currency = coalesce(m.source_currency, m.currency)) as is_same
      from ${sql(movements)} m where m.payment_id = found.payment_id and ${own}) as theirs
    where ${isCompared === "always" ? sql`true` : sql`not ${undecided}`}`
}

const decodeFees = Schema.decodeUnknownEffect(Schema.Array(ChannelFee))

/** The acquirer's, from its movements (silences: S11). */
export const channelFees = (
  sql: SqlClient.SqlClient,
  { movements }: Pick<Kept, "movements">,
  payments: ReadonlyArray<OwnedPayment>
): Effect.Effect<FeeOf> => {
  if (payments.length === 0) return Effect.succeed(() => undefined)
  const wanted = sql`unnest(${payments.map(({ merchantId }) => merchantId)}::text[],
    ${payments.map(({ mode }) => mode)}::text[], ${payments.map(({ paymentId }) => paymentId)}::text[])
    as wanted (merchant_id, mode, payment_id)`
  const rows = sql`select merchant_id, mode, payment_id, sum(fee)::bigint as fee, upper(max(currency)) as currency
    from ${sql(movements)} join ${wanted} using (merchant_id, mode, payment_id) group by merchant_id, mode, payment_id`
  return Effect.map(sqlDefects(Effect.flatMap(rows, decodeFees)), (fees) => {
    const known = new Map(fees.map((each) => [`${each.merchant_id}/${each.mode}/${each.payment_id}`, each]))
    return ({ merchantId, mode, paymentId }) => known.get(`${merchantId}/${mode}/${paymentId}`)
  })
}
