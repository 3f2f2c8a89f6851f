/** A merchant reads all of its orders, page by page, while others are written (spec: List conventions). */
import { assert, it } from "@effect/vitest"
import { MerchantId } from "@coffer/model/Ids"
import { Minor } from "@coffer/model/Money"
import { Context, Effect, Fiber } from "effect"
import { Orders } from "../../../src/money/orders/Orders.ts"
import { insertOrders } from "../../kit/rows/Rows.ts"
import { start } from "../../kit/Service.ts"

/** New orders that there may be in all: enough to last the walk, and an end if it does not. */
const createdMax = 50_000

it.live(
  "walking a list of 5,000 orders by pages forwards and backwards, while orders are being created, shows no repeats " +
    "and no gaps among those that existed at the start",
  () =>
    Effect.gen(function* () {
      const { api, context, merchant, sql } = yield* start()
      const { merchantId, sandboxKey } = merchant
      yield* insertOrders(sql, { merchantId, count: 5_000, since: Date.now() - 600_000, step: 100 })
      const rows = yield* sql<{ id: string }>`select trade_no as id from orders order by created_at desc`
      const existing = rows.map(({ id }) => id)

      const orders = Context.get(context, Orders)
      let created = 0
      const business = yield* Effect.forkChild(
        Effect.repeat(
          Effect.tap(
            orders.create({ merchantId: MerchantId.make(merchantId), mode: "sandbox" }, { amount: Minor.make(1) }),
            () => Effect.sync(() => created++)
          ),
          { times: createdMax }
        )
      )

      const walk = Effect.fnUntraced(function* (
        cursorOf: (seen: ReadonlyArray<string>) => string,
        from: ReadonlyArray<string>
      ) {
        const seen = [...from]
        let pages = 0
        const before = created
        for (let more = true; more; pages++) {
          const { body } = yield* api.get(`/v1/orders?limit=100&${cursorOf(seen)}`, sandboxKey)
          const page: ReadonlyArray<string> = body.data.data.map((order: { trade_no: string }) => order.trade_no)
          if (cursorOf(seen).startsWith("ending_before")) seen.unshift(...page)
          else seen.push(...page)
          more = body.data.has_more
        }
        assert.isAtLeast(pages, 50)
        assert.isAbove(created, before, "orders were created meanwhile")
        assert.strictEqual(new Set(seen).size, seen.length, "an order came twice")
        assert.deepStrictEqual(seen, seen.toSorted().toReversed(), "newest first")
        return seen
      })

      const forwards = yield* walk((seen) => (seen.length === 0 ? "" : `starting_after=${seen.at(-1)}`), [])
      assert.deepStrictEqual(forwards.slice(-5_000), existing)

      const backwards = yield* walk((seen) => `ending_before=${seen[0]}`, existing.slice(-1))
      assert.deepStrictEqual(backwards.slice(-5_000), existing)
      assert.isAbove(backwards.length, forwards.length, "those created meanwhile are at the newer end")
      yield* Fiber.interrupt(business)
    })
)
