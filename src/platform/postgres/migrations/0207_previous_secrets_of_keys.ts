/** Until when the secret before the present one works: of a key with scopes, and of a main key with its hash. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table api_keys add column previous_until timestamptz`
  yield* sql`alter table merchant_modes add column previous_key_hash text unique, add column previous_until timestamptz`
})
