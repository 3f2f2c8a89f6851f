/**
 * Merchants, orders, wallets with their ledger, events with their deliveries, and the sandbox channel's own books.
 * Every list of the API is a scan of one index by (merchant, mode, id descending).
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // A key is kept as its HMAC; the signing secret encrypted. The operator's settings are plain.
  `create table merchants (
    merchant_id text primary key,
    name text not null,
    approved boolean not null default false,
    live_currencies text[] not null default '{}',
    fees jsonb not null default '[]',
    created_at timestamptz not null
  )`,
  `create table merchant_modes (
    merchant_id text not null references merchants,
    mode text not null check (mode in ('sandbox', 'live')),
    key_hash text not null unique,
    signing_secret text not null,
    ip_allowlist text not null default '',
    default_notify_url text,
    primary key (merchant_id, mode)
  )`,

  // due_at: when the deadline worker looks at a pending order next. stray_due_at: when money that must go back to the
  // buyer is tried next. Both are pushed ahead by the worker that leases the row, so a dead worker delays, never loses.
  `create table orders (
    trade_no text primary key,
    version integer not null,
    merchant_id text not null,
    mode text not null,
    out_trade_no text not null,
    amount bigint not null check (amount > 0),
    currency text not null,
    subject text,
    status text not null check (status in ('pending', 'paid', 'partially_refunded', 'refunded', 'failed', 'expired')),
    fee bigint,
    refunded_amount bigint not null,
    payment_id text,
    payment_method text,
    refundable_until timestamptz,
    notify_url text,
    return_url text,
    metadata jsonb not null,
    receipt_email text,
    locale text,
    declines integer not null,
    stray_payments jsonb not null,
    stray_due_at timestamptz,
    paid_at timestamptz,
    due_at timestamptz not null,
    due_attempts integer not null default 0,
    expires_at timestamptz not null,
    created_at timestamptz not null
  )`,
  `create unique index orders_out_trade_no on orders (merchant_id, mode, out_trade_no)`,
  `create index orders_newest on orders (merchant_id, mode, trade_no desc)`,
  `create index orders_due on orders (due_at) where status = 'pending'`,
  `create index orders_stray_due on orders (stray_due_at) where stray_due_at is not null`,

  `create table wallets (
    wallet_id text primary key,
    sequence bigint not null,
    merchant_id text not null,
    mode text not null,
    currency text not null,
    available bigint not null,
    frozen bigint not null check (frozen >= 0),
    total_revenue bigint not null,
    total_fee bigint not null,
    total_payout bigint not null,
    total_refund bigint not null,
    head_id text not null,
    head_hash text not null,
    updated_at timestamptz not null
  )`,
  `create table ledger (
    id text primary key,
    wallet_id text not null references wallets,
    sequence bigint not null,
    merchant_id text not null,
    mode text not null,
    currency text not null,
    type text not null,
    amount bigint not null,
    balance_before bigint not null,
    balance_after bigint not null,
    frozen_after bigint not null,
    reference_id text not null,
    description text not null,
    created_at timestamptz not null,
    previous_hash text not null,
    hash text not null
  )`,
  `create unique index ledger_sequence on ledger (wallet_id, sequence)`,
  `create index ledger_newest on ledger (merchant_id, mode, id desc)`,
  `create function refuse_change() returns trigger language plpgsql as $$
    begin raise exception 'ledger rows are never changed or removed'; end
  $$`,
  `create trigger ledger_is_final before update or delete on ledger for each row execute function refuse_change()`,
  `create trigger ledger_is_kept before truncate on ledger for each statement execute function refuse_change()`,

  // body: the exact bytes that are signed, delivered and answered.
  `create table events (
    id text primary key,
    merchant_id text not null,
    mode text not null,
    type text not null,
    object_id text not null,
    trade_no text not null,
    body text not null,
    created_at timestamptz not null
  )`,
  `create index events_newest on events (merchant_id, mode, id desc)`,
  `create index events_object on events (object_id)`,
  `create table deliveries (
    id text primary key,
    event_id text not null references events,
    merchant_id text not null,
    mode text not null,
    endpoint_id text,
    url text not null,
    destination text not null,
    status text not null check (status in ('pending', 'succeeded', 'failed', 'skipped')),
    attempts integer not null,
    next_attempt_at timestamptz,
    created_at timestamptz not null
  )`,
  `create index deliveries_due on deliveries (next_attempt_at) where status = 'pending'`,
  `create index deliveries_destination on deliveries (destination, next_attempt_at) where status = 'pending'`,
  `create index deliveries_event on deliveries (event_id)`,
  `create table delivery_attempts (
    delivery_id text not null references deliveries,
    attempt integer not null,
    at timestamptz not null,
    duration_ms integer not null,
    status_code integer,
    failure text,
    snippet text,
    primary key (delivery_id, attempt)
  )`,

  // The sandbox channel stands for a system of others: nothing above refers to these.
  `create table sandbox_payments (
    payment_id text primary key,
    trade_no text not null,
    merchant_id text not null,
    method text not null,
    amount bigint not null,
    currency text not null,
    state text not null check (state in ('succeeded', 'redirect', 'declined', 'failed', 'abandoned')),
    report_due_at timestamptz,
    created_at timestamptz not null
  )`,
  `create index sandbox_payments_trade_no on sandbox_payments (trade_no)`,
  `create index sandbox_payments_report_due on sandbox_payments (report_due_at) where report_due_at is not null`,
  `create table sandbox_refunds (
    refund_key text primary key,
    payment_id text not null,
    amount bigint not null,
    created_at timestamptz not null
  )`,
  `create table sandbox_switches (merchant_id text primary key, reachable boolean not null)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
