/** How Postgres finds rows for the service (docs/decisions/0010). */
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { oneStatement, plan } from "../../src/platform/commit/statements.ts"
import { storeAnswer } from "../../src/shared/idempotency/Answering.ts"
import type { IdempotencyClaim } from "../../src/shared/idempotency/IdempotencyClaim.ts"
import { insertion, replacement } from "../../src/money/orders/OrderStore.ts"
import { createdAt, pendingOrder as order } from "../kit/rules/fixtures.ts"
import { addressOf, leftOut, named, newServer, postgresFolder, superuser } from "../kit/servers/PostgresPair.ts"
import { connect, freshSql } from "../kit/Process.ts"
import { ownersConnection, start } from "../kit/Service.ts"
import { orderOf } from "../kit/rows/commits.ts"
import { insertOrders } from "../kit/rows/Rows.ts"

it.effect(
  "a statement goes by an index also where its table is still empty, since its plan is kept when it grows",
  () =>
    Effect.gen(function* () {
      const sql = yield* freshSql
      const many = Array.from({ length: 500 }, (_, index) => `test_${index}`)
      const plan = yield* sql`explain select * from orders where trade_no = any(${many})`
      const text = plan.map((row) => Object.values(row).join()).join("\n")
      // Which of the indexes with the number is cheaper on ten empty pages depends on the width of a row: Postgres
      // skips along one that does not begin with it.
      assert.match(text, /Index (Only )?Scan (using|on) orders_/)
      assert.notMatch(text, /Seq Scan/)
    })
)

it.effect(
  "a batch looks for an Idempotency-Key by its index, also where Postgres has made the plan while there was none",
  () =>
    Effect.gen(function* () {
      const sql = yield* freshSql
      const claim = {
        id: "k",
        version: 1,
        merchantId: "mer_1",
        mode: "sandbox",
        fingerprint: "f",
        createdAt,
        isNew: true
      }
      const answered = storeAnswer(claim as IdempotencyClaim, 201, {})
      const { params, text } = oneStatement(
        plan([{ changes: [replacement({ state: order, version: 1 }, order, createdAt), answered] }])
      )
      const rows = yield* sql.unsafe(`explain ${text}`, params)
      const shown = rows.map((row) => Object.values(row).join()).join("\n")
      assert.match(shown, /idempotency_keys_pkey/)
      assert.notMatch(shown, /Seq Scan|Hash/)
    })
)

it.effect("a batch looks for its rows by their keys, also where Postgres knows that a table has few", () =>
  Effect.gen(function* () {
    const { database, merchant, sql } = yield* start()
    const many = { merchantId: merchant.merchantId, count: 200, since: 0, step: 1 }
    yield* insertOrders(sql, many)
    yield* sql`insert into list_horizons (merchant_id, mode)
      select 'mer_' || n, 'sandbox' from generate_series(1, 200) as n`
    yield* (yield* ownersConnection(database))`analyze orders, list_horizons`
    const changes = [replacement({ state: order, version: 1 }, order, createdAt), insertion(orderOf(7))]
    const { params, text } = oneStatement(plan([{ changes }]))
    const rows = yield* sql.unsafe(`explain ${text}`, params)
    const shown = rows.map((row) => Object.values(row).join()).join("\n")
    for (const index of ["orders_pkey", "list_horizons_pkey"]) assert.include(shown, index)
    assert.notMatch(shown, /Seq Scan|Hash|Merge/)
  }).pipe(Effect.scoped)
)

it.effect("the statement of a batch is not planned again for each batch, however few rows it has", () =>
  Effect.gen(function* () {
    const sql = yield* freshSql
    const change = replacement({ state: order, version: 1 }, order, DateTime.makeUnsafe(0))
    const { params, text } = oneStatement(plan([{ changes: [change] }]))
    const connection = yield* sql.reserve
    for (let times = 0; times < 10; times++) yield* connection.execute(text, params, undefined)
    const [plans] = yield* connection.executeValues(
      "select custom_plans, generic_plans from pg_prepared_statements where statement = $1",
      [text]
    )
    // Postgres makes five custom plans before it settles on a generic one.
    assert.deepStrictEqual(plans?.map(Number), [5, 5])
  }).pipe(Effect.scoped)
)

describe.skipIf(leftOut)(named("a Postgres that compiles what is costly"), () => {
  it.live("compiles no statement of the service, not even one that reads a table without an index", () =>
    Effect.gen(function* () {
      const server = yield* newServer(yield* postgresFolder, "one", ["jit = on"])
      const sql = yield* connect(addressOf([server], superuser))
      yield* sql`create table small (name text)`
      const [row] = yield* sql<{
        "QUERY PLAN": ReadonlyArray<object>
      }>`explain (analyze, format json) select * from small where name > 'a'`
      assert.deepStrictEqual(Object.keys(row!["QUERY PLAN"][0]!), [
        "Plan",
        "Planning Time",
        "Triggers",
        "Execution Time"
      ])
    })
  )
})
