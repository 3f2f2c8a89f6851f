/**
 * How many requests were counted when, of each key, for runners that have no Redis (docs/decisions/0088). It is
 * unlogged: a commit does not wait for the disk, and after a crash of Postgres the counts begin at zero. `granted` is
 * how many of those that were asked for last were counted.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create unlogged table quota_counts (
    key text primary key,
    quota bigint not null,
    window_ms bigint not null,
    at_ms bigint not null,
    wanted bigint not null,
    granted bigint not null,
    moments bigint[] not null,
    counts bigint[] not null
  ) with (fillfactor = 50)`
})
