/**
 * The indexes of three filters of orders give way to smaller ones (`orderKeys.ts`, docs/decisions/0024), which are made
 * after the migrations. Until they are there, a list by one of them is slow where orders
 * are many.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`drop index if exists orders_amount, orders_payment_method, orders_status`
})
