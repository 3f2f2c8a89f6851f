/** Reports of which a step fails, for the operator's list of what is held up. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create index reports_held on reports (report_no) where status = 'pending' and error is not null`
})
