/** When an operator approved a payout: null until then, and for payouts that were approved before this. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table payouts add column approved_at timestamptz`
})
