/** The operators by whom a role was offered: their numbers, as persons and by their tokens. Empty: a merchant's person. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table invitations add column operator_ids text[] not null default '{}'`
})
