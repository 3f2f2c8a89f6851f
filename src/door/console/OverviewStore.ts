/**
 * Figures of days, counted along one index each: orders by their numbers, payments and refunds by the rows of the
 * ledger, which never change. Days that are over are kept in rows (docs/decisions/0097). Also reads disputes and
 * endpoints that need attention.
 */
import { overviewDisputesMax, overviewEndpointsMax } from "@coffer/contract/ConsoleMerchant"
import type { Account } from "@coffer/model/Account"
import { firstIdBody, prefixes } from "@coffer/model/Ids"
import { Currency } from "@coffer/model/Money"
import { dayAfter, type Day, startOf } from "@coffer/rules/reports/days"
import { Context, type DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { jsonText, TimeColumn } from "../../platform/runtime/codecs.ts"

const Figure = Schema.Struct({
  orders_created: Schema.Int,
  orders_paid: Schema.Int,
  volume: Schema.Int,
  refunds: Schema.Int,
  refunded: Schema.Int
})
export type Figure = typeof Figure.Type
/** Without currencies that have no figures. */
export type Figures = Readonly<Partial<Record<Currency, Figure>>>

const Hours = Schema.Array(
  Schema.Struct({ currency: Currency, hour: Schema.Int, orders_paid: Schema.Int, volume: Schema.Int })
)
export type Hours = typeof Hours.Type

const Kept = Schema.Array(Schema.Struct({ day: Schema.String, figures: Schema.Record(Schema.String, Figure) }))
const Counted = Schema.Array(
  Schema.Struct({ day: Schema.String, currency: Currency, type: Schema.String, count: Schema.Int, sum: Schema.Int })
)
const Disputes = Schema.Tuple([Schema.Struct({ count: Schema.Int, due: Schema.NullOr(TimeColumn) })])
const Failing = Schema.Array(
  Schema.Struct({ endpoint_id: Schema.String, failing_since: TimeColumn, reason: Schema.String })
)
export type Failing = (typeof Failing.Type)[number]

export interface Days {
  readonly account: Account
  readonly zone: DateTime.TimeZone.Named
}

export class OverviewStore extends Context.Service<
  OverviewStore,
  {
    readonly kept: (days: Days, from: Day) => Effect.Effect<ReadonlyMap<Day, Figures>>
    /** Counts these whole days. */
    readonly count: (days: Days, all: ReadonlyArray<Day>) => Effect.Effect<ReadonlyMap<Day, Figures>>
    /** The payments of a day by its hours, without hours that have none. */
    readonly hours: (days: Days, day: Day) => Effect.Effect<Hours>
    /** Keeps days that are over, and drops those before `from` and those of another time zone. */
    readonly keep: (days: Days, from: Day, counted: ReadonlyMap<Day, Figures>) => Effect.Effect<void>
    /** Disputes that wait for evidence, and the nearest deadline. */
    readonly disputes: (account: Account) => Effect.Effect<(typeof Disputes.Type)[0]>
    /** The endpoints, of these, that fail now. */
    readonly failing: (endpointIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Failing>>
  }
>()("@coffer/console/OverviewStore") {}

const decodeHours = Schema.decodeUnknownEffect(Hours)
const decodeKept = Schema.decodeUnknownEffect(Kept)
const decodeCounted = Schema.decodeUnknownEffect(Counted)
const decodeDisputes = Schema.decodeUnknownEffect(Disputes)
const decodeFailing = Schema.decodeUnknownEffect(Failing)

const nothing: Figure = { orders_created: 0, orders_paid: 0, volume: 0, refunds: 0, refunded: 0 }

export const layer = Layer.effect(
  OverviewStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    return OverviewStore.of({
      kept: ({ account: { merchantId, mode }, zone }, from) =>
        sqlDefects(
          Effect.map(
            Effect.flatMap(
              sql`select day::text as day, figures from overview_days
                where merchant_id = ${merchantId} and mode = ${mode}
                  and time_zone = ${zone.id} and day >= ${from}::text::date`,
              decodeKept
            ),
            (rows) => new Map(rows.map(({ day, figures }) => [day, figures as Figures]))
          )
        ),
      count: ({ account, zone }, all) =>
        sqlDefects(
          Effect.gen(function* () {
            const counted = new Map<Day, Figures>(all.map((day) => [day, {}]))
            const rows = yield* Effect.flatMap(countOf(sql, account, zone, all), decodeCounted)
            for (const { count, currency, day, sum, type } of rows) {
              const figures = counted.get(day) ?? {}
              const before = figures[currency] ?? nothing
              counted.set(day, { ...figures, [currency]: { ...before, ...figureOf(type, count, sum) } })
            }
            return counted
          })
        ),
      hours: ({ account, zone }, day) => sqlDefects(Effect.flatMap(hoursOf(sql, account, zone, day), decodeHours)),
      keep: ({ account: { merchantId, mode }, zone }, from, counted) =>
        counted.size === 0
          ? Effect.void
          : sqlDefects(
              Effect.gen(function* () {
                const figures = [...counted.values()].map(jsonText)
                yield* sql`insert into overview_days (merchant_id, mode, time_zone, day, figures)
                  select ${merchantId}, ${mode}, ${zone.id}, day::date, figures::jsonb
                  from unnest(${[...counted.keys()]}::text[], ${figures}::text[]) as counted (day, figures)
                  on conflict do nothing`
                yield* sql`delete from overview_days where merchant_id = ${merchantId} and mode = ${mode}
                  and (time_zone <> ${zone.id} or day < ${from}::text::date)`
              })
            ),
      disputes: ({ merchantId, mode }) =>
        sqlDefects(
          Effect.map(
            Effect.flatMap(
              sql`select count(*)::int4 as count, min(evidence_due_by) as due from (
                select evidence_due_by from disputes
                where merchant_id = ${merchantId} and mode = ${mode} and status = 'needs_response'
                order by dispute_no limit ${overviewDisputesMax}) as waiting`,
              decodeDisputes
            ),
            ([row]) => row
          )
        ),
      failing: (endpointIds) =>
        sqlDefects(
          Effect.flatMap(
            sql`select endpoint_id, failing_since, reason from endpoint_health
              where endpoint_id = any(${[...endpointIds]}::text[]) and well_since is null
              order by failing_since limit ${overviewEndpointsMax}`,
            decodeFailing
          )
        )
    })
  })
)

