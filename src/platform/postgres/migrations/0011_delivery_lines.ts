/** Due deliveries are looked for by merchant, and within a merchant by destination (docs/decisions/0016). */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `create index deliveries_merchant on deliveries (mode, merchant_id, next_attempt_at) where status = 'pending'`,
  `create index deliveries_line on deliveries (mode, merchant_id, destination, next_attempt_at)
    where status = 'pending'`,
  `drop index deliveries_destination`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
