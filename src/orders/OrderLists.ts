/**
 * Front door to orders as lists and exports show them, and the SQL of their filters (spec: Endpoints, Orders; List
 * conventions). Decides nothing and writes nothing.
 */
import type { OrderQuery } from "@coffer/contract/Orders"
import { prefixes } from "@coffer/model/Ids"
import type { InvalidField } from "@coffer/rules/InvalidField"
import { readCreated } from "@coffer/rules/lists/created"
import { type Page, readPageRequest } from "@coffer/rules/lists/pageRequest"
import type { Order } from "@coffer/rules/order/Order"
import { Context, Effect, Layer, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { dieIfBroken } from "../ground/broken.ts"
import { jsonText } from "../ground/codecs.ts"
import * as Pages from "../ground/Pages.ts"
import { OrderRow, orderOf } from "./OrderStore.ts"

export class OrderLists extends Context.Service<
  OrderLists,
  {
    readonly page: (owner: Pages.Owner, query: OrderQuery) => Effect.Effect<Page<Order>, InvalidField>
    /** Takes no notice of `limit` and cursors. */
    readonly exported: (owner: Pages.Owner, query: OrderQuery) => Effect.Effect<Pages.Exported<Order>, InvalidField>
  }
>()("@coffer/orders/OrderLists") {}

export const layer = Layer.effect(
  OrderLists,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const pages = Pages.make(sql, {
      table: "orders",
      id: "trade_no",
      prefixOf: (mode) => prefixes.tradeNo[mode],
      row: OrderRow,
      idOf: ({ trade_no }) => trade_no,
      called: "an order"
    })

    const tagged = ({ merchantId, mode }: Pages.Owner, { key, value }: Pair) =>
      sql`order_tags.tag = order_tag(${merchantId}, ${mode}, ${key}, ${value})`

    /**
     * The pair by which to look, when any is: the one that the fewest orders have, as far as a short count can tell.
     * Undefined when the orders of the status are fewer still.
     */
    const narrowest = Effect.fnUntraced(function* (owner: Pages.Owner, pairs: ReadonlyArray<Pair>, query: OrderQuery) {
      const few = (where: ReturnType<typeof tagged>, table: string) =>
        sql`(select count(*)::int4 from (select from ${sql(table)} where ${where} limit ${countMax}) as few)`
      if (pairs.length === 1 && query.status === undefined) return pairs[0]
      const counts = [
        ...pairs.slice(0, candidatesMax).map((pair) => few(tagged(owner, pair), "order_tags")),
        ...(query.status === undefined
          ? []
          : [
              few(
                sql`merchant_id = ${owner.merchantId} and mode = ${owner.mode} and status = ${query.status}`,
                "orders"
              )
            ])
      ]
      const [{ found }] = yield* decodeCounts(yield* sql`select array[${sql.csv(counts)}] as found`)
      const least = found.indexOf(Math.min(...found))
      return query.status !== undefined && least === counts.length - 1 ? undefined : pairs[least]
    }, dieIfBroken)

    const search = Effect.fnUntraced(function* (owner: Pages.Owner, query: OrderQuery) {
      const { out_trade_no, status } = query
      const pairs = pairsOf(query)
      const impossible = hasContradiction(pairs) || !pairs.every(isStorablePair)
      const filters = [
        ...(status === undefined ? [] : [sql`status = ${status}`]),
        ...(out_trade_no === undefined ? [] : [Pages.equals(sql, "out_trade_no", out_trade_no)])
      ]
      if (impossible) return { filters: [sql`false`] }
      if (pairs.length === 0) return { filters }
      const wanted = jsonText(Object.fromEntries(pairs.map(({ key, value }) => [key, value])))
      const matching = [...filters, sql`metadata @> ${wanted}::text::jsonb`]
      // At most one order has the number; then there is nothing to walk through.
      const pair = out_trade_no === undefined ? yield* narrowest(owner, pairs, query) : undefined
      return pair === undefined
        ? { filters: matching }
        : { filters: matching, through: { table: "order_tags", where: tagged(owner, pair) } }
    })

    return OrderLists.of({
      page: Effect.fn("OrderLists.page")(function* (owner, query) {
        const request = yield* Effect.fromResult(readPageRequest(query))
        const { data, hasMore } = yield* pages.page(owner, request, yield* search(owner, query))
        return { data: data.map(orderOf), hasMore }
      }),
      exported: Effect.fn("OrderLists.exported")(function* (owner, query) {
        const created = yield* Effect.fromResult(readCreated(query))
        const { chunks, truncated } = yield* pages.exported(owner, created, yield* search(owner, query))
        return { truncated, chunks: Stream.map(chunks, (rows) => rows.map(orderOf)) }
      })
    })
  })
)

/** Beyond it one filter is as wide as another. */
const countMax = 1_000
/** Pairs of one request that are counted. */
const candidatesMax = 10

const decodeCounts = Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ found: Schema.Array(Schema.Int) })]))

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

/** No order has two values under one key. */
const hasContradiction = (pairs: ReadonlyArray<Pair>) => new Set(pairs.map(({ key }) => key)).size < pairs.length

const isStorablePair = ({ key, value }: Pair) => Pages.isStorable(key) && Pages.isStorable(value)
