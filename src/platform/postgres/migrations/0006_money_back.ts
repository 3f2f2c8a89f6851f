/**
 * Refunds, disputes, payouts and the files that evidence names, with what orders, wallets and merchants have to know
 * of them. All list indexes ascend and hold the rows of one filter in the order of their ids, as in `0004_lists`.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Promised to refunds that are not settled; disputes that are not decided; what lost disputes took.
  `alter table orders
    add column refunding_amount bigint not null default 0 check (refunding_amount >= 0),
    add column disputes_open integer not null default 0 check (disputes_open >= 0),
    add column disputes_lost bigint not null default 0 check (disputes_lost >= 0)`,
  `alter table orders add constraint orders_refunds_fit check (refunded_amount + refunding_amount <= amount)`,
  // The head's hash no longer says all that a wallet holds: a promise writes no ledger row.
  `alter table wallets
    add column reserved bigint not null default 0 check (reserved >= 0),
    add column version text not null default ''`,
  `update wallets set version = head_hash`,
  // Minor units by currency; what is left out has the default.
  `alter table merchants
    add column dispute_fee jsonb not null default '{}',
    add column payout_fee jsonb not null default '{}'`,

  // reserved: the channel is being asked. void: it surely did nothing, and the merchant was told so; never shown.
  // request: the claim of the idempotency key that made it, so that a repeat finds it without a number.
  `create table refunds (
    refund_no text primary key,
    version integer not null,
    merchant_id text not null,
    mode text not null,
    out_refund_no text not null,
    trade_no text not null references orders,
    payment_id text not null,
    request text,
    amount bigint not null check (amount > 0),
    requested_amount bigint,
    currency text not null,
    reason text,
    status text not null check (status in ('reserved', 'pending', 'succeeded', 'failed', 'void')),
    failure_reason text,
    metadata jsonb not null,
    notify_url text,
    next_check_at timestamptz,
    checks integer not null default 0,
    settled_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  `create unique index refunds_out_refund_no on refunds (merchant_id, mode, out_refund_no) where status <> 'void'`,
  `create index refunds_status on refunds (merchant_id, mode, status, refund_no)`,
  `create index refunds_order on refunds (merchant_id, mode, trade_no, refund_no)`,
  `create index refunds_request on refunds (request) where request is not null`,
  `create index refunds_due on refunds (next_check_at) where next_check_at is not null`,

  // response: what the merchant has answered the bank, and whether the channel has confirmed it.
  `create table disputes (
    dispute_no text primary key,
    version integer not null,
    merchant_id text not null,
    mode text not null,
    trade_no text not null references orders,
    processor_dispute_id text not null,
    amount bigint not null check (amount > 0),
    fee bigint,
    currency text not null,
    status text not null check (status in ('needs_response', 'under_review', 'won', 'lost', 'closed')),
    processor_status text not null,
    reason text not null,
    notify_url text,
    response jsonb,
    evidence_due_by timestamptz,
    next_check_at timestamptz,
    checks integer not null default 0,
    opened_at timestamptz not null,
    closed_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  `create unique index disputes_processor on disputes (merchant_id, mode, processor_dispute_id)`,
  `create index disputes_newest on disputes (merchant_id, mode, dispute_no)`,
  `create index disputes_status on disputes (merchant_id, mode, status, dispute_no)`,
  `create index disputes_order on disputes (merchant_id, mode, trade_no, dispute_no)`,
  `create index disputes_due on disputes (next_check_at) where next_check_at is not null`,
  // Beside the dispute, since it may be 75 kB and most reads do not want it. submitting: on its way to the channel.
  `create table dispute_evidence (
    dispute_no text primary key references disputes,
    version integer not null,
    evidence jsonb not null,
    files jsonb not null,
    submitting jsonb,
    submitted_at timestamptz,
    updated_at timestamptz
  )`,

  `create table payouts (
    payout_no text primary key,
    version integer not null,
    merchant_id text not null,
    mode text not null,
    currency text not null,
    amount bigint not null check (amount > 0),
    fee bigint not null check (fee >= 0),
    status text not null check (status in ('requested', 'approved', 'succeeded', 'rejected', 'failed')),
    reference text,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  `create index payouts_newest on payouts (merchant_id, mode, payout_no)`,
  `create unique index payouts_reference on payouts (merchant_id, mode, reference) where reference is not null`,

  // name: the unguessable last part of the address.
  `create table files (
    name text primary key,
    merchant_id text not null,
    mode text not null,
    content_type text not null,
    size integer not null,
    created_at timestamptz not null
  )`,

  // The sandbox's bank: a refund may be under way there, and it has disputes of its own.
  `alter table sandbox_refunds
    add column state text not null default 'succeeded' check (state in ('pending', 'succeeded', 'failed')),
    add column settles_at timestamptz`,
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
    opened_at timestamptz not null
  )`,
  `create index sandbox_disputes_payment on sandbox_disputes (payment_id)`,
  `create index sandbox_disputes_report_due on sandbox_disputes (report_due_at) where report_due_at is not null`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
