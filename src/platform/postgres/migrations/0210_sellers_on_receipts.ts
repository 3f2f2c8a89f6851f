/** What a receipt says of its seller. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table merchants add column business_address text, add column tax_id text`
})
