/**
 * Figures of days that are over, for the console's home page (docs/decisions/0097). They can be counted again from the
 * orders and the ledger: a row is there so that it is done once.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table overview_days (
    merchant_id text not null,
    mode text not null,
    time_zone text not null,
    day date not null,
    figures jsonb not null,
    primary key (merchant_id, mode, time_zone, day)
  )`
})
