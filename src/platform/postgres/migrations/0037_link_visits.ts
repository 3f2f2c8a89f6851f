/**
 * The last visits to a link that were made with the button of its page, with the orders that they made. A form that
 * arrives twice makes one order (silences: L4).
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table payment_links add column recent_visits jsonb not null default '[]'`
})
