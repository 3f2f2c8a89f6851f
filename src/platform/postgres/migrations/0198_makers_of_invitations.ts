/** The operators who offered a role: numbers of persons and of tokens. Empty: a merchant's person offered it. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table invitations add column operator_ids text[] not null default '{}'`
})
