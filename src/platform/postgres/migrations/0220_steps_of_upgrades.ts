/**
 * Upgrades in two steps (docs/decisions/0260). coffer_migrations.readable_from: the oldest program that works with the
 * tables after this migration, by the newest migration that it knows. runners.newest_migration: what a runner knows,
 * null where its version does not say. later_fills: how far rows have been filled in slices.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table coffer_migrations add column readable_from integer`
  yield* sql`alter table runners add column newest_migration integer`
  yield* sql`create table later_fills (
    name text primary key,
    place text,
    filled bigint not null default 0,
    is_over boolean not null default false
  )`
})
