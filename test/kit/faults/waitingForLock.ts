/** Waits until somebody waits for a lock in this database. Those of other tests are in the same cluster. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

export const untilOneWaits = (sql: SqlClient.SqlClient) =>
  Effect.repeat(
    sql`select from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()`,
    { until: ({ length }) => length > 0 }
  )
