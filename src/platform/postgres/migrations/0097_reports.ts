/**
 * Reports that are written as files (docs/decisions/0097), and the time zone that a merchant counts its days in.
 *
 * `terms`: what the report is about, settled when it was made. `place`: how far it is; `steps` counts the steps that
 * led there and fences them. `due_at`: when a worker goes on with it; null when it has ended. `request`: the
 * idempotency claim of the request that made it. The parts of a file are numbered by the byte that each begins with.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `alter table merchants add column time_zone text not null default 'UTC'`,
  `create table reports (
    report_no text primary key,
    merchant_id text not null references merchants (merchant_id),
    mode text not null,
    terms jsonb not null,
    request text,
    status text not null check (status in ('pending', 'succeeded', 'failed')),
    failure text,
    place jsonb,
    steps integer not null default 0,
    rows_done bigint not null default 0,
    rows_total bigint,
    bytes bigint not null default 0,
    due_at timestamptz,
    error text,
    created_at timestamptz not null,
    finished_at timestamptz,
    expires_at timestamptz not null
  )`,
  `create index reports_of_account on reports (merchant_id, mode, report_no)`,
  `create index reports_due on reports (due_at) where due_at is not null`,
  `create index reports_expiry on reports (expires_at)`,
  `create table report_parts (
    report_no text not null references reports (report_no),
    starts_at bigint not null,
    content bytea not null,
    primary key (report_no, starts_at)
  )`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
