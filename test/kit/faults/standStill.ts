/** Statements of others that Postgres begins and does not come to the end of, until the test lets them go on. */
import { Deferred, Effect } from "effect"
import type { SqlClient } from "effect/sql"

/**
 * Makes Postgres stand still where these statements let it call `stand()`, until the scope closes. Limits of the wait
 * for locks do not count there.
 */
export const standStill = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, ...where: ReadonlyArray<string>) {
  yield* sql.unsafe(`create function stand() returns boolean language plpgsql set lock_timeout = 0 as $$
    begin perform pg_advisory_xact_lock_shared(1, 1); return true; end $$`)
  for (const statement of where) yield* sql.unsafe(statement)
  const held = yield* Deferred.make<void>()
  const holding = sql.withTransaction(
    sql`set local idle_in_transaction_session_timeout = 0`.pipe(
      Effect.andThen(sql`select pg_advisory_xact_lock(1, 1)`),
      Effect.andThen(Deferred.succeed(held, undefined)),
      Effect.andThen(Effect.never)
    )
  )
  yield* Effect.forkScoped(holding)
  yield* Deferred.await(held)
})

/** Postgres stands still before it writes such a row, as in `update on orders`. */
export const standsBefore = (sql: SqlClient.SqlClient, writing: string, when = "true") =>
  standStill(
    sql,
    `create function stand_before() returns trigger language plpgsql as $$
      begin perform stand(); return new; end $$`,
    `create trigger stand before ${writing} for each row when (${when}) execute function stand_before()`
  )

/** How many hold, or wait for, the advisory lock of this number. */
export const locks = (sql: SqlClient.SqlClient, number: number, granted: boolean) =>
  Effect.map(
    sql`select 1 from pg_locks where locktype = 'advisory' and objid = ${number}::int4::oid and granted = ${granted}
      and database = (select oid from pg_database where datname = current_database())`,
    ({ length }) => length
  )

/** How many statements stand still. */
export const standing = (sql: SqlClient.SqlClient) => locks(sql, 1, false)
