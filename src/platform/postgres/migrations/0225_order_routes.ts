/**
 * The channel at which an order's buyer was begun (docs/decisions/0277): `attempts` counts the questions for a session
 * there, and `unanswered` those whose answer is not known. `may_be_paid`: a session may exist there.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table order_routes (
    trade_no text primary key,
    channel text not null,
    attempts integer not null,
    unanswered integer not null,
    may_be_paid boolean not null default false,
    asked_at timestamptz not null
  )`
})
