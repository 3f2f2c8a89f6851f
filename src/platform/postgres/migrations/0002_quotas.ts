/**
 * Requests a minute that one merchant has in place of the default (silences: U1). A quota that is left out is the
 * default.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table merchants add column quotas jsonb not null default '{}'`
})
