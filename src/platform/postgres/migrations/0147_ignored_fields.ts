/** Fields of a call's body that its endpoint did not know, in the API log (silences: G33). */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`alter table api_logs add column ignored_fields jsonb`)
})
