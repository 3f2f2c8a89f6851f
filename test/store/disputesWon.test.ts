/** The migration that counts an order's disputes that gave its whole amount back. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import migration from "../../src/platform/postgres/migrations/0215_disputes_won.ts"
import { disputed } from "../kit/stories/disputed.ts"
import { ownersConnection, start } from "../kit/Service.ts"

it.live("orders whose disputes ended before have the count of those that were won or withdrawn", () =>
  Effect.gen(function* () {
    const running = yield* start()
    const expected: Record<string, number | null> = {}
    for (const [outcome, won] of [
      ["won", 1],
      ["closed", 1],
      ["lost", null]
    ] as const) {
      const { resolve, tradeNo } = yield* disputed(running)
      yield* resolve(outcome)
      expected[tradeNo] = won
    }
    const owner = yield* ownersConnection(running.database)
    yield* owner`alter table orders drop column disputes_won`
    yield* Effect.provideService(migration, SqlClient.SqlClient, owner)
    const rows = yield* owner<{
      trade_no: string
      won: number | null
    }>`select trade_no, disputes_won as won from orders`
    assert.deepStrictEqual(Object.fromEntries(rows.map(({ trade_no, won }) => [trade_no, won])), expected)
  })
)
