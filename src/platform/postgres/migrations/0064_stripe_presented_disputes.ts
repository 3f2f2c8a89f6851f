/**
 * Disputes at Stripe in another currency than their payment's: what Stripe says of them (silences: S24). The dispute
 * itself has the payment's own amount. An earlier version writes none.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table stripe_presented_disputes (
    merchant_id text not null,
    mode text not null,
    processor_dispute_id text not null,
    amount bigint not null,
    currency text not null check (currency ~ '^[A-Z]{3}$'),
    primary key (merchant_id, mode, processor_dispute_id)
  )`
})
