/** How Postgres finds rows for the service (docs/decisions/0010). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { start } from "../kit/Service.ts"

it.effect(
  "a statement goes by an index also where its table is still empty, since its plan is kept when it grows",
  () =>
    Effect.gen(function* () {
      const { sql } = yield* start()
      const many = Array.from({ length: 500 }, (_, index) => `test_${index}`)
      const plan = yield* sql`explain select * from orders where trade_no = any(${many})`
      const text = plan.map((row) => Object.values(row).join()).join("\n")
      assert.match(text, /orders_pkey/)
      assert.notMatch(text, /Seq Scan/)
    })
)
