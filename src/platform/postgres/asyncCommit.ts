/**
 * A write whose commit does not wait for the disk: for what a crash may lose. It has a connection of its own while it
 * runs, so that no other statement waits behind it.
 */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

export const asyncCommit = <A, E, R>(
  sql: SqlClient.SqlClient,
  write: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError.SqlError, R> =>
  sql.withTransaction(Effect.andThen(sql`set local synchronous_commit to off`, write))
