/** What is computed from other rows and kept: reports, days of the overview, and the erasures. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = [
  `create table reports (
      report_no text primary key,
      merchant_id text not null references merchants,
      mode text not null,
      terms jsonb not null,
      request text,
      status text not null check (status in ('pending', 'succeeded', 'failed')),
      failure text,
      place jsonb,
      steps integer default 0 not null,
      rows_done bigint default 0 not null,
      rows_total bigint,
      bytes bigint default 0 not null,
      due_at timestamptz,
      error text,
      created_at timestamptz not null,
      finished_at timestamptz,
      expires_at timestamptz not null
    )`,
  `create index reports_due on reports (due_at) where due_at is not null`,
  `create index reports_expiry on reports (expires_at)`,
  `create index reports_held on reports (report_no) where (status = 'pending') and (error is not null)`,
  `create index reports_of_account on reports (merchant_id, mode, report_no)`,
  `create table report_parts (
      report_no text not null references reports,
      starts_at bigint not null,
      content bytea not null,
      primary key (report_no, starts_at)
    )`,
  `create table overview_days (
      merchant_id text not null,
      mode text not null,
      time_zone text not null,
      day date not null,
      figures jsonb not null,
      primary key (merchant_id, mode, time_zone, day)
    )`,
  `create table erasures (
      erasure_no text primary key,
      version integer not null,
      merchant_id text,
      mode text,
      trade_no text,
      email_hash text,
      sealed text,
      requested_by text not null,
      status text not null check (status in ('running', 'done')),
      step text not null,
      place text default '' not null,
      fresh integer default 0 not null,
      counts jsonb default '{}'::jsonb not null,
      requested_at timestamptz not null,
      due_at timestamptz,
      attempts integer default 0 not null,
      error text,
      done_at timestamptz,
      walked_from timestamptz,
      is_late boolean default false not null,
      constraint erasures_check check ((sealed is null) or (status = 'running'))
    )`,
  `create index erasures_due on erasures (due_at) where due_at is not null`,
  `create unique index erasures_running on erasures (coalesce(merchant_id, ''), coalesce(mode, ''),
      coalesce(email_hash, ''), coalesce(trade_no, '')) where status = 'running'`,
  `create table erasure_orders (
      erasure_no text not null references erasures,
      trade_no text not null,
      reason text not null,
      primary key (erasure_no, trade_no)
    )`
]

const functionsAndTriggers = [
  `create function erased_metadata(metadata jsonb, address text) returns jsonb language sql immutable as $$
    select coalesce(jsonb_object_agg(
        case when address is null then key else regexp_replace(key, address, '[erased]', 'gi') end,
        case when key = 'svc_payment_link' then value else to_jsonb('[erased]'::text) end), '{}')
      from jsonb_each(metadata)
  $$`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const statements = [...tables, ...functionsAndTriggers]
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
