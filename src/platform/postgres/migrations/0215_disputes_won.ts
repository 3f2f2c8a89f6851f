/**
 * How many disputes of an order gave its whole amount back. Null before the first, so that a create writes nothing.
 * Orders are found by their disputes, which are few.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table orders add column disputes_won integer check (disputes_won > 0)`
  yield* sql`update orders o set disputes_won = d.won from (
      select trade_no, merchant_id, mode, count(*)::int as won from disputes
      where status in ('won', 'closed') and stage <> 'inquiry' group by trade_no, merchant_id, mode
    ) d where o.trade_no = d.trade_no and o.merchant_id = d.merchant_id and o.mode = d.mode`
})
