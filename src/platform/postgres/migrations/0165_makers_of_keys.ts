/** The people who made a key with scopes and rolled it last, in the console: they know its secret (silences: U40). */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`alter table api_keys add column created_by text, add column rolled_by text`)
})
