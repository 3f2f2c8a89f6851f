/**
 * The row of each runner of a cluster, written when it joins (docs/decisions/0026). address: host and port of its
 * runner port. run: the number whose lock it holds while it lives, null where it has none. process: its name among the
 * sessions of Postgres. messages: the shapes of messages that it understands.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`create table runners (
    address text primary key,
    run integer,
    process text not null,
    version text not null,
    messages integer[] not null
  )`)
)
