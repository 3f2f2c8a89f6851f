/**
 * A held order is closed only together with its hold (docs/decisions/0283). A program that knows no holds reads a
 * pending order, and would let it expire or fail: Postgres leaves that row as it is, and the program finds its version
 * stale. An order without a hold is compared and nothing else.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create function leave_held_orders_open() returns trigger language plpgsql
    set search_path = pg_catalog, pg_temp as $$ begin return null; end $$`
  yield* sql`create trigger orders_end_with_their_hold before update on orders for each row
    when (old.status = 'pending' and new.status in ('expired', 'failed')
      and new.hold -> 'payment' is not null and new.hold -> 'released' is null)
    execute function leave_held_orders_open()`
})
