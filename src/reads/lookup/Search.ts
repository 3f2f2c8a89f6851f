/**
 * Finds the objects that have a number: ours, a merchant's own, or the channel's. It reads the rows of all rooms, each
 * by an index that begins with the number, and writes nothing. Its time does not grow with the merchants.
 */
import { type FoundKind, foundKinds } from "@coffer/contract/foundKinds"
import { foundMax, type SearchQuery } from "@coffer/contract/Lookup"
import { Mode, prefixes } from "@coffer/model/Ids"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { Channel, type RegisteredChannel } from "../../shared/channel/Channel.ts"
import { isStorable } from "../../platform/postgres/scans.ts"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { span } from "../../platform/runtime/span.ts"

const Found = Schema.Struct({
  kind: Schema.Literals(foundKinds),
  id: Schema.String,
  merchant_id: Schema.String,
  mode: Schema.NullOr(Mode),
  field: Schema.String
})
export type Found = typeof Found.Type

export class Search extends Context.Service<
  Search,
  {
    /** At most one more than {@link foundMax}. */
    readonly find: (query: SearchQuery) => Effect.Effect<ReadonlyArray<Found>>
  }
>()("@coffer/lookup/Search") {}

/** A unique column. The prefix says which table can have the number, so the others are not queried. */
interface Unique {
  readonly kind: FoundKind
  readonly table: string
  readonly id: string
  readonly prefix: string
}

const uniques: ReadonlyArray<Unique> = [
  { kind: "order", table: "orders", id: "trade_no", prefix: prefixes.tradeNo.live },
  { kind: "refund", table: "refunds", id: "refund_no", prefix: prefixes.refund },
  { kind: "dispute", table: "disputes", id: "dispute_no", prefix: prefixes.dispute },
  { kind: "payment_link", table: "payment_links", id: "link_id", prefix: prefixes.link },
  { kind: "payout", table: "payouts", id: "payout_no", prefix: prefixes.payout },
  { kind: "balance_transaction", table: "ledger", id: "id", prefix: prefixes.ledger },
  { kind: "event", table: "events", id: "id", prefix: prefixes.event },
  { kind: "webhook_delivery", table: "deliveries", id: "id", prefix: prefixes.delivery }
]

/** A column that is unique within an account. */
interface Own {
  readonly kind: FoundKind
  readonly table: string
  readonly id: string
  readonly field: string
  /** The condition of a partial index. */
  readonly among?: string
}

const owns: ReadonlyArray<Own> = [
  { kind: "order", table: "orders", id: "trade_no", field: "out_trade_no" },
  { kind: "refund", table: "refunds", id: "refund_no", field: "out_refund_no", among: "status <> 'void'" },
  { kind: "dispute", table: "disputes", id: "dispute_no", field: "processor_dispute_id" },
  { kind: "payout", table: "payouts", id: "payout_no", field: "reference", among: "reference is not null" },
  { kind: "api_log", table: "api_logs", id: "request_id", field: "request_id" }
]

export const layer = Layer.effect(
  Search,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const channel = yield* Channel
    return Search.of({
      find: span("Search.find")(function* ({ merchant_id: merchantId, number }) {
        if (!isStorable(number) || (merchantId !== undefined && !isStorable(merchantId))) return []
        const whose = merchantId === undefined ? sql`true` : sql`merchant_id = ${merchantId}`
        const scans = [
          ...uniques
            .filter(({ prefix }) => number.startsWith(prefix))
            .map((one) => uniqueScan(sql, one, number, whose)),
          ...owns.filter((one) => canBe(one, number)).map((one) => ownScan(sql, one, number, whose)),
          ...others(sql, channel.all(), number, whose)
        ]
        const found = yield* decode(
          yield* sql`${sql.join(" union all ", false)(scans.map((one) => sql`(${one} limit ${foundMax + 1})`))}`
        )
        // An order without a number of the merchant's has its own number in both fields.
        return [...new Map(found.toReversed().map((one) => [one.id, one])).values()].toReversed()
      }, sqlDefects)
    })
  })
)

const decode = Schema.decodeUnknownEffect(Schema.Array(Found))

/** A call is found only by its own number, and a merchant's number never looks like one. */
const canBe = ({ field }: Own, number: string) => field !== "request_id" || number.startsWith(prefixes.request)

type Fragment = Statement.Fragment

const columns = (sql: SqlClient.SqlClient, kind: FoundKind, id: Fragment, field: string) =>
  sql`${kind}::text as kind, ${id} as id, merchant_id, mode, ${field}::text as field`

const uniqueScan = (sql: SqlClient.SqlClient, { id, kind, table }: Unique, number: string, whose: Fragment) =>
  sql`select ${columns(sql, kind, sql`${sql(id)}`, id)} from ${sql(table)} where ${sql(id)} = ${number} and ${whose}`

const ownScan = (
  sql: SqlClient.SqlClient,
  { among = "true", field, id, kind, table }: Own,
  number: string,
  whose: Fragment
) =>
  sql`select ${columns(sql, kind, sql`${sql(id)}`, field)} from ${sql(table)}
    where ${sql(field)} = ${number} and ${sql.literal(among)} and ${whose}`

/** Numbers of each kind of object, and those that a channel gave to its payments. */
const others = (
  sql: SqlClient.SqlClient,
  channels: ReadonlyArray<RegisteredChannel>,
  number: string,
  whose: Fragment
): ReadonlyArray<Fragment> => {
  if (number.startsWith(prefixes.merchant)) {
    return [
      sql`select 'merchant'::text as kind, merchant_id as id, merchant_id, null::text as mode,
          'merchant_id'::text as field
        from merchants where merchant_id = ${number} and ${whose}`
    ]
  }
  if (number.startsWith(prefixes.endpoint)) {
    // Settings are one row for each account.
    const wanted = sql`endpoints @> jsonb_build_array(jsonb_build_object('id', ${number}::text))`
    return [
      sql`select ${columns(sql, "webhook_endpoint", sql`${number}::text`, "id")} from webhook_settings
        where ${wanted} and ${whose}`
    ]
  }
  // A channel without a condition of its own has its payments in the index `orders_channel_payment`.
  return channels
    .filter(({ paymentNumbers: { pattern, prefix } }) => number.startsWith(prefix) && pattern?.test(number) !== false)
    .map(({ paymentNumbers: { among } }) => {
      const isIndexed = among?.(sql, number) ?? sql`channel <> 'sandbox' and payment_id is not null`
      return sql`select ${columns(sql, "order", sql`trade_no`, "payment_id")} from orders
        where payment_id = ${number} and ${isIndexed} and ${whose}`
    })
}
