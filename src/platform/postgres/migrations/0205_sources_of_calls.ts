/** Whether a call of the API log came with a key or from the console. Earlier rows count as calls with a key. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table api_logs add column source text not null default 'api'`
})
