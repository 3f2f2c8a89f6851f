/**
 * Endpoints that have failed lately (docs/decisions/0021): a row from the first failure until nothing more has to be
 * told. An endpoint that takes everything has none. It is written with the attempts, in one statement.
 *
 * `first_failures`: when the newest first attempts failed, the latest last, five at most; `fifth_at` is the first of
 * five. `failing_since`: of the first failure after the latest success. `well_since`: of the first success after the
 * latest failure. `is_told`: the merchant knows of an outage that is not over. `reason`, `answer`: of the latest first
 * attempt that failed. `due_at`: when a worker has to look.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table endpoint_health (
    endpoint_id text primary key,
    merchant_id text not null references merchants (merchant_id),
    mode text not null,
    first_failures timestamptz[] not null,
    fifth_at timestamptz generated always as (first_failures[cardinality(first_failures) - 4]) stored,
    last_failed_at timestamptz not null,
    last_succeeded_at timestamptz,
    failing_since timestamptz not null,
    well_since timestamptz,
    disables boolean not null,
    is_told boolean not null default false,
    told_at timestamptz,
    reason text not null,
    answer text,
    attempts integer not null default 0,
    due_at timestamptz not null
  )`
  yield* sql`create index endpoint_health_due on endpoint_health (due_at)`
})
