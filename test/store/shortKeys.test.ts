/** Two accounts whose orders have the same short keys (docs/decisions/0024): each list has its own account's orders. */
import { MerchantId } from "@coffer/model/Ids"
import { assert, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { OrderLists } from "../../src/money/orders/OrderLists.ts"
import { insertOrders } from "../kit/rows/Rows.ts"
import { ownersConnection, start } from "../kit/Service.ts"

const count = 30

it.live("an order of another account with the same key is in no list by status, method or amount", () =>
  Effect.gen(function* () {
    const { context, database, sql } = yield* start()
    const owner = yield* ownersConnection(database)
    const pairOf = (key: string, ids: number) =>
      owner.unsafe<{ one: string; other: string }>(`
      with ids as (select 'mer_' || lpad(n::text, 26, '0') as id from generate_series(1, ${ids}) as n)
      select min(id) as one, max(id) as other from ids group by ${key} having count(*) > 1 limit 1`)
    const lists = Context.get(context as Context.Context<OrderLists>, OrderLists)
    for (const [key, ids, query] of [
      ["hashtext(id || 'sandbox') & 8388607", 20_000, { "amount[gte]": "1", "amount[lte]": "30" }],
      ["hashtext(id || 'sandbox' || 'paid')", 400_000, { status: "paid" }],
      ["hashtext(id || 'sandbox' || 'card')", 400_000, { payment_method: "card" }]
    ] as const) {
      const [pair] = yield* pairOf(key, ids)
      const accounts = [pair!.one, pair!.other].map((id) => ({
        merchantId: MerchantId.make(id),
        mode: "sandbox" as const
      }))
      for (const [place, { merchantId }] of accounts.entries()) {
        const many = { merchantId, count, since: Date.UTC(2025, place, 1), step: 1_000 }
        yield* insertOrders(sql, many, { status: "'paid'" })
      }
      for (const account of accounts) {
        const { data } = yield* lists.page(account, { ...query, limit: 100 })
        assert.deepStrictEqual([...new Set(data.map(({ merchantId }) => merchantId))], [account.merchantId], key)
        assert.lengthOf(data, count, key)
      }
      yield* owner`delete from order_tags`
      yield* owner`delete from orders`
    }
  })
)
