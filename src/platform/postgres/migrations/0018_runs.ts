/**
 * Which run of the program is at work on a request with an Idempotency-Key, and which run asks the channel about a
 * reserved refund. Once that run has ended, no caller waits for it (silences: I6). Null: unknown.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [`alter table idempotency_keys add column run integer`, `alter table refunds add column run integer`]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
