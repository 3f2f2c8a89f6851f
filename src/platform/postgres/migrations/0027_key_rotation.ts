/**
 * How far a change of `SECRET_KEY` has come (docs/decisions/0017). previous: the check value of the key before, while
 * something may be sealed with it. kept: what is derived from the first key and must outlive it, sealed. The other
 * columns are the walk through all sealed texts: when it began, where it is, and how many it has sealed again.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`alter table secret_check
    add column previous text,
    add column kept text,
    add column moved_at timestamptz,
    add column walk_from timestamptz,
    add column walk_part text,
    add column walk_after text,
    add column walk_resealed integer not null default 0`)
)
