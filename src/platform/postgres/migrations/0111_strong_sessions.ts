/**
 * Whether the OpenID provider said that the person was known by what the settings take for a passkey
 * (docs/decisions/0092). Sessions from before did not say so.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table person_sessions add column is_strong boolean not null default false`
})
