/** takes_part: whether the runner wants shards. One whose clock is too far from Postgres' wants none. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`alter table runners add column takes_part boolean not null default true`)
)
