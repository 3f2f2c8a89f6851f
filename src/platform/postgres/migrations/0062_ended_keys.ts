/**
 * Hashes of merchants' keys that were reset. A program that goes on with one is no guesser, so its address is not
 * refused for it (docs/decisions/0090). Only operators reset keys, so rows are few.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`create table ended_keys (key_hash text primary key)`)
)
