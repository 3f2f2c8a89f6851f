/**
 * `orders.stray_attempts`: how often the channel was asked to take payments of an order back; null where it never was.
 * Counted by the worker that leases the row, beside its version, as `due_attempts` is. The index finds the newest
 * session of an account (docs/decisions/0038); no version with this table was released before.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `alter table orders add column stray_attempts integer`,
  `create index stripe_sessions_made on stripe_sessions (merchant_id, mode, created_at) where session_id is not null`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
