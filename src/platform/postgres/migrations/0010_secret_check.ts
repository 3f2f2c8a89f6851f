/** The check whether a process has the `SECRET_KEY` with which this database was made. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`create table secret_check (one boolean primary key default true check (one), value text not null)`)
)
