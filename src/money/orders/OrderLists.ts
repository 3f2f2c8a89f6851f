/**
 * Front door to orders as lists and exports show them, and the SQL of their filters (spec: Endpoints, Orders; List
 * conventions). Decides nothing and writes nothing.
 */
import { isoText } from "@coffer/model/isoText"
import type { OrderQuery } from "@coffer/contract/Orders"
import { prefixes } from "@coffer/model/Ids"
import { metadataKeyLengthMax } from "@coffer/model/Limits"
import type { Account } from "@coffer/model/Account"
import { isOneLine } from "@coffer/model/Text"
import { InvalidField } from "@coffer/rules/InvalidField"
import { type CreatedRange, idsCreated, readCreated, readPaid } from "@coffer/rules/lists/created"
import { type Page, readPageRequest } from "@coffer/rules/lists/pageRequest"
import type { Order } from "@coffer/rules/order/Order"
import { foldText } from "@coffer/rules/spelling"
import { addressSpellings } from "@coffer/rules/wholeAddress"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { sqlDefects } from "../../platform/postgres/sqlDefect.ts"
import { isAddress } from "../../platform/postgres/addresses.ts"
import { jsonText } from "../../platform/runtime/codecs.ts"
import { ListHorizon } from "../../platform/postgres/ListHorizon.ts"
import {
  amountKey,
  amountKeyOf,
  paidLate,
  paidWithin,
  valueKey,
  valueKeyOf
} from "../../platform/postgres/orderKeys.ts"
import * as Pages from "../../platform/postgres/Pages.ts"
import { along, equals, isStorable, type Path } from "../../platform/postgres/scans.ts"
import { span } from "../../platform/runtime/span.ts"
import { orders } from "./OrderStore.ts"

export class OrderLists extends Context.Service<
  OrderLists,
  {
    readonly page: (account: Account, query: OrderQuery) => Effect.Effect<Page<Order>, InvalidField>
    /** Ignores `limit` and cursors. */
    readonly exported: (account: Account, query: OrderQuery) => Effect.Effect<Pages.Exported<Order>, InvalidField>
  }
>()("@coffer/orders/OrderLists") {}

/** Orders with a hold have an index of their own, and two statuses that no column has (`statusOf`). */
const ofHolds = ["authorized", "canceled"]
const isOfStatus = (sql: SqlClient.SqlClient, status: string) => {
  const isHeld = sql`hold -> 'payment' is not null`
  const isCanceled = sql`coalesce(hold ->> 'released', '') = 'canceled'`
  switch (status) {
    case "authorized":
      return sql`status = 'pending' and ${isHeld}`
    case "canceled":
      return sql`status = 'expired' and ${isCanceled}`
    case "pending":
      return sql`status = 'pending' and not (${isHeld})`
    case "expired":
      return sql`status = 'expired' and not (${isCanceled})`
    default:
      return equals(sql, "status", status)
  }
}

/** The partial index of a nullable column has only the orders with a value. */
const pathBy = (sql: SqlClient.SqlClient, account: Account, column: string, value: string): Path => {
  if (column === "status" && ofHolds.includes(value)) return { ...along({}), needs: [sql`hold is not null`] }
  const needs = column === "status" ? [] : [sql`${sql(column)} is not null`]
  if (column === "receipt_email") {
    const key = valueKey("lower(receipt_email)")
    return { _tag: "ByKey", key: sql.literal(key), value: valueKeyOf(sql, account, foldText(value)), needs }
  }
  return column === "status" || column === "payment_method"
    ? { _tag: "ByKey", key: sql.literal(valueKey(column)), value: valueKeyOf(sql, account, value), needs }
    : { ...along({ [column]: value }), needs }
}

/** An address is compared in lower case (packages/rules/src/wholeAddress.ts). */
const isValue = (sql: SqlClient.SqlClient, column: string, value: string) => {
  if (column === "status") return isOfStatus(sql, value)
  return column === "receipt_email" ? isAddress(sql, sql`receipt_email`, value) : equals(sql, column, value)
}

/** An address with two spellings is looked for in all orders. */
const hasPath = ([column, value]: readonly [string, string]) =>
  column !== "receipt_email" || addressSpellings(value).length === 1

