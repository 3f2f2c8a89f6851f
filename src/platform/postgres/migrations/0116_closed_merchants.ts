/** When an operator closed a merchant for good (docs/decisions/0115): all else follows from it when it is asked. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table merchants add column closed_at timestamptz`
})
