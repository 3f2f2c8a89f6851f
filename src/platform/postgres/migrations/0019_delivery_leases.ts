/** A delivery's lease is in no index, so that taking one writes to none (docs/decisions/0016). */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Until then a runner has it to itself; a runner that looks later may take it.
  `alter table deliveries add column leased_until timestamptz`,
  // Room on a new row's page for the row with its lease.
  `alter table deliveries set (fillfactor = 70)`,
  // An attempt is written by the statement that finds its delivery, and deliveries stay.
  `alter table delivery_attempts drop constraint delivery_attempts_delivery_id_fkey`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
