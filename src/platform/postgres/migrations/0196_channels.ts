/** The books of the sandbox's bank, and what is known of objects at Stripe. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const tables = [
  `create table sandbox_payments (
      payment_id text primary key,
      trade_no text not null,
      merchant_id text not null,
      method text not null,
      amount bigint not null,
      currency text not null,
      state text not null,
      report_due_at timestamptz,
      created_at timestamptz not null,
      card jsonb
    )`,
  `alter table sandbox_payments add constraint sandbox_payments_state_check check (state in ('succeeded',
      'declined', 'cancelled', 'failed', 'redirect', 'abandoned'))`,
  `create index sandbox_payments_report_due on sandbox_payments (report_due_at) where report_due_at is not null`,
  `create index sandbox_payments_trade_no on sandbox_payments (trade_no)`,
  `create table sandbox_refunds (
      refund_key text primary key,
      payment_id text not null,
      amount bigint not null,
      created_at timestamptz not null,
      state text default 'succeeded' not null check (state in ('pending', 'succeeded', 'failed')),
      settles_at timestamptz
    )`,
  `create index sandbox_refunds_payment on sandbox_refunds (payment_id)`,
  `create table sandbox_disputes (
      processor_dispute_id text primary key,
      trade_no text not null,
      merchant_id text not null,
      payment_id text not null,
      amount bigint not null,
      currency text not null,
      reason text not null,
      state text not null check (state in ('needs_response', 'under_review', 'accepted', 'won', 'lost', 'closed')),
      due_by timestamptz,
      submitted_at timestamptz,
      lost_at timestamptz,
      report_due_at timestamptz,
      opened_at timestamptz not null,
      request text
    )`,
  `create index sandbox_disputes_payment on sandbox_disputes (payment_id)`,
  `create index sandbox_disputes_report_due on sandbox_disputes (report_due_at) where report_due_at is not null`,
  `create index sandbox_disputes_request on sandbox_disputes (request) where request is not null`,
  `create table presented_disputes (
      merchant_id text not null,
      mode text not null,
      processor_dispute_id text not null,
      amount bigint not null,
      currency text not null,
      constraint stripe_presented_disputes_currency_check check (currency ~ '^[A-Z]{3}$'),
      constraint stripe_presented_disputes_pkey primary key (merchant_id, mode, processor_dispute_id)
    )`,
  `create table sandbox_mails (
      merchant_id text primary key references merchants,
      day integer not null,
      mails integer not null
    )`,
  `create table sandbox_clocks (
      merchant_id text primary key references merchants,
      offset_ms bigint default 0 not null check (offset_ms >= 0),
      target timestamptz,
      began timestamptz,
      after_event text default '' not null,
      stops integer default 0 not null,
      attempts integer default 0 not null,
      happened jsonb default '{}'::jsonb not null,
      request text,
      reached timestamptz,
      holder text,
      leased_until timestamptz
    )`,
  `create index sandbox_clocks_moving on sandbox_clocks (merchant_id) where target is not null`,
  `create table sandbox_seeds (
      merchant_id text primary key references merchants,
      due_at timestamptz
    )`,
  `create index sandbox_seeds_due on sandbox_seeds (due_at) where due_at is not null`,
  `create table sandbox_switches (
      merchant_id text primary key,
      reachable boolean not null
    )`,
  `create table stripe_sessions (
      key text primary key,
      trade_no text not null,
      number integer not null,
      merchant_id text not null,
      mode text not null,
      method text not null,
      state text default 'asked' not null,
      session_id text,
      expires_at timestamptz not null,
      created_at timestamptz not null,
      locale text,
      unique (trade_no, number)
    )`,
  `create unique index stripe_sessions_active on stripe_sessions (trade_no) where state <> 'ended'`,
  `create index stripe_sessions_made on stripe_sessions (merchant_id, mode, created_at) where session_id is not
      null`,
  `create table stray_sessions (
      id text primary key,
      merchant_id text not null,
      mode text not null,
      session_id text not null,
      payment_id text,
      trade_no text not null,
      amount bigint,
      currency text,
      status text not null,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      ended_at timestamptz,
      channel text not null,
      closed_note text,
      constraint stray_sessions_check check ((closed_note is null) or (ended_at is not null)),
      unique (merchant_id, mode, session_id)
    )`,
  `create index stray_sessions_open on stray_sessions (id) where ended_at is null`,
  `create index stray_sessions_payment on stray_sessions (merchant_id, mode, payment_id) where ended_at is null`,
  `create table stripe_events (
      id text primary key,
      merchant_id text not null,
      mode text not null,
      event_id text not null,
      type text not null,
      kind text not null,
      object_id text not null,
      created_at timestamptz not null,
      received_at timestamptz not null,
      due_at timestamptz,
      attempts integer default 0 not null,
      names text,
      shows text
    )`,
  `create index stripe_events_due on stripe_events (due_at) where due_at is not null`,
  `create table stripe_polls (
      id text primary key,
      merchant_id text not null,
      mode text not null,
      since timestamptz not null,
      due_at timestamptz not null,
      movements_since timestamptz not null,
      movements_due_at timestamptz default '1970-01-01 00:00:00+00'::timestamptz not null,
      webhook_at timestamptz,
      thin_at timestamptz,
      movements_place timestamptz
    )`,
  `create index stripe_polls_due on stripe_polls (due_at)`,
  `create index stripe_polls_movements on stripe_polls (movements_due_at)`,
  `create table stripe_movements (
      id text primary key,
      merchant_id text not null,
      mode text not null,
      payment_id text not null,
      trade_no text,
      type text not null,
      amount bigint not null,
      fee bigint not null,
      currency text not null,
      created_at timestamptz not null,
      checked_at timestamptz,
      source_amount bigint,
      source_currency text
    )`,
  `create index stripe_movements_by_payment on stripe_movements (payment_id, merchant_id, mode)`,
  `create index stripe_movements_unchecked on stripe_movements (merchant_id, mode) where checked_at is null`,
  `create table stripe_call_keys (
      name text primary key,
      number integer not null,
      counted_at timestamptz not null
    )`,
  `create table reconciliation (
      id text primary key,
      merchant_id text not null,
      mode text not null,
      payment_id text not null,
      trade_no text,
      currency text not null,
      ours bigint not null,
      theirs bigint not null,
      created_at timestamptz not null,
      seen_at timestamptz not null,
      agreed_at timestamptz
    )`,
  `create unique index reconciliation_open on reconciliation (merchant_id, mode, payment_id) where agreed_at is
      null`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const statements = tables
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
