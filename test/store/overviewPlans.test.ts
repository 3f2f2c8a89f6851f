/** The home page's figures among very many orders: a day is counted along its own rows, and finished days are kept. */
import { assert, layer } from "@effect/vitest"
import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Overview from "../../src/door/console/Overview.ts"
import * as OverviewStore from "../../src/door/console/OverviewStore.ts"
import { explained, rowsRead, scansIn } from "../kit/rows/plans.ts"
import { insertLedger, insertOrders, settled } from "../kit/rows/Rows.ts"
import { rounds } from "../kit/run/soak.ts"
import { ownersConnection, type Running, start } from "../kit/Service.ts"

class Service extends Context.Service<Service, Running>()("test/overviewPlans") {}

/** In a hundred days, which end today. */
const count = rounds(20_000, 1_000_000)
const dayMillis = 86_400_000
const begins = Date.now() - 100 * dayMillis
const step = Math.floor((100 * dayMillis) / count)
const aDay = Math.ceil(dayMillis / step)

/** A day of these, long over. */
const dayAt = (number: number) => new Date(begins + number * dayMillis).toISOString().slice(0, 10)

const place = Effect.gen(function* () {
  const running = yield* start()
  const { merchant, sql } = running
  const many = { merchantId: merchant.merchantId, count, since: begins, step }
  yield* insertOrders(sql, many, { status: "'paid'" })
  yield* insertLedger(sql, many)
  yield* settled(yield* ownersConnection(running.database))
  return running
})

layer(Layer.effect(Service, place), { excludeTestServices: true })(`of ${count} orders`, (it) => {
  it.effect("a day is counted by its own rows, of orders and of the ledger", () =>
    Effect.gen(function* () {
      const { merchant, sql } = yield* Service
      const store = Context.get(
        yield* Layer.build(OverviewStore.layer.pipe(Layer.provide(Layer.succeed(SqlClient.SqlClient, sql)))),
        OverviewStore.OverviewStore
      )
      const account = { merchantId: merchant.merchantId, mode: "sandbox" as const } as never
      const days = { account, zone: DateTime.zoneMakeNamedUnsafe("UTC") }
      const { plans, result } = yield* explained(sql, store.count(days, [dayAt(40), dayAt(41)]))
      assert.isAtLeast(result.get(dayAt(40))!.USD!.orders_created, aDay - 2)
      assert.isAtMost(rowsRead(scansIn(plans)), 2 * 3 * (aDay + 2) + 20, JSON.stringify(plans, null, 1))
    }).pipe(Effect.scoped)
  )

  it.effect("a second look reads the rows that were kept and those of today, and nothing of what was counted", () =>
    Effect.gen(function* () {
      const { context, merchant, sql } = yield* Service
      // Each has no answer in its memory.
      const look = Effect.gen(function* () {
        const built = yield* Layer.build(Layer.fresh(Overview.layer.pipe(Layer.provide(OverviewStore.layer)))).pipe(
          Effect.provide(context as Context.Context<Layer.Services<typeof Overview.layer> | SqlClient.SqlClient>)
        )
        return yield* Context.get(built, Overview.Overview).of(merchant.merchantId, "sandbox", 90)
      })
      assert.isTrue((yield* look).is_complete)
      const { plans, result } = yield* explained(sql, look)
      assert.lengthOf(result.currencies[0]!.days, 90)
      const ofRows = scansIn(plans).filter((node) => ["orders", "ledger"].includes(node["Relation Name"]!))
      assert.isAtMost(rowsRead(ofRows), 3 * (aDay + 2) + 20)
      assert.isAtMost(rowsRead(scansIn(plans)), 3 * (aDay + 2) + 200)
    }).pipe(Effect.scoped)
  )
})
