/** The brand and the last four digits of the card of a payment; null where no card was charged. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table orders add column card jsonb`
  yield* sql`alter table sandbox_payments add column card jsonb`
})
