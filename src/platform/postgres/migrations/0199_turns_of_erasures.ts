/** Until when a runner works on an erasure: it is the only one of its merchant that is worked on. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table erasures add column leased_until timestamptz`
})