/** One scan for each currency, as {@link countOf} has for a day. */
const hoursOf = (sql: SqlClient.SqlClient, { merchantId, mode }: Account, zone: DateTime.TimeZone.Named, day: Day) => {
  const [above, below] = [day, dayAfter(day)].map((each) => prefixes.ledger + firstIdBody(startOf(each, zone)))
  return sql`select kinds.currency, hour, count(*)::int4 as orders_paid, sum(amount)::bigint as volume
    from unnest(${[...Currency.literals]}::text[]) as kinds (currency)
    cross join lateral (
      select amount, extract(hour from created_at at time zone ${zone.id})::int4 as hour from ledger
      where (merchant_id, mode, currency, type, id)
          >= ((select ${merchantId}), ${mode}, kinds.currency, 'payment_credit', ${above})
        and (merchant_id, mode, currency, type, id)
          < ((select ${merchantId}), ${mode}, kinds.currency, 'payment_credit', ${below})
      order by merchant_id, mode, currency, type, id limit (select ${"1000000000"}::bigint)) as own
    group by kinds.currency, hour order by hour`
}

const figureOf = (type: string, count: number, sum: number): Partial<Figure> => {
  if (type === "created") return { orders_created: count }
  return type === "payment_credit" ? { orders_paid: count, volume: sum } : { refunds: count, refunded: -sum }
}

/**
 * One scan for each day, and of the ledger for each currency and type. Each range of rows is read by one index
 * (`platform/postgres/scans.ts` explains the form of these statements).
 */
const countOf = (
  sql: SqlClient.SqlClient,
  { merchantId, mode }: Account,
  zone: DateTime.TimeZone.Named,
  all: ReadonlyArray<Day>
) => {
  const bodies = (of: (day: Day) => Day) => all.map((day) => firstIdBody(startOf(of(day), zone)))
  const days = sql`unnest(${[...all]}::text[], ${bodies((day) => day)}::text[], ${bodies(dayAfter)}::text[])
    as days (day, above, below)`
  const orders = prefixes.tradeNo[mode]
  const { ledger } = prefixes
  // The hidden limit makes the planner use the index; otherwise it may scan the whole table for one day.
  const everyRow = sql`(select ${"1000000000"}::bigint)`
  return sql`select day, currency, 'created' as type, count, 0::bigint as sum from ${days} cross join lateral (
      select currency, count(*)::int4 as count from (
        select currency from orders
        where (merchant_id, mode, trade_no) >= ((select ${merchantId}), ${mode}, ${orders} || above)
          and (merchant_id, mode, trade_no) < ((select ${merchantId}), ${mode}, ${orders} || below)
        order by merchant_id, mode, trade_no limit ${everyRow}) as own
      group by currency) as created
    union all
    select day, kinds.currency, kinds.type, count, sum from ${days}
      cross join (select currency, type from unnest(${[...Currency.literals]}::text[]) as currency
        cross join unnest(array['payment_credit', 'refund_debit']) as type) as kinds
      cross join lateral (
        select count(*)::int4 as count, sum(amount)::bigint as sum from (
          select amount from ledger
          where (merchant_id, mode, currency, type, id)
              >= ((select ${merchantId}), ${mode}, kinds.currency, kinds.type, ${ledger} || above)
            and (merchant_id, mode, currency, type, id)
              < ((select ${merchantId}), ${mode}, kinds.currency, kinds.type, ${ledger} || below)
          order by merchant_id, mode, currency, type, id limit ${everyRow}) as own) as moved
    where count > 0`
}
