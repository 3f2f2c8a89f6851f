/**
 * The merchant's own number of the order, in its refunds and disputes, so that books are kept by it. It never changes,
 * and an order is never removed while it has one of these.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const table of ["refunds", "disputes"]) {
    yield* sql.unsafe(`alter table ${table} add column out_trade_no text`)
    yield* sql.unsafe(
      `update ${table} as r set out_trade_no = o.out_trade_no from orders as o where o.trade_no = r.trade_no`
    )
  }
})
