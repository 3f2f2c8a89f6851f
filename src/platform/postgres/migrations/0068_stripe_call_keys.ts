/**
 * How often the idempotency key of a call to Stripe was counted up (docs/decisions/0038). `name` is the key of the
 * first call; the next have its number behind it. A name without a row is at its first key.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table stripe_call_keys (
    name text primary key,
    number integer not null,
    counted_at timestamptz not null
  )`
})
