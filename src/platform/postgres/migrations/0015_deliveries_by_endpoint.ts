/**
 * Deliveries that follow their endpoint when it is disabled, deleted or moved, those that were sent again, and the
 * indexes that lists of deliveries are scans of (`0004_lists.ts`). A list that is not by state is merged from all four.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `create index deliveries_pending_endpoint on deliveries (endpoint_id)
    where status = 'pending' and endpoint_id is not null`,
  // A delivery that was asked for again is one of its own.
  `alter table deliveries add column resend_of text`,

  `drop index deliveries_event`,
  `create index deliveries_event on deliveries (merchant_id, mode, event_id, id)`,
  `create index deliveries_status on deliveries (merchant_id, mode, status, id)`,
  `create index deliveries_endpoint on deliveries (merchant_id, mode, endpoint_id, status, id)
    where endpoint_id is not null`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
