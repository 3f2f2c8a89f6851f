/**
 * The first report that Adyen announced for an account: reading begins with it where there is no first report, since
 * the merchant account is older than its place here (docs/decisions/0279). Null: none was announced.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table adyen_reports add column announced integer`
})
