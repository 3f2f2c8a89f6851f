/**
 * Attempts to pay that did not succeed, with the order that they were for; null where there was none. The sandbox's
 * bank has cancelled ones beside declined ones.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table orders add column attempts jsonb`
  yield* sql`alter table sandbox_payments drop constraint sandbox_payments_state_check`
  // Rows of before have fewer states, so none is looked at.
  yield* sql`alter table sandbox_payments add constraint sandbox_payments_state_check check
    (state in ('succeeded', 'declined', 'cancelled', 'failed', 'redirect', 'abandoned')) not valid`
})
