/**
 * Waits until a request waits for a lock in this database. Those of other tests are in the same cluster. The worker
 * that tells people what has happened refers to memberships as well, and may wait before the request has come.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

export const untilOneWaits = (sql: SqlClient.SqlClient) =>
  Effect.repeat(
    sql`select from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()
      and query not like '%insert into notification_mails%'`,
    { until: ({ length }) => length > 0 }
  )
