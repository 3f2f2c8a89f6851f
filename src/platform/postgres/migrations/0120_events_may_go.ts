/**
 * Events may go, where an operator keeps them no longer (KEEP_EVENTS). Postgres would look through all deliveries for
 * each one that goes: no index begins with the number of the event, and one more would be written with each delivery.
 * `src/erasures/RetentionJobs.ts` says why no delivery is left without its event.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`alter table deliveries drop constraint if exists deliveries_event_id_fkey`)
)
