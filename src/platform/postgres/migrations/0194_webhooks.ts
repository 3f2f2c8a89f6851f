/** Events, their deliveries, and how well endpoints answer. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = [
  `create table events (
      id text primary key,
      merchant_id text not null,
      mode text not null,
      type text not null,
      object_id text not null,
      trade_no text not null,
      body text,
      created_at timestamptz not null,
      packed bytea
    )`,
  `create index events_newest on events (merchant_id, mode, id)`,
  `create index events_object on events (object_id, id)`,
  `create index events_type on events (merchant_id, mode, type, id)`,
  `create table deliveries (
      id text primary key,
      event_id text not null,
      merchant_id text not null,
      mode text not null,
      endpoint_id text,
      url text not null,
      destination text not null,
      status text not null check (status in ('pending', 'succeeded', 'failed', 'skipped')),
      attempts integer not null,
      next_attempt_at timestamptz,
      created_at timestamptz not null,
      resend_of text,
      leased_until timestamptz
    ) with (fillfactor='70')`,
  `create index deliveries_due on deliveries (next_attempt_at) where status = 'pending'`,
  `create index deliveries_endpoint on deliveries (merchant_id, mode, endpoint_id, status, id) where endpoint_id is
      not null`,
  `create index deliveries_event on deliveries (merchant_id, mode, event_id, id)`,
  `create index deliveries_line on deliveries (mode, merchant_id, destination, next_attempt_at) where status =
      'pending'`,
  `create index deliveries_merchant on deliveries (mode, merchant_id, next_attempt_at) where status = 'pending'`,
  `create index deliveries_pending_endpoint on deliveries (endpoint_id) where (status = 'pending') and (endpoint_id
      is not null)`,
  `create index deliveries_status on deliveries (merchant_id, mode, status, id)`,
  `create table delivery_attempts (
      delivery_id text not null,
      attempt integer not null,
      at timestamptz not null,
      duration_ms integer not null,
      status_code integer,
      failure text,
      snippet text,
      primary key (delivery_id, attempt)
    )`,
  `create table endpoint_health (
      endpoint_id text primary key,
      merchant_id text not null references merchants,
      mode text not null,
      first_failures timestamptz[] not null,
      fifth_at timestamptz generated always as (first_failures[(cardinality(first_failures) - 4)]) STORED,
      last_failed_at timestamptz not null,
      last_succeeded_at timestamptz,
      failing_since timestamptz not null,
      well_since timestamptz,
      disables boolean not null,
      is_told boolean default false not null,
      told_at timestamptz,
      reason text not null,
      answer text,
      attempts integer default 0 not null,
      due_at timestamptz not null
    )`,
  `create index endpoint_health_due on endpoint_health (due_at)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const statements = tables
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
