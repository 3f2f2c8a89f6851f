/**
 * The people who may act by an operator's token: in an act of two they and the token are one
 * (docs/decisions/0228). Tokens from before name nobody.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table operators add column person_ids text[] not null default '{}'`
})