export const layer = Layer.effect(
  OrderLists,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const pages = Pages.make(
      sql,
      {
        table: orders,
        prefixOf: (mode) => prefixes.tradeNo[mode],
        called: "an order",
        dropped: ["sandbox_orders"]
      },
      yield* ListHorizon
    )

    const tagged = ({ merchantId, mode }: Account, { key, value }: Pair): Path => ({
      _tag: "Through",
      table: "order_tags",
      key: "tag",
      value: sql`order_tag(${merchantId}, ${mode}, ${key}, ${value})`
    })

    /**
     * Numbers of orders with such an amount: all of them if they are few. Orders of other accounts may be among them.
     * The planner does not see the limit, so that it does not read the whole range and sort it.
     */
    const ofAmounts = (account: Account, { from, to }: Amounts) => {
      const key = sql.literal(amountKey)
      const [first, last] = [amountKeyOf(sql, account, from), amountKeyOf(sql, account, to)]
      return sql`select trade_no from orders where ${key} >= (select ${first}) and ${key} <= (select ${last})
        order by ${key} limit (select ${fewMax}::bigint)`
    }
    const areFew = Effect.fnUntraced(function* (account: Account, amounts: Amounts) {
      const found = yield* sqlDefects(ofAmounts(account, amounts))
      return found.length < fewMax
    })

    const paidIn = makePaidIn(sql)
    const search = Effect.fnUntraced(function* (account: Account, query: OrderQuery) {
      const { out_trade_no, payment_method, receipt_email, status } = query
      const pairs = pairsOf(query)
      // No order can have this value: a misspelt filter must not look like a filter that finds nothing (silences: P13).
      const odd = pairs.find(({ key }) => !isOneLine(key, 1, metadataKeyLengthMax))
      if (odd !== undefined) {
        const problem = `a key must have 1 to ${metadataKeyLengthMax} characters on one line`
        return yield* new InvalidField({ param: `metadata[${odd.key}]`, problem })
      }
      if (hasContradiction(pairs) || !pairs.every(isStorablePair)) return { filters: [sql`false`] }
      const wanted = jsonText(Object.fromEntries(pairs.map(({ key, value }) => [key, value])))
      const matching = pairs.length === 0 ? [] : [sql`metadata @> ${wanted}::text::jsonb`]
      const columns = Object.entries({ status, receipt_email, payment_method }).flatMap(([column, value]) =>
        value === undefined ? [] : [[column, value] as const]
      )
      if (!columns.every(([, value]) => isStorable(value))) return { filters: [sql`false`] }
      const amounts = amountsOf(query)
      const paid = yield* paidIn(account, yield* Effect.fromResult(readPaid(query)))
      const ids = paid.ids === undefined ? {} : { ids: paid.ids }
      const filters = [
        ...columns.map(([column, value]) => isValue(sql, column, value)),
        ...(amounts === undefined ? [] : [sql`amount between ${amounts.from}::bigint and ${amounts.to}::bigint`]),
        ...matching,
        ...paid.filters
      ]
      // A unique key: there is one or none.
      if (out_trade_no !== undefined) return { filters: [equals(sql, "out_trade_no", out_trade_no), ...filters] }
      if (amounts !== undefined && (yield* areFew(account, amounts))) {
        return { filters: [sql`trade_no = any(array(${ofAmounts(account, amounts)}))`, ...filters] }
      }
      const shortest = yield* pages.shortest(account, [
        ...columns.filter(hasPath).map(([column, value]) => ({ path: pathBy(sql, account, column, value), filters })),
        ...pairs.slice(0, tagsMax).map((pair) => ({ path: tagged(account, pair), filters }))
      ])
      return { ...shortest, ...ids, filters }
    })

    return OrderLists.of({
      page: span("OrderLists.page")(function* (account, query) {
        const request = yield* Effect.fromResult(readPageRequest(query))
        return yield* pages.page(account, request, yield* search(account, query))
      }),
      exported: span("OrderLists.exported")(function* (account, query) {
        const created = yield* Effect.fromResult(readCreated(query))
        return yield* pages.exported(account, created, yield* search(account, query))
      })
    })
  })
)

/**
 * An order is paid within a day of its creation, so the range of times is one of numbers and has no index of its
 * own. The few that were paid later have one: a channel may have been away when they ended.
 */
const makePaidIn = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (account: Account, { from, to }: CreatedRange) {
    if (from === undefined && to === undefined) return { filters: [], ids: undefined }
    const ids = idsCreated(prefixes.tradeNo[account.mode], {
      from: from === undefined ? undefined : DateTime.subtractDuration(from, paidWithin),
      to
    })
    const after = from === undefined ? [] : [sql`paid_at >= ${isoText(from)}::text::timestamptz`]
    const late = yield* sqlDefects(
      Effect.flatMap(
        // A range of rows, sorted as only the index of late payments is (platform/postgres/scans.ts).
        sql`select trade_no as first from orders where ${sql.literal(paidLate)}
          and (merchant_id, mode, trade_no) > ((select ${account.merchantId}), ${account.mode}, '')
          and (merchant_id, mode, trade_no) < ((select ${account.merchantId}), ${account.mode}, 'U')
          and ${sql.and([sql`true`, ...after])} order by merchant_id, mode, trade_no limit 1`,
        decodeFirst
      )
    )
    // An id sorts after each of its own prefixes.
    const above = late[0]?.first.slice(0, -1)
    return {
      filters: [...after, ...(to === undefined ? [] : [sql`paid_at <= ${isoText(to)}::text::timestamptz`])],
      ids: above === undefined || above > ids.above ? ids : { ...ids, above }
    }
  })

const decodeFirst = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ first: Schema.String })))

/** Orders that are read and sorted for a page by amounts. With more of them the list is read from the newest. */
const fewMax = 500

interface Amounts {
  readonly from: number
  readonly to: number
}

/** Greater than every amount, and exact. */
const amountMax = 10 ** 12

const amountsOf = (query: OrderQuery): Amounts | undefined => {
  const [from, to] = [query["amount[gte]"], query["amount[lte]"]]
  if (from === undefined && to === undefined) return undefined
  return { from: Math.min(Number(from ?? 0), amountMax), to: Math.min(Number(to ?? amountMax), amountMax) }
}

/** Pairs of one request that are considered for an index. */
const tagsMax = 10

interface Pair {
  readonly key: string
  readonly value: string
}

const pairPattern = /^metadata\[(.*)\]$/s

const pairsOf = (query: OrderQuery): ReadonlyArray<Pair> =>
  Object.entries(query).flatMap(([name, values]) => {
    const key = pairPattern.exec(name)?.[1]
    if (key === undefined || !Array.isArray(values)) return []
    return Array.from(new Set<string>(values), (value) => ({ key, value }))
  })

/** An order has one value for each key. */
const hasContradiction = (pairs: ReadonlyArray<Pair>) => new Set(pairs.map(({ key }) => key)).size < pairs.length

const isStorablePair = ({ key, value }: Pair) => isStorable(key) && isStorable(value)
