/**
 * A write whose commit does not wait for the disk: for what a crash may lose. It is one statement, and so one message
 * to Postgres, with a connection of its own while it runs: no other statement waits behind it.
 */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

/** A condition that is true. Postgres evaluates it once, before the statement's commit. */
export const withoutFlush = "(select set_config('synchronous_commit', 'off', true)) is not null"

/** The statement's text has the condition {@link withoutFlush} where rows are certain to be. */
export const asyncCommit = <Row>(
  sql: SqlClient.SqlClient,
  text: string,
  params: ReadonlyArray<unknown>
): Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError> =>
  Effect.scoped(
    Effect.flatMap(sql.reserve, (connection) => connection.execute(text, params, undefined))
  ) as Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>
