/**
 * `walked_from`: when an erasure began to look through copies of requests. `is_late`: it looks a second time, only
 * through those from about then and later, since a request under way then may have left a copy behind the first look.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`alter table erasures add column walked_from timestamptz,
    add column is_late boolean not null default false`)
)
