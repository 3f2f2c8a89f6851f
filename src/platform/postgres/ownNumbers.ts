/**
 * Numbers as merchants write them in filters: ours, or their own, as paths take them (silences: G25, P17). It reads the
 * tables of several rooms, since a row of the ledger or an event may be of any of these kinds.
 */
import type { Account } from "@coffer/model/Account"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { isStorable } from "./scans.ts"
import { sqlDefects } from "./sqlDefect.ts"

/** The table of each kind, with our number and the number given by others. */
const places = {
  order: { table: "orders", ours: "trade_no", own: "out_trade_no" },
  refund: { table: "refunds", ours: "refund_no", own: "out_refund_no", only: "status <> 'void'" },
  dispute: { table: "disputes", ours: "dispute_no", own: "processor_dispute_id" },
  payout: { table: "payouts", ours: "payout_no", own: "reference" }
} as const

export type Numbered = keyof typeof places

/**
 * Resolves a number to our numbers: the object with this number of ours, otherwise all with it as the merchant's own
 * (silences: O4). A number without a row stays as it is; one that no row can have is dropped.
 */
export type OursOf = (
  account: Account,
  kinds: ReadonlyArray<Numbered>,
  number: string
) => Effect.Effect<ReadonlyArray<string>>

export const makeOursOf = Effect.map(SqlClient.SqlClient, (sql): OursOf =>
  Effect.fnUntraced(function* ({ merchantId, mode }, kinds, number) {
    if (!isStorable(number)) return []
    const looks = kinds.flatMap((kind) => {
      const { only = "true", ours, own, table } = { only: undefined, ...places[kind] }
      return [ours, own].map(
        (column) => sql`select ${sql(ours)} as number, ${column === own} as is_own from ${sql(table)}
            where merchant_id = ${merchantId} and mode = ${mode} and ${sql(column)} = ${number}
              and ${sql.literal(only)}`
      )
    })
    const found = yield* decode(yield* sql`${sql.join(" union all ", false)(looks)}`)
    const exact = found.filter(({ is_own }) => !is_own)
    const numbers = (exact.length > 0 ? exact : found).map(({ number }) => number)
    return numbers.length > 0 ? numbers : [number]
  }, sqlDefects)
)

const decode = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ number: Schema.String, is_own: Schema.Boolean }))
)

// The order behind a row of the ledger ---------------------------------------------

const OrderBehind = Schema.Struct({ tradeNo: Schema.String, outTradeNo: Schema.String })
export type OrderBehind = typeof OrderBehind.Type

/** The orders that these numbers of orders, refunds and disputes belong to; a payout belongs to none. */
export type OrdersBehind = (references: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, OrderBehind>>

/** One statement by primary keys for all rows of a page. A number is of one kind, so it is in one of the tables. */
export const makeOrdersBehind = (sql: SqlClient.SqlClient): OrdersBehind =>
  Effect.fnUntraced(function* (references) {
    const numbers = [...new Set(references)]
    if (numbers.length === 0) return new Map()
    const found = yield* decodeOrders(
      yield* sql`select trade_no as reference, trade_no as "tradeNo", out_trade_no as "outTradeNo" from orders
          where trade_no = any(${numbers})
        union all select refund_no, trade_no, out_trade_no from refunds where refund_no = any(${numbers})
        union all select dispute_no, trade_no, out_trade_no from disputes where dispute_no = any(${numbers})`
    )
    return new Map(found.map(({ reference, ...order }) => [reference, order]))
  }, sqlDefects)

const decodeOrders = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ ...OrderBehind.fields, reference: Schema.String }))
)
