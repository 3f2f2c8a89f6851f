/** Since when an address of a merchant does not count: what is set no longer is forgotten after a while. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table unconfirmed_addresses
    add column created_at timestamptz not null default '1970-01-01T00:00:00Z'`
})
