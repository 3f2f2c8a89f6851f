/** The content of a request that waits for a second operator, without secrets. An earlier version writes none. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table approvals add column content jsonb not null default '{}'`
})
