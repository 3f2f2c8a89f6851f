/**
 * Logs of API calls (spec: API log), one partition per UTC day: a day that is over is dropped as a whole. Partitions
 * are made by `logs/LogJobs.ts`, or by the insert that misses one; the migration has no clock to name a day by.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `create table api_logs (
    request_id text not null,
    merchant_id text not null,
    mode text not null,
    method text not null,
    path text not null,
    status integer not null,
    status_class integer not null generated always as (status / 100) stored,
    error_code text,
    duration_ms integer not null,
    ip text,
    user_agent text,
    idempotency_key text,
    request_body jsonb,
    response_body jsonb,
    created_at timestamptz not null,
    primary key (merchant_id, mode, request_id, created_at)
  ) partition by range (created_at)`,
  // The key lists all calls of a merchant. Each filter has an index that ends in the id as well, so that a page of a
  // rare value reads no other rows. Written in descending order their pages would be half empty: they are read
  // backwards.
  `create index api_logs_status on api_logs (merchant_id, mode, status, request_id)`,
  // Most calls succeed, with one of three statuses: to list those, the index before this one is asked three times.
  `create index api_logs_status_class on api_logs (merchant_id, mode, status_class, request_id) where status >= 300`,
  `create index api_logs_path on api_logs (merchant_id, mode, path, request_id)`,
  `create index api_logs_error_code on api_logs (merchant_id, mode, error_code, request_id)
    where error_code is not null`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
