/** Deliveries that follow their endpoint when it is disabled, deleted or moved, and those that were sent again. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `create index deliveries_pending_endpoint on deliveries (endpoint_id)
    where status = 'pending' and endpoint_id is not null`,
  // What somebody asked to be sent again is a delivery of its own.
  `alter table deliveries add column resend_of text`
]

export const deliveriesByEndpoint = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
