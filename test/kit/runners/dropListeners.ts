/** A service that hears of no change: its listener's connection is gone. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { eventually } from "../Process.ts"

export const listeners = (sql: SqlClient.SqlClient) =>
  sql<{ pid: number }>`select pid from pg_stat_activity
    where datname = current_database() and application_name like '%listener'`

/** Ends the connections for changes. The service listens again a second later, by the test's clock. */
export const dropListeners = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  yield* eventually(
    "the service to listen",
    Effect.map(listeners(sql), (found) => found.length > 0)
  )
  const before = yield* listeners(sql)
  for (const { pid } of before) yield* sql`select pg_terminate_backend(${pid}::int)`
  yield* eventually(
    "the listeners to be gone",
    Effect.map(listeners(sql), (after) => !after.some(({ pid }) => before.some((old) => old.pid === pid)))
  )
})
