/**
 * Logs of API calls (spec: API log), one partition per UTC day: a day that is over is dropped as a whole. Partitions
 * are made by `work/Retention.ts`, or by the insert that misses one; the migration has no clock to name a day by.
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
    error_code text,
    duration_ms integer not null,
    ip text,
    user_agent text,
    idempotency_key text,
    request_body jsonb,
    response_body jsonb,
    created_at timestamptz not null,
    primary key (request_id, created_at)
  ) partition by range (created_at)`,
  `create index api_logs_newest on api_logs (merchant_id, mode, request_id desc)`,
  // Each filter has an index that yields the newest first, so that a page of a rare value reads no other rows.
  `create index api_logs_status on api_logs (merchant_id, mode, status, request_id desc)`,
  // Most calls succeed, with one of three statuses: to find their class, the index before this one is asked thrice.
  `create index api_logs_status_class on api_logs (merchant_id, mode, (status / 100), request_id desc)
    where status not in (200, 201, 202)`,
  `create index api_logs_path on api_logs (merchant_id, mode, path, request_id desc)`,
  `create index api_logs_error_code on api_logs (merchant_id, mode, error_code, request_id desc)
    where error_code is not null`
]

export const apiLogs = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
