/**
 * How Stripe's events come in, and how far the reconciliation is.
 *
 * `stripe_events.names`: the order or refund of ours that the event's object names; empty: it names none, null: not
 * known. `shows`: the status that the event shows of its object. `stripe_polls.webhook_at`: a webhook came in the hour
 * after that. `thin_at`: the same of one with a thin event, which says too little. `movements_place`: until when a
 * reconciliation that is under way has read.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table stripe_events add column names text, add column shows text`
  yield* sql`alter table stripe_polls add column webhook_at timestamptz, add column thin_at timestamptz,
    add column movements_place timestamptz`
})
